/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/driver/timeline.h"
#include "tests/sim/driver/hold.h"
#include "tests/sim/driver/host.h"
#include "tests/sim/driver/sim.h"

enum {
	POLL_NS = 1000000,
};

/* The furthest any thread has seen. Not 0, which in a record means that it has no times. Atomic: a
 * program's own time moves it on without the driver's lock. */
static _Atomic uint64_t device_ns = 1;
static __thread uint64_t host_ns;
static __thread bool has_worked;

uint64_t timeline_host_ns(void)
{
	/* A new thread begins where the process is. */
	if (!host_ns)
		host_ns = device_ns;
	return host_ns;
}

static void reach(uint64_t ns)
{
	uint64_t before = device_ns;

	while (before < ns && !atomic_compare_exchange_weak(&device_ns, &before, ns))
		;
}

void timeline_spend_host(uint64_t ns)
{
	host_ns = timeline_host_ns() + ns;
	has_worked = true;
	reach(host_ns);
}

uint64_t sim_clock_ns(void)
{
	return has_worked ? host_ns : device_ns;
}

void sim_clock_spend(uint64_t ns)
{
	timeline_spend_host(ns);
}

void sim_clock_wait_until(uint64_t ns)
{
	timeline_spend_host(ns > timeline_host_ns() ? ns - timeline_host_ns() : 0);
}

/* "ENTRY=NS,…" */
uint64_t timeline_call_cost_ns(const char *entry)
{
	const char *text = getenv("SIM_CALL_NS");
	size_t length;

	while (text && *text) {
		length = strcspn(text, "=");
		if (!text[length])
			break;
		if (strlen(entry) == length && !strncmp(text, entry, length))
			return strtoull(text + length + 1, NULL, 10);
		text += strcspn(text, ",");
		text += *text == ',';
	}
	return 0;
}

void timeline_catch_up(void)
{
	uint64_t device = device_ns;

	if (timeline_host_ns() < device)
		host_ns = device;
}

uint64_t timeline_call_end_ns(uint64_t start_ns)
{
	uint64_t end_ns = timeline_host_ns();

	return end_ns > start_ns ? end_ns : start_ns + TIMELINE_CALL_NS;
}

void timeline_settle(struct moment *moment)
{
	uint64_t moved;

	if (moment->hold && hold_ended(moment->hold, &moved)) {
		moment->ns += moved;
		moment->hold = 0;
	}
}

/* Of two holds the later one counts, as the one before it in its stream must have ended then. */
void timeline_follow(struct moment *moment, const struct moment *other)
{
	struct moment settled = *other;

	timeline_settle(moment);
	timeline_settle(&settled);
	if (moment->ns < settled.ns)
		moment->ns = settled.ns;
	if (moment->host < settled.host)
		moment->host = settled.host;
	if (moment->hold < settled.hold)
		moment->hold = settled.hold;
}

void timeline_wait(struct moment moment)
{
	hold_wait_for(moment.hold);
	timeline_settle(&moment);
	host_wait(moment.host);
	if (timeline_host_ns() < moment.ns)
		host_ns = moment.ns;
	reach(host_ns);
}

bool timeline_passed(const struct moment *moment)
{
	struct moment settled = *moment;

	timeline_settle(&settled);
	return !settled.hold && host_done(settled.host) && settled.ns <= device_ns;
}

uint64_t timeline_device_ns(bool advance)
{
	uint64_t step = advance ? sim_setting("SIM_POLL_NS", POLL_NS) : 0;

	return atomic_fetch_add(&device_ns, step) + step;
}

bool timeline_finished(const struct moment *moment)
{
	struct moment settled = *moment;

	if (!timeline_passed(moment)) {
		timeline_device_ns(true);
		return false;
	}
	/* Who knows that it has ended is past it. */
	timeline_settle(&settled);
	if (timeline_host_ns() < settled.ns)
		host_ns = settled.ns;
	return true;
}
