/* SPDX-License-Identifier: MIT */
#include "preload/base/atomics.h"
#include "preload/reporter/reporter.h"

#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/run.h"
#include "report/energy/energy.h"
#include "report/devices/describe.h"

/* Between readings. Chosen: the power sensor itself resolves some 20 to 100 ms. */
#define READ_EVERY_NS 100000000u
/* How long the end waits for the last reading. Chosen: within what the reporter gives the report
 * after a signal. */
#define END_WAIT_NS   400000000u

enum reader_state { READER_NONE, READER_RUNS, READER_ENDED };

struct device {
	bool found, begun;
	nvml_device handle;
	struct energy_meter meter;
};

/* For the reading thread only, except the two atomic words. */
static struct {
	size_t device_count;
	struct device devices[SESSION_DEVICES];
	_Atomic uint32_t state, end;
} reader;

static void set_states(enum energy_state energy_state, int result)
{
	for (size_t i = 0; i < reader.device_count; i++) {
		struct device_energy *energy = &run.header->devices[i].energy;

		energy->result = result;
		energy->state = energy_state;
	}
}

/* Makes the figures written so far visible to a thread that gives up waiting for NVML. */
static void publish(void)
{
	store_release(&reader.state, READER_RUNS);
}

static void find_devices(void)
{

	for (size_t i = 0; i < reader.device_count; i++) {
		struct device_energy *energy = &run.header->devices[i].energy;
		int result;

		energy->state =
			nvml_find(run.header->devices[i].uuid, &reader.devices[i].handle, &result);
		energy->result = result;
		reader.devices[i].found = energy->state == ENERGY_READ;
		publish();
	}
}

/*
 * A device that is not used yet is read once, so that its energy is that of the run. Where it is
 * summed up from the power, readings far apart would say nothing: then its first one is made anew.
 */
static void read_device(struct device *device, struct device_energy *energy, bool used)
{
	struct energy_reading reading = {.time = clock_ns(CLOCK_MONOTONIC)};

	if (device->begun && !used && energy->source == ENERGY_FROM_COUNTER)
		return;
	nvml_read(device->handle, device->begun ? energy->source : ENERGY_FROM_NOTHING, &reading);
	if (device->begun && used)
		energy_add(energy, &device->meter, &reading);
	else
		energy_begin(energy, &device->meter, &reading);
	device->begun = true;
}

static void read_devices(void)
{

	for (size_t i = 0; i < reader.device_count; i++) {
		bool used;

		sanitizer_ignore_reads_begin();
		used = run.header->devices[i].used != 0;
		sanitizer_ignore_reads_end();
		if (reader.devices[i].found)
			read_device(&reader.devices[i], &run.header->devices[i].energy, used);
		publish();
	}
	run.header->counters[COUNTER_energy_ns] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	publish();
}

/* The thread's loop. NVML is initialised here: meanwhile the program may use its devices, and end.
 */
static void read_until_the_end(void)
{
	int result = nvml_start();
	bool last;

	if (result) {
		set_states(ENERGY_NO_START, result);
		return;
	}
	find_devices();
	read_devices();
	do {
		futex_wait(&reader.end, 0, READ_EVERY_NS);
		last = atomic_load(&reader.end) != 0;
		read_devices();
	} while (!last);
	nvml_stop();
}

static void *read_energy(void *unused)
{
	(void)unused;
	sanitizer_ignore_begin();
	read_until_the_end();
	atomic_store(&reader.state, READER_ENDED);
	futex_wake(&reader.state);
	sanitizer_ignore_end();
	return NULL;
}

unsigned energy_reader_start(size_t count, bool missing)
{
	reader.device_count = count;
	/* In a child that goes on with the program, nothing of its parent's holds. */
	atomic_store(&reader.end, 0);
	atomic_store(&reader.state, READER_NONE);
	for (size_t i = 0; i < count; i++) {
		reader.devices[i] = (struct device){0};
		if (!missing)
			reader.devices[i].meter.curve =
				session_add_item(run.session, SEGMENT_ENERGY,
						 &(struct energy_curve){.device = (int32_t)i});
	}
	set_states(missing ? ENERGY_NO_LIBRARY : ENERGY_NO_ANSWER, 0);
	if (missing)
		return 0;
	atomic_store(&reader.state, READER_RUNS);
	if (background_thread_start(read_energy, "ktime-energy") == 0)
		return 1;
	atomic_store(&reader.state, READER_NONE);
	set_states(ENERGY_NO_THREAD, 0);
	return 0;
}

bool energy_reader_end(void)
{
	uint64_t limit = clock_ns(CLOCK_MONOTONIC) + END_WAIT_NS;

	atomic_store(&reader.end, 1);
	futex_wake(&reader.end);
	return futex_wait_while(&reader.state, READER_RUNS, limit);
}
