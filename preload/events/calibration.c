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
#include "preload/base/run.h"
#include "preload/base/settings.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"

static int measured_on = -1; /* the device; its overheads are used for all */

/* How many kernels' readings are kept. */
#define SELF_TIMING_READINGS 21u

/* How many of its kernels keep their readings */
#define QUEUED_KERNELS	     16u

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

/* Chosen: copies of a few bytes are not made by a copy engine (H200: 4 bytes are not). */
#define COPY_BYTES 4096u

/* From preload/events/self_timing.cu. */
extern const unsigned long long self_timing_fatbin[];

/*
 * What runs on the device: a kernel that reads the device's clock when it begins and when it ends,
 * and a copy into the device's memory. With the context current; a function that returns false met
 * a call that the driver does not have or refused.
 */

/* What a kernel wrote, by the device's clock in nanoseconds, and the least step of that. */
struct reading {
	uint64_t begin, end, step, unused;
};

/* What the device writes and reads. */
struct shared {
	struct reading readings[SELF_TIMING_READINGS];
	uint8_t copied[COPY_BYTES]; /* never written */
};

static CUfunction kernel;
static CUdeviceptr target;
static struct shared *shared; /* memory of its own, as a child of fork must not copy it */
static CUdeviceptr shared_address;

/* Loads the kernel into the current context. */
static bool load_kernel(void)
{
	CUresult (*function)(CUfunction *, CUmodule, const char *) = (CUresult(*)(
		CUfunction *, CUmodule, const char *))driver_entry(ENTRY_cuModuleGetFunction);
	CUmodule module;
	size_t bytes;

	/* Never unloaded: CUPTI names kernels wrongly from the first unloading on. */
	return driver.cuModuleLoadData && driver.cuModuleGetGlobal_v2 && function &&
	       driver.cuModuleLoadData(&module, self_timing_fatbin) == CUDA_SUCCESS &&
	       function(&kernel, module, "ktime_self_timing") == CUDA_SUCCESS &&
	       driver.cuModuleGetGlobal_v2(&target, &bytes, module, "ktime_target") ==
		       CUDA_SUCCESS &&
	       bytes >= COPY_BYTES;
}

/* Makes the memory for its readings. */
static bool make_shared(void)
{
	if (!shared) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (shared == MAP_FAILED)
			shared = NULL;
	}
	return shared && driver.cuMemHostRegister_v2 && driver.cuMemHostGetDevicePointer_v2 &&
	       driver.cuMemHostRegister_v2(shared, sizeof(*shared), CU_MEMHOSTREGISTER_DEVICEMAP) ==
		       CUDA_SUCCESS &&
	       driver.cuMemHostGetDevicePointer_v2(&shared_address, shared, 0) == CUDA_SUCCESS;
}

/* Launches the kernel, to run for so long. Its reading is kept by its number. The forms for
 * per-thread default streams do the same in another stream; among the driver's calls they can be
 * told from those of most programs. */
static bool self_timing_launch(CUstream stream, unsigned number, uint64_t nanoseconds)
{
	CUresult (*real)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			 unsigned, CUstream, void **, void **) =
		(CUresult(*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			     unsigned, CUstream, void **,
			     void **))driver_entry(ENTRY_cuLaunchKernel_ptsz);
	CUdeviceptr result = shared_address + number * sizeof(struct reading);
	void *parameters[] = {&result, &nanoseconds};

	return real && real(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL) == CUDA_SUCCESS;
}

/* Copies as many bytes as take a copy engine, to the device. */
static bool self_timing_copy(CUstream stream)
{
	CUresult (*real)(CUdeviceptr, const void *, size_t, CUstream) =
		(CUresult(*)(CUdeviceptr, const void *, size_t, CUstream))driver_entry(
			ENTRY_cuMemcpyHtoDAsync_v2_ptsz);

	return real && real(target, shared->copied, COPY_BYTES, stream) == CUDA_SUCCESS;
}

/* Has the stream wait for a word that has its value, if the driver can. */
static void self_timing_wait(CUstream stream)
{
	CUstreamBatchMemOpParams wait = {
		.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			      .address = shared_address + offsetof(struct shared, copied),
			      .value = 0,
			      .flags = CU_STREAM_WAIT_VALUE_GEQ}};

	if (driver.cuStreamBatchMemOp_v2)
		driver.cuStreamBatchMemOp_v2(stream, 1, &wait, 0);
}

/* Of the device's clock, in nanoseconds: what the first kernel wrote. */
static double step_of_clock(void)
{
	return (double)shared->readings[0].step;
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
static bool measure(CUevent (*pairs)[2], unsigned count, const double *less,
		    struct measured *measured)
{
	double values[SELF_TIMING_READINGS];
	float milliseconds;

	for (unsigned i = 0; i < count; i++) {
		if (driver.cuEventElapsedTime(&milliseconds, pairs[i][0], pairs[i][1]) !=
		    CUDA_SUCCESS)
			return false;
		values[i] = (double)milliseconds * 1e6 - (less ? less[i] : 0);
	}
	*measured = measured_of(values, count);
	return true;
}

/* What event pairs around kernels hold beyond what the kernels themselves read; `number`: the first
 * one's reading. False if the driver does not know a pair's time. */
static bool self_timing_beyond(CUevent (*pairs)[2], unsigned count, unsigned number,
			       struct measured *measured)
{
	double less[SELF_TIMING_READINGS];

	for (unsigned i = 0; i < count; i++) {
		const struct reading *reading = &shared->readings[number + i];

		/* A reading is the clock's last step: half a step early on average, at the end not,
		 * as the kernel waits for a step there. */
		less[i] = (double)(reading->end - reading->begin) - step_of_clock() / 2;
	}
	return measure(pairs, count, less, measured);
}

/* Kernels before each pair, and pairs that are not used: of forty pairs behind a kernel of 3 ms
 * fewer than ten, the first, hold no more than pairs in an idle stream (H200, reason unknown; in
 * shorter series most do not). Chosen. */
#define BEFORE		8u
#define SKIPPED		16u
/* How long the first kernel runs, in which all others must be queued. Chosen: queueing takes 1 to
 * 2 ms. */
#define QUEUED_FIRST_NS 3000000u
/* How long the other kernels run. Chosen: long enough for the device to fetch on meanwhile; pairs
 * around kernels of 2 us varied from run to run by 1 us (H200), around these by 0.3. */
#define KERNEL_NS	10000u

static CUevent queued_events[SKIPPED + QUEUED_KERNELS][2];
static unsigned first; /* reading of those that count */

static bool queue_amid_work(CUstream stream, unsigned number)
{
	unsigned reading = number < SKIPPED ? 0 : first + number - SKIPPED;
	CUevent *pair = queued_events[number];

	for (unsigned i = 0; i < BEFORE; i++)
		if (!self_timing_launch(stream, 0, KERNEL_NS))
			return false;
	return driver.cuEventCreate(&pair[0], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
	       driver.cuEventCreate(&pair[1], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
	       driver.cuEventRecord(pair[0], stream) == CUDA_SUCCESS &&
	       self_timing_launch(stream, reading, KERNEL_NS) &&
	       driver.cuEventRecord(pair[1], stream) == CUDA_SUCCESS;
}

/* Queues them into the stream; false: the driver refused, or the device came to one of those that
 * count before all were queued. */
static bool queued_overhead_begin(CUstream stream, unsigned first_reading)
{
	first = first_reading;
	if (!self_timing_launch(stream, 0, QUEUED_FIRST_NS))
		return false;
	for (unsigned i = 0; i < SKIPPED + QUEUED_KERNELS; i++)
		if (!queue_amid_work(stream, i))
			return false;
	/* Else the device waited for the host in pairs that count. */
	return driver.cuEventQuery(queued_events[SKIPPED][0]) == CUDA_ERROR_NOT_READY;
}

/* The event that is reached last. */
static CUevent queued_overhead_last(void)
{
	return queued_events[SKIPPED + QUEUED_KERNELS - 1][1];
}

/* To be called once it is reached, with what pairs around kernels hold that are not queued. */
static void queued_overhead_take(const struct measured *not_queued)
{
	struct measured queued;
	double more;

	/* Some microseconds more come of other work that ran on the device. */
	if (!self_timing_beyond(queued_events + SKIPPED, QUEUED_KERNELS, first, &queued) ||
	    queued.middle > 2 * not_queued->middle)
		return;
	more = queued.middle - not_queued->middle;
	run.header->queued =
		overhead_of(more > 0 ? more : 0, queued.error + not_queued->error, QUEUED_KERNELS);
}

/* The pairs of a series around nothing. Chosen. */
#define PAIRS	    16u
/* Those of one around kernels or copies. Chosen. */
#define FEW	    4u
/* Kernels or copies of a try, the first of which has no pair. */
#define OPERATIONS  (FEW + 1)
/* How long the first kernel runs: the pairs must be queued by then. If they are not, each try is so
 * many times longer than the one before. Chosen: queueing takes some 0.2 ms on an H200. */
#define FIRST_NS    500000u
#define LONGER	    4u
#define TRIES	    4u
/* Within so long all must have been measured. Chosen. */
#define MOST_NS	    50000000u
/* At least this many polls, as the collector may get no processor for longer. Chosen. */
#define LEAST_POLLS 16u
#define POLL_NS	    100000u

/* Pairs around nothing, behind a kernel and behind a copy; around kernels; around copies, for which
 * CUPTI must record them. */
enum series { AFTER_KERNEL, KERNELS, AFTER_COPY, COPIES, SERIES };

static const unsigned pairs_of[SERIES] = {PAIRS, FEW, PAIRS, FEW};

_Static_assert(OPERATIONS + QUEUED_KERNELS <= SELF_TIMING_READINGS, "each has a reading");

static enum { WAITING, QUEUED, DONE } state;
static bool queued_too; /* the pairs around queued kernels */
static struct context *context;
static CUstream stream;
static CUevent events[SERIES][PAIRS][2];
static unsigned tries;
static bool records_come;
/* The stream by CUPTI's numbers; its records may come until the end of the run. */
static struct {
	bool known;
	uint32_t context, stream;
} own;
/* CUPTI's times of the last try's kernels and copies, and how many of all tries have come. */
static uint64_t recorded[2][OPERATIONS];
static unsigned records[2];

/* One that is usable; if one ends, that alone, as the program may go on in another one. */
static struct context *usable_context(const struct context *ending)
{
	struct context *usable = NULL;

	for (struct context *one = context_first(); one; one = one->next) {
		if (atomic_load_explicit(&one->ended, memory_order_acquire) || !one->reported)
			continue;
		if (ending && one != ending)
			return NULL;
		usable = one;
	}
	return usable && context_use(usable) ? usable : NULL;
}

static bool busy;

static void note_busy(struct stream *one)
{
	busy |= one->context == context &&
		driver.cuStreamQuery_ptsz(one->handle) == CUDA_ERROR_NOT_READY;
}

/* Whether the program's streams come to have nothing to do. Beside its work the pairs would be too
 * long, and the kernel's loading might wait for it. */
static bool device_is_idle(uint64_t end)
{
	for (unsigned polls = 0;; polls++) {
		busy = false;
		stream_visit(note_busy);
		if (!busy || (polls >= LEAST_POLLS && clock_ns(CLOCK_MONOTONIC) >= end))
			return !busy;
		futex_sleep(POLL_NS);
	}
}

static bool make_events(void)
{
	for (unsigned i = 0; i < SERIES * PAIRS * 2; i++)
		if (driver.cuEventCreate(&events[0][0][0] + i, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
			return false;
	return true;
}

/* False also if CUPTI's records of the stream could not be told from the program's. */
static bool prepare(void)
{
	CUresult (*create)(CUstream *, unsigned) =
		(CUresult(*)(CUstream *, unsigned))driver_entry(ENTRY_cuStreamCreate);

	if (!create || !make_shared() || !load_kernel() ||
	    create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS || !make_events())
		return false;
	records_come = cupti_active();
	own.known = records_come && cupti_context_id(context->handle, &own.context) == 0 &&
		    cupti_stream_id(context->handle, stream, false, &own.stream) == 0;
	return own.known || !records_come;
}

static bool queue_pair(enum series series, unsigned number)
{
	CUevent *pair = events[series][number];

	if (series == KERNELS && context_gates_allowed())
		self_timing_wait(stream);
	return driver.cuEventRecord(pair[0], stream) == CUDA_SUCCESS &&
	       (series != KERNELS || self_timing_launch(stream, number + 1, KERNEL_NS)) &&
	       (series != COPIES || self_timing_copy(stream)) &&
	       driver.cuEventRecord(pair[1], stream) == CUDA_SUCCESS;
}

static bool queue(void)
{
	uint64_t first = FIRST_NS;

	for (unsigned i = 1; i < tries; i++)
		first *= LONGER;
	if (!self_timing_launch(stream, 0, first))
		return false;
	for (unsigned series = 0; series < (records_come ? SERIES : COPIES); series++) {
		/* A copy behind kernels waits for the other engine. */
		if (series == AFTER_COPY && !self_timing_copy(stream))
			return false;
		for (unsigned i = 0; i < pairs_of[series]; i++)
			if (!queue_pair((enum series)series, i))
				return false;
	}
	return true;
}

/* Until the device has come to no pair before all were queued. */
static bool queue_in_time(uint64_t end)
{
	do {
		tries++;
		if (!queue())
			return false;
		if (driver.cuEventQuery(events[0][0][0]) == CUDA_ERROR_NOT_READY)
			return true;
	} while (tries < TRIES && clock_ns(CLOCK_MONOTONIC) < end);
	return false;
}

/* Until the event was reached; false if it was not by the end. */
static bool await(CUevent event, uint64_t end)
{
	for (unsigned polls = 0; polls < LEAST_POLLS || clock_ns(CLOCK_MONOTONIC) < end; polls++) {
		if (driver.cuEventQuery(event) != CUDA_ERROR_NOT_READY)
			return true;
		futex_sleep(POLL_NS);
	}
	return false;
}

static CUevent last_event(void)
{
	enum series last = records_come ? COPIES : AFTER_COPY;

	return events[last][pairs_of[last] - 1][1];
}

void calibration_finish(const struct context *ending, bool were_queued)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + MOST_NS;

	if (state != WAITING || !mode_events || !mode_begun || capture_is_live())
		return;
	context = usable_context(ending);
	if (!context)
		return;
	state = device_is_idle(end) && prepare() && queue_in_time(end) ? QUEUED : DONE;
	if (state == DONE || !await(last_event(), end) || !were_queued)
		return;
	queued_too = queued_overhead_begin(stream, OPERATIONS);
	if (queued_too)
		await(queued_overhead_last(), end);
}

static void set(enum overhead_kind kind, enum series series, double nanoseconds, double error)
{
	measured_on = context->device;
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
			less[i] = (double)recorded[of][i + 1];
		if (measure(events[series[of]], FEW, less, &measured))
			set(kinds[of], series[of], measured.middle, measured.error);
	}
}

/* How far the ends of an interval lie from its middle, in standard deviations, if each point of it
 * is as likely as any other. */
#define SQUARE_ROOT_OF_3 1.7320508

static void use_readings(const struct measured *kernels)
{
	struct measured least, copies;

	if (measure(events[AFTER_KERNEL], PAIRS, NULL, &least) &&
	    measure(events[AFTER_COPY], PAIRS, NULL, &copies)) {
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
	bool known = self_timing_beyond(events[KERNELS], FEW, 1, &kernels);

	/* They are not all there if CUPTI recorded no kernels, or was ended by the program. */
	if (records_come && records[0] >= tries * OPERATIONS && records[1] >= tries * OPERATIONS)
		use_records();
	else if (known)
		use_readings(&kernels);
	if (known && queued_too && is_reached(queued_overhead_last()))
		queued_overhead_take(&kernels);
}

void calibration_settle(void)
{
	bool usable = state == QUEUED && context_use(context);

	state = state == QUEUED ? DONE : state;
	if (usable && is_reached(last_event()))
		use_times();
	for (unsigned i = 0; usable && i < SERIES * PAIRS * 2; i++)
		driver.cuEventDestroy_v2((&events[0][0][0])[i]);
}

bool calibration_take(const struct activity *activity)
{
	unsigned of = activity->kind == ACTIVITY_KERNEL ? 0 : 1;

	if (!own.known || own.context != activity->context || own.stream != activity->stream)
		return false;
	/* Behind those of the tries come those of queued kernels. */
	if (records[of] < tries * OPERATIONS)
		recorded[of][records[of]++ % OPERATIONS] = activity->end - activity->start;
	return true;
}

void calibration_note(void)
{
	const struct device_info *devices = run.header->devices;

	if (measured_on < 0 || measured_on >= SESSION_DEVICES || mode_is_cupti())
		return;
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (devices[i].used && strcmp(devices[i].name, devices[measured_on].name) != 0)
			session_note(run.session,
				     "Event-pair overhead was measured on device %d alone, a %s; "
				     "on device %u, a %s, it may differ.",
				     measured_on, devices[measured_on].name, i, devices[i].name);
}
