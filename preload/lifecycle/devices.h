/* SPDX-License-Identifier: MIT */
/* What the profile says of the devices by the driver and by NVML, but their use. */
#ifndef KTIME_PRELOAD_LIFECYCLE_DEVICES_H
#define KTIME_PRELOAD_LIFECYCLE_DEVICES_H

struct session;

/* By the driver; loads NVML where it is going to be asked. On the program's thread, at the start.
 */
void devices_describe(struct session *session);
/* Starts the thread of --energy, once CUPTI has been started; how many threads: 1 or 0. */
unsigned devices_start_reading(struct session *session);
/*
 * On the background thread, and at the end alone: to initialise NVML can take longer than a ring of
 * call records holds out. Ends the thread of --energy, and asks for what --bandwidth needs.
 */
void devices_finish(struct session *session);

#endif
