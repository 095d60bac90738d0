/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/activity.h"
#include "tests/sim/driver/timeline.h"

static const struct sim_activity_hooks *hooks;

void sim_activity_set_hooks(const struct sim_activity_hooks *new_hooks)
{
	__atomic_store_n(&hooks, new_hooks, __ATOMIC_RELEASE);
}

void activity_done(const struct sim_activity *activity)
{
	const struct sim_activity_hooks *now = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	if (now)
		now->activity(activity);
}

void activity_driver_call(const struct sim_call *call, CUresult result)
{
	const struct sim_activity_hooks *now = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);

	if (now) {
		now->driver_call(&(struct sim_api_call){
			.entry = call->entry,
			.start_ns = call->host_ns,
			.end_ns = timeline_host_ns(),
			.correlation = call->correlation,
			.result = result,
		});
	}
}
