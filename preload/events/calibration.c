/* SPDX-License-Identifier: MIT */
#include "preload/events/calibration.h"

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/mode.h"
#include "preload/events/context_gates.h"
#include "preload/events/event_overhead.h"
#include "preload/events/measured.h"
#include "preload/events/queued_overhead.h"
#include "preload/events/self_timing.h"
#include "preload/handles/capture.h"

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
/* How long the other kernels run. Chosen: long enough for the device to fetch on meanwhile; pairs
 * around kernels of 2 us varied from run to run by 1 us (H200), around these by 0.3. */
#define KERNEL_NS   10000u
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

	if (!create || !self_timing_prepare() ||
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

/* A series' pairs, less what is given for each; false if the driver does not know one. */
static bool measure(enum series series, const double *less, struct measured *measured)
{
	double values[PAIRS];
	float milliseconds;

	for (unsigned i = 0; i < pairs_of[series]; i++) {
		if (driver.cuEventElapsedTime(&milliseconds, events[series][i][0],
					      events[series][i][1]) != CUDA_SUCCESS)
			return false;
		values[i] = (double)milliseconds * 1e6 - (less ? less[i] : 0);
	}
	*measured = measured_of(values, pairs_of[series]);
	return true;
}

static double step_of_clock(void)
{
	return (double)self_timing_reading(0)->step;
}

static void set(enum overhead_kind kind, enum series series, double nanoseconds, double error)
{
	double step = step_of_clock();

	event_overhead_measured_on(context->device);
	if (nanoseconds > 0)
		event_overhead_set(kind, nanoseconds, error > step ? error : step,
				   pairs_of[series]);
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
		if (measure(series[of], less, &measured))
			set(kinds[of], series[of], measured.middle, measured.error);
	}
}

/* How far the ends of an interval lie from its middle, in standard deviations, if each point of it
 * is as likely as any other. */
#define SQUARE_ROOT_OF_3 1.7320508

static void use_readings(const struct measured *kernels)
{
	struct measured least, copies;

	if (measure(AFTER_KERNEL, NULL, &least) && measure(AFTER_COPY, NULL, &copies)) {
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
	struct measured kernels; /* what pairs around kernels hold beyond their readings */
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
