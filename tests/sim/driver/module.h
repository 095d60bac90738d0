/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_MODULE_H
#define SIM_DRIVER_MODULE_H

#include "tests/sim/driver/context.h"

/* Modules end with their context. */
void module_unload_all(struct context *context);

#endif
