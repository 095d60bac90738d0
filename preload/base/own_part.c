/* SPDX-License-Identifier: MIT */
#include "preload/base/own_part.h"

__thread uintptr_t own_part;
