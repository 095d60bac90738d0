/* SPDX-License-Identifier: MIT */
/* Records made of what the simulated driver tells. */
#ifndef SIM_CUPTI_RECORD_H
#define SIM_CUPTI_RECORD_H

#include <cupti.h>
#include <stdbool.h>

/* CUPTI_ERROR_NOT_INITIALIZED where the driver is not the simulated one. */
CUptiResult record_enable(CUpti_ActivityKind kind, bool enabled);

void record_disable_all(void);
/* Whether kernels were ever not recorded any more. */
bool record_kernels_were_off(void);

/* Takes single calls out of a kind's records, and puts them back. */
CUptiResult record_enable_call(CUpti_ActivityKind kind, CUpti_CallbackId cbid, bool enabled);

void record_push_external(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult record_pop_external(CUpti_ExternalCorrelationKind kind, uint64_t *id);

/* The name of a callback id, NULL where there is none. */
const char *record_call_name(bool runtime, CUpti_CallbackId cbid);

#endif
