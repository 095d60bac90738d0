/* SPDX-License-Identifier: MIT */
#include "preload/events/calibration.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/events/gates.h"
#include "preload/handles/stream.h"

/* How many kernels' readings are kept. */
#define SELF_TIMING_READINGS 21u

/* How many of its kernels keep their readings */
#define QUEUED_KERNELS	     16u

/* Chosen: copies of a few bytes are not made by a copy engine (H200: 4 bytes are not). */
#define COPY_BYTES	     4096u

/* Kernels before each pair, and pairs that are not used: of forty pairs behind a kernel of 3 ms
 * fewer than ten, the first, hold no more than pairs in an idle stream (H200, reason unknown; in
 * shorter series most do not). Chosen. */
#define BEFORE		     8u
#define SKIPPED		     16u
/* How long the first kernel runs, in which all others must be queued. Chosen: queueing takes 1 to
 * 2 ms. */
#define QUEUED_FIRST_NS	     3000000u
/* How long the other kernels run. Chosen: long enough for the device to fetch on meanwhile; pairs
 * around kernels of 2 us varied from run to run by 1 us (H200), around these by 0.3. */
#define KERNEL_NS	     10000u

/* The pairs of a series around nothing. Chosen. */
#define PAIRS		     16u
/* Those of one around kernels or copies. Chosen. */
#define FEW		     4u
/* Kernels or copies of a try, the first of which has no pair. */
#define OPERATIONS	     (FEW + 1)
/* How long the first kernel runs: the pairs must be queued by then. If they are not, each try is so
 * many times longer than the one before. Chosen: queueing takes some 0.2 ms on an H200. */
#define FIRST_NS	     500000u
#define LONGER		     4u
#define TRIES		     4u
/* Within so long all must have been measured. Chosen. */
#define MOST_NS		     50000000u
/* At least this many polls, as the collector may get no processor for longer. Chosen. */
#define LEAST_POLLS	     16u
#define POLL_NS		     100000u

/* Pairs around nothing, behind a kernel and behind a copy; around kernels; around copies, for which
 * CUPTI must record them; around kernels that are queued amid others. */
enum series { AFTER_KERNEL, KERNELS, AFTER_COPY, COPIES, AMID_WORK, SERIES };

static const unsigned pairs_of[SERIES] = {PAIRS, FEW, PAIRS, FEW, SKIPPED + QUEUED_KERNELS};

_Static_assert(OPERATIONS + QUEUED_KERNELS <= SELF_TIMING_READINGS, "each has a reading");

/* What a kernel wrote, by the device's clock in nanoseconds, and the least step of that. */
struct reading {
	uint64_t begin, end, step, unused;
};

/* What the device writes and reads. */
struct shared {
	struct reading readings[SELF_TIMING_READINGS];
	uint8_t copied[COPY_BYTES]; /* never written */
};

/* The one measurement of the run. */
static struct {
	enum { WAITING, QUEUED, DONE } state;
	bool queued_too; /* the pairs around queued kernels */
	bool taken;	 /* what it found is in the profile */
	struct context *context;
	CUstream stream;
	CUfunction kernel;
	CUdeviceptr target;
	struct shared *shared; /* memory of its own, as a child of fork must not copy it */
	CUdeviceptr shared_address;
	CUevent events[SERIES][2 * (SKIPPED + QUEUED_KERNELS)]; /* pairs */
	unsigned tries;
	bool busy; /* the device, when it was last looked at */
	bool records_come;
	/* CUPTI's times of the last try's kernels and copies, and how many of all tries have come.
	 */
	uint64_t recorded[2][OPERATIONS];
	unsigned records[2];
} own;
struct own_stream calibration_stream;

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

struct measured measured_of(double *values, unsigned count)
{
	unsigned from = count / 4, to = count - count / 4;
	struct measured measured = {0};

	qsort(values, count, sizeof(*values), by_value);
	measured.least = values[from];
	for (unsigned i = from; i < to; i++)
		measured.middle += values[i] / (to - from);
	/* A normal distribution's quartiles are 1.349 standard deviations apart; this mean varies
	 * 1.1 times as much as that of all values. */
	measured.error = (values[to] - values[from]) / 1.349 * 1.1 / sqrt(count);
	return measured;
}

/* From preload/events/self_timing.cu. */
extern const unsigned long long self_timing_fatbin[];

/*
 * What runs on the device: a kernel that reads the device's clock when it begins and
 * when it ends, and a copy into the device's memory. With the context current; a function that
 * returns false met a call that the driver does not have or refused.
 */

/* Loads the kernel into the current context. */
static bool load_kernel(void)
{
	CUmodule module;
	size_t bytes;

	/* Never unloaded: CUPTI names kernels wrongly from the first unloading on. */
	return driver.cuModuleLoadData && driver.cuModuleGetGlobal_v2 &&
	       driver.cuModuleGetFunction &&
	       driver.cuModuleLoadData(&module, self_timing_fatbin) == CUDA_SUCCESS &&
	       driver.cuModuleGetFunction(&own.kernel, module, "ktime_self_timing") ==
		       CUDA_SUCCESS &&
	       driver.cuModuleGetGlobal_v2(&own.target, &bytes, module, "ktime_target") ==
		       CUDA_SUCCESS &&
	       bytes >= COPY_BYTES;
}

/* Makes the memory for its readings. */
static bool make_shared(void)
{
	if (!own.shared) {
		own.shared = mmap(NULL, sizeof(*own.shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (own.shared == MAP_FAILED)
			own.shared = NULL;
	}
	return own.shared && driver.cuMemHostRegister_v2 && driver.cuMemHostGetDevicePointer_v2 &&
	       driver.cuMemHostRegister_v2(own.shared, sizeof(*own.shared),
					   CU_MEMHOSTREGISTER_DEVICEMAP) == CUDA_SUCCESS &&
	       driver.cuMemHostGetDevicePointer_v2(&own.shared_address, own.shared, 0) ==
		       CUDA_SUCCESS;
}

/* Launches the kernel, to run for so long. Its reading is kept by its number. The forms
 * for per-thread default streams do the same in another stream; among the driver's
 * calls they can be told from those of most programs. */
static bool self_timing_launch(unsigned number, uint64_t nanoseconds)
{
	CUdeviceptr result = own.shared_address + number * sizeof(struct reading);
	void *parameters[] = {&result, &nanoseconds};

	return driver.cuLaunchKernel_ptsz &&
	       driver.cuLaunchKernel_ptsz(own.kernel, 1, 1, 1, 1, 1, 1, 0, own.stream, parameters,
					  NULL) == CUDA_SUCCESS;
}

/* Copies as many bytes as take a copy engine, to the device. */
static bool self_timing_copy(void)
{
	return driver.cuMemcpyHtoDAsync_v2_ptsz &&
	       driver.cuMemcpyHtoDAsync_v2_ptsz(own.target, own.shared->copied, COPY_BYTES,
						own.stream) == CUDA_SUCCESS;
}

/* Has the stream wait for a word that has its value, if the driver can. */
static void self_timing_wait(void)
{
	CUstreamBatchMemOpParams wait = {
		.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			      .address = own.shared_address + offsetof(struct shared, copied),
			      .value = 0,
			      .flags = CU_STREAM_WAIT_VALUE_GEQ}};

	if (driver.cuStreamBatchMemOp_v2)
		driver.cuStreamBatchMemOp_v2(own.stream, 1, &wait, 0);
}

/* The step of the device's clock, in nanoseconds, as the first kernel measured it. */
static double step_of_clock(void)
{
	return (double)own.shared->readings[0].step;
}

/* The least error is the clock's step. */
static struct event_overhead overhead_of(double nanoseconds, double error, unsigned pairs)
{
	double step = step_of_clock();

	return (struct event_overhead){
		.ns = (uint64_t)(nanoseconds + 0.5),
		.pairs = pairs,
		.standard_error = (uint64_t)((error > step ? error : step) + 0.5),
	};
}

/* Event pairs' times, less what is given for each; false if the driver does not know one. */
static bool measure(const CUevent *pairs, unsigned count, const double *less,
		    struct measured *measured)
{
	double values[SELF_TIMING_READINGS];
	float milliseconds;

	for (unsigned i = 0; i < count; i++) {
		if (driver.cuEventElapsedTime(&milliseconds, pairs[2 * i], pairs[2 * i + 1]) !=
		    CUDA_SUCCESS)
			return false;
		values[i] = (double)milliseconds * 1e6 - (less ? less[i] : 0);
	}
	*measured = measured_of(values, count);
	return true;
}

/* What event pairs around kernels hold beyond what the kernels themselves read; `number`: the first
 * one's reading. False if the driver does not know a pair's time. */
static bool self_timing_beyond(const CUevent *pairs, unsigned count, unsigned number,
			       struct measured *measured)
{
	double less[SELF_TIMING_READINGS];

	for (unsigned i = 0; i < count; i++) {
		const struct reading *reading = &own.shared->readings[number + i];

		/* A reading is the clock's last step: half a step early on average, at the end not,
		 * as the kernel waits for a step there. */
		less[i] = (double)(reading->end - reading->begin) - step_of_clock() / 2;
	}
	return measure(pairs, count, less, measured);
}

/* To be called once it is reached, with what pairs around kernels hold that are not queued. */
static void queued_overhead_take(const struct measured *not_queued)
{
	struct measured queued;
	double more;

	/* Some microseconds more come of other work that ran on the device. */
	if (!self_timing_beyond(own.events[AMID_WORK] + 2 * SKIPPED, QUEUED_KERNELS, OPERATIONS,
				&queued) ||
	    queued.middle > 2 * not_queued->middle)
		return;
	more = queued.middle - not_queued->middle;
	run.header->queued =
		overhead_of(more > 0 ? more : 0, queued.error + not_queued->error, QUEUED_KERNELS);
}

/* Makes current a context to measure in: any that has not ended. Before the end of the context
 * `ending` only that one, and only if it is the last, as the program may go on in the others. */
static struct context *usable_context(const struct context *ending)
{
	struct context *usable = NULL;

	for (struct context *one = context_first(); one; one = one->next) {
		if (load_acquire(&one->ended) || !one->reported)
			continue;
		if (ending && one != ending)
			return NULL;
		usable = one;
	}
	return usable && context_use(usable) ? usable : NULL;
}

static void note_busy(struct stream *one)
{
	own.busy |= one->context == own.context &&
		    driver.cuStreamQuery_ptsz(one->handle) == CUDA_ERROR_NOT_READY;
}

/* Waits until the program's streams are idle; false if they are not by `end`. At the same time as
 * the program's work the pairs would be too long, and loading the kernel might wait for that work.
 */
static bool device_is_idle(uint64_t end)
{
	for (unsigned polls = 0;; polls++) {
		own.busy = false;
		stream_visit(note_busy);
		if (!own.busy || (polls >= LEAST_POLLS && clock_ns(CLOCK_MONOTONIC) >= end))
			return !own.busy;
		futex_sleep(POLL_NS);
	}
}

static bool make_events(enum series series)
{
	for (unsigned i = 0; i < 2 * pairs_of[series]; i++)
		if (driver.cuEventCreate(own.events[series] + i, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
			return false;
	return true;
}

/* False also if CUPTI's records of the stream could not be told from the
 * program's. */
static bool prepare(void)
{
	if (!driver.cuStreamCreate || !make_shared() || !load_kernel() ||
	    driver.cuStreamCreate(&own.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
		return false;
	for (unsigned series = 0; series < AMID_WORK; series++)
		if (!make_events((enum series)series))
			return false;
	own.records_come = cupti_active();
	calibration_stream.known =
		own.records_come &&
		cupti_context_id(own.context->handle, &calibration_stream.context) == 0 &&
		cupti_stream_id(own.context->handle, own.stream, false,
				&calibration_stream.stream) == 0;
	return calibration_stream.known || !own.records_come;
}

static bool queue_pair(enum series series, unsigned number)
{
	CUevent *pair = own.events[series] + 2 * number;
	unsigned reading = series == KERNELS  ? number + 1
			   : number < SKIPPED ? 0
					      : OPERATIONS + number - SKIPPED;

	if (series == KERNELS && context_gates_allowed())
		self_timing_wait();
	for (unsigned i = 0; series == AMID_WORK && i < BEFORE; i++)
		if (!self_timing_launch(0, KERNEL_NS))
			return false;
	return driver.cuEventRecord(pair[0], own.stream) == CUDA_SUCCESS &&
	       ((series != KERNELS && series != AMID_WORK) ||
		self_timing_launch(reading, KERNEL_NS)) &&
	       (series != COPIES || self_timing_copy()) &&
	       driver.cuEventRecord(pair[1], own.stream) == CUDA_SUCCESS;
}

/* Queues series behind a kernel that runs for so long; false: the driver refused. */
static bool queue(uint64_t nanoseconds, enum series from, enum series last)
{
	if (!self_timing_launch(0, nanoseconds))
		return false;
	for (unsigned series = from; series <= last; series++) {
		/* A copy behind kernels waits for the other engine. */
		if (series == AFTER_COPY && !self_timing_copy())
			return false;
		for (unsigned i = 0; i < pairs_of[series]; i++)
			if (!queue_pair((enum series)series, i))
				return false;
	}
	return true;
}

static enum series last_series(void)
{
	return own.records_come ? COPIES : AFTER_COPY;
}

/* The event of a series that is reached last. */
static CUevent last_of(enum series series)
{
	return own.events[series][2 * pairs_of[series] - 1];
}

/* Queues the series, again with a longer first kernel, until all pairs were queued before the
 * device reached the first: else the device has waited for the host in between. */
static bool queue_in_time(uint64_t end)
{
	uint64_t first = FIRST_NS;

	do {
		own.tries++;
		if (!queue(first, AFTER_KERNEL, last_series()))
			return false;
		if (driver.cuEventQuery(own.events[AFTER_KERNEL][0]) == CUDA_ERROR_NOT_READY)
			return true;
		first *= LONGER;
	} while (own.tries < TRIES && clock_ns(CLOCK_MONOTONIC) < end);
	return false;
}

/* Queues the pairs around queued kernels, once; whether the device reached none of those that count
 * before all were queued. */
static bool queue_amid_work(void)
{
	return make_events(AMID_WORK) && queue(QUEUED_FIRST_NS, AMID_WORK, AMID_WORK) &&
	       driver.cuEventQuery(own.events[AMID_WORK][2 * SKIPPED]) == CUDA_ERROR_NOT_READY;
}

/* Waits until the device has reached the event; false if it has not by `end`. */
static bool await(CUevent event, uint64_t end)
{
	for (unsigned polls = 0; polls < LEAST_POLLS || clock_ns(CLOCK_MONOTONIC) < end; polls++) {
		if (driver.cuEventQuery(event) != CUDA_ERROR_NOT_READY)
			return true;
		futex_sleep(POLL_NS);
	}
	return false;
}

void calibration_finish(const struct context *ending, bool were_queued)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + MOST_NS;

	if (own.state != WAITING || !launch_state.events || !plan.begun || capture_is_live())
		return;
	own.context = usable_context(ending);
	if (!own.context)
		return;
	own.state = device_is_idle(end) && prepare() && queue_in_time(end) ? QUEUED : DONE;
	if (own.state == DONE || !await(last_of(last_series()), end) || !were_queued)
		return;
	own.queued_too = queue_amid_work();
	if (own.queued_too)
		await(last_of(AMID_WORK), end);
}

static void set(enum overhead_kind kind, enum series series, double nanoseconds, double error)
{
	own.taken = true;
	if (nanoseconds > 0)
		run.header->overheads[kind] = overhead_of(nanoseconds, error, pairs_of[series]);
}

static void use_records(void)
{
	static const enum series series[] = {KERNELS, COPIES};
	static const enum overhead_kind kinds[] = {OVERHEAD_KERNEL, OVERHEAD_COPY};
	double less[FEW];
	struct measured measured;

	for (unsigned of = 0; of < 2; of++) {
		for (unsigned i = 0; i < FEW; i++)
			less[i] = (double)own.recorded[of][i + 1];
		if (measure(own.events[series[of]], FEW, less, &measured))
			set(kinds[of], series[of], measured.middle, measured.error);
	}
}

/* How far the ends of an interval lie from its middle, in standard deviations, if each point of it
 * is as likely as any other. */
#define SQUARE_ROOT_OF_3 1.7320508

static void use_readings(const struct measured *kernels)
{
	struct measured least, copies;

	if (measure(own.events[AFTER_KERNEL], PAIRS, NULL, &least) &&
	    measure(own.events[AFTER_COPY], PAIRS, NULL, &copies)) {
		/* One of the two series is 0.5 us longer in one run of four (H200). */
		if (copies.least < least.least)
			least = copies;
		set(OVERHEAD_KERNEL, KERNELS, (least.least + kernels->middle) / 2,
		    (kernels->middle - least.least) / 2 / SQUARE_ROOT_OF_3);
		set(OVERHEAD_COPY, AFTER_COPY, copies.middle, copies.error);
	}
}

static bool is_reached(CUevent event)
{
	return driver.cuEventQuery(event) == CUDA_SUCCESS;
}

static void use_times(void)
{
	struct measured kernels = {0}; /* what pairs around kernels hold beyond their readings */
	bool known = self_timing_beyond(own.events[KERNELS], FEW, 1, &kernels);

	/* They are not all there if CUPTI recorded no kernels, or was ended by the
	 * program. */
	if (own.records_come && own.records[0] >= own.tries * OPERATIONS &&
	    own.records[1] >= own.tries * OPERATIONS)
		use_records();
	else if (known)
		use_readings(&kernels);
	if (known && own.queued_too && is_reached(last_of(AMID_WORK)))
		queued_overhead_take(&kernels);
}

void calibration_settle(void)
{
	bool usable = own.state == QUEUED && context_use(own.context);

	own.state = own.state == QUEUED ? DONE : own.state;
	if (usable && is_reached(last_of(last_series())))
		use_times();
	for (unsigned series = 0; usable && series < SERIES; series++)
		for (unsigned i = 0; i < 2 * pairs_of[series]; i++)
			if (own.events[series][i])
				driver.cuEventDestroy_v2(own.events[series][i]);
}

void calibration_take(const struct activity *activity)
{
	unsigned of = activity->kind == ACTIVITY_KERNEL ? 0 : 1;

	/* Behind those of the tries come those of queued kernels. */
	if (own.records[of] < own.tries * OPERATIONS)
		own.recorded[of][own.records[of]++ % OPERATIONS] = activity->end - activity->start;
}

void calibration_note(void)
{
	const struct device_info *devices = run.header->devices;
	int on = own.taken ? own.context->device : -1;

	if (on < 0 || on >= SESSION_DEVICES || plan_is_cupti())
		return;
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (devices[i].used && strcmp(devices[i].name, devices[on].name) != 0)
			session_note(run.session,
				     "Event-pair overhead was measured on device %d alone, a %s; "
				     "on device %u, a %s, it may differ.",
				     on, devices[on].name, i, devices[i].name);
}
