/* SPDX-License-Identifier: MIT */
/* Who has subscribed to CUPTI. */
#ifndef SIM_CUPTI_SUBSCRIBER_H
#define SIM_CUPTI_SUBSCRIBER_H

#include <cupti.h>
#include <stdbool.h>

/* Whether there is a subscriber with activity kinds of its own. */
bool subscriber_records(void);
/* As cuptiFinalize does. */
void subscriber_end(void);

/* What an entry answers as the settings have it (entries.c). */
CUptiResult sim_fault(const char *entry);

#endif
