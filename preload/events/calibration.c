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
/* Those of one around kernels or copies. So few as, for good, graphs of short kernels become slower
 * that run beside a stream with more launches than some (H200: 20 kernels take 72.0 us, after 9
 * launches of ktime's 75.8; not after 5). */
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
/* Within so long the pairs must have ended, and CUPTI's records have come. Chosen. */
#define MOST_NS	    50000000u
/* At least this many polls, as the collector may get no processor for longer. Chosen. */
#define LEAST_POLLS 16u
#define POLL_NS	    100000u

/* Pairs around nothing, behind a kernel and behind a copy; around kernels; around copies, for which
 * CUPTI must record them. */
enum series { AFTER_KERNEL, KERNELS, AFTER_COPY, COPIES, SERIES };

static const unsigned pairs_of[SERIES] = {PAIRS, FEW, PAIRS, FEW};

enum state { WAITING, QUEUED, DONE };

_Static_assert(OPERATIONS + QUEUED_KERNELS <= SELF_TIMING_READINGS, "each has a reading");

static enum state state, queued_state; /* of the series; of the pairs around queued kernels */
static bool kernels_known;
static struct measured kernels; /* what pairs around kernels hold beyond their readings */
static unsigned tries;
static uint64_t queued_at; /* CLOCK_MONOTONIC, ns */
static unsigned polls;	   /* since then */
static struct context *context;
static CUstream stream;
static CUevent events[SERIES][PAIRS][2];
/* CUPTI's times of the kernels and copies; the first of each has no pair. */
static uint64_t recorded[2][OPERATIONS];
/* How many of them have come; less than 0: those of tries before are still to come. */
static int records[2];
static bool records_come;

/*
 * The streams that work was put into, by CUPTI's numbers, `stream` last: a record may come long
 * after the context of its stream has ended, when the work goes on in another one. Once this
 * many contexts have ended before the end of their measurement, ktime gives it up. Chosen.
 */
#define MOST_STREAMS 16u
static struct own_stream {
	uint32_t context, stream;
} own_streams[MOST_STREAMS];
static unsigned own_count;
static enum { UNKNOWN, KNOWN, REFUSED } number; /* of `stream` */

static struct context *usable_context(void)
{
	struct context *one = context_first();

	while (one && (atomic_load_explicit(&one->ended, memory_order_acquire) || !one->reported))
		one = one->next;
	return one && context_use(one) ? one : NULL;
}

static CUevent last_event(void)
{
	enum series last = records_come ? COPIES : AFTER_COPY;

	return events[last][pairs_of[last] - 1][1];
}

static bool make_events(void)
{
	for (unsigned i = 0; i < SERIES * PAIRS * 2; i++)
		if (driver.cuEventCreate(&events[0][0][0] + i, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
			return false;
	return true;
}

static void destroy_events(void)
{
	for (unsigned i = 0; i < SERIES * PAIRS * 2; i++) {
		CUevent *event = &events[0][0][0] + i;

		if (*event)
			driver.cuEventDestroy_v2(*event);
		*event = NULL;
	}
}

/* The stream stays as long as its context: CUPTI's records of it may come late. */
static bool prepare(void)
{
	CUresult (*create)(CUstream *, unsigned) =
		(CUresult(*)(CUstream *, unsigned))driver_entry(ENTRY_cuStreamCreate);

	return create && self_timing_prepare() &&
	       create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS && make_events();
}

static void ask_number(void)
{
	struct own_stream *own = &own_streams[own_count];

	if (number != UNKNOWN || !cupti_active())
		return;
	if (cupti_context_id(context->handle, &own->context) == 0 &&
	    cupti_stream_id(context->handle, stream, false, &own->stream) == 0) {
		number = KNOWN;
		own_count++;
	} else {
		number = REFUSED;
	}
}

/*
 * Once a try, as CUPTI may have been started since the last one. False: without the stream's number
 * CUPTI's records of it could not be told from the program's.
 */
static bool expect_records(void)
{
	for (unsigned of = 0; of < 2; of++)
		records[of] = records_come ? records[of] - (int)OPERATIONS : 0;
	records_come = cupti_active();
	ask_number();
	return !records_come || number == KNOWN;
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

	for (unsigned i = 0; i < tries; i++)
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

static void done(void)
{
	if (context_use(context))
		destroy_events();
	state = DONE;
}

static void begin(void)
{
	context = usable_context();
	if (!context)
		return;
	if ((!stream && !prepare()) || !expect_records()) {
		done();
		return;
	}
	queued_at = clock_ns(CLOCK_MONOTONIC);
	polls = 0;
	if (!queue())
		done();
	/* Not reached: the pairs were queued before the device got to them. */
	else if (driver.cuEventQuery(events[0][0][0]) == CUDA_ERROR_NOT_READY)
		state = QUEUED;
	else if (++tries == TRIES)
		done();
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

static void use_readings(void)
{
	struct measured least, copies;

	if (kernels_known && measure(AFTER_KERNEL, NULL, &least) &&
	    measure(AFTER_COPY, NULL, &copies)) {
		/* One of the two series is 0.5 us longer in one run of four (H200). */
		if (copies.least < least.least)
			least = copies;
		set(OVERHEAD_KERNEL, KERNELS, (least.least + kernels.middle) / 2,
		    (kernels.middle - least.least) / 2 / SQUARE_ROOT_OF_3);
		set(OVERHEAD_COPY, AFTER_COPY, copies.middle, copies.error);
	}
}

/* Uses what was queued once it has ended; `last`: now or never. */
static void evaluate(bool last)
{
	bool late = last ||
		    (++polls >= LEAST_POLLS && clock_ns(CLOCK_MONOTONIC) - queued_at >= MOST_NS);
	bool complete = records[0] >= (int)OPERATIONS && records[1] >= (int)OPERATIONS;
	CUresult result;

	if (!context_use(context)) {
		state = DONE;
		return;
	}
	result = driver.cuEventQuery(last_event());
	/* No records come any more if the program has ended CUPTI. */
	if (result == CUDA_ERROR_NOT_READY || (records_come && mode_is_cupti() && !complete)) {
		if (!late)
			return;
	}
	if (result == CUDA_SUCCESS)
		kernels_known = self_timing_beyond(events[KERNELS], FEW, 1, &kernels);
	if (result == CUDA_SUCCESS && complete)
		use_records();
	else if (result == CUDA_SUCCESS)
		use_readings();
	done();
}

void calibration_update(bool idle)
{
	if (state == QUEUED)
		evaluate(false);
	else if (state == WAITING && idle && mode_events && !capture_is_live())
		begin();
}

/* Until the event was reached; false if it was not by the end. */
static bool await(CUevent event, uint64_t end)
{
	while (polls++ < LEAST_POLLS || clock_ns(CLOCK_MONOTONIC) < end) {
		if (!context_use(context))
			return false;
		if (driver.cuEventQuery(event) != CUDA_ERROR_NOT_READY)
			return true;
		futex_sleep(POLL_NS);
	}
	return false;
}

/* Not where CUPTI was started or ended since: the two sides would differ by what it adds, and its
 * records could be taken for the program's. */
static void finish_queued(uint64_t end)
{
	if (queued_state != WAITING || !(state == QUEUED || kernels_known) ||
	    records_come != cupti_active() || !context_use(context))
		return;
	polls = 0;
	queued_state = queued_overhead_begin(stream, OPERATIONS) ? QUEUED : DONE;
	if (queued_state == QUEUED)
		await(queued_overhead_last(), end);
	else
		queued_overhead_end(true);
}

static void settle_queued(void)
{
	bool usable = queued_state == QUEUED && context_use(context);

	if (queued_state != QUEUED)
		return;
	if (usable && kernels_known && driver.cuEventQuery(queued_overhead_last()) == CUDA_SUCCESS)
		queued_overhead_take(&kernels);
	queued_overhead_end(usable);
	queued_state = DONE;
}

void calibration_finish(const struct context *ending, bool were_queued)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + MOST_NS;

	if (!mode_events || !mode_begun || capture_is_live())
		return;
	while (state == WAITING && usable_context() &&
	       (tries == 0 || clock_ns(CLOCK_MONOTONIC) < end))
		begin();
	if ((state != QUEUED || await(last_event(), end)) && were_queued &&
	    (!ending || ending == context))
		finish_queued(end);
}

void calibration_settle(void)
{
	if (state == QUEUED)
		evaluate(true);
	settle_queued();
}

bool calibration_take(const struct activity *activity)
{
	unsigned of = activity->kind == ACTIVITY_KERNEL ? 0 : 1;
	const struct own_stream *own = own_streams;
	int taken;

	/* CUPTI may have been started while the work was being queued. */
	if (stream && !records_come)
		ask_number();
	while (own < own_streams + own_count &&
	       (own->context != activity->context || own->stream != activity->stream))
		own++;
	if (own == own_streams + own_count)
		return false;
	if (!records_come || number != KNOWN || own != own_streams + own_count - 1)
		return true;
	taken = records[of]++;
	if (taken >= 0 && taken < (int)OPERATIONS)
		recorded[of][taken] = activity->end - activity->start;
	return true;
}

void calibration_context_ended(const struct context *ended)
{
	if (context != ended)
		return;
	/* Its handles are gone. */
	queued_overhead_end(false);
	queued_state = DONE;
	if (state == DONE)
		return;
	/* Another context may do. */
	queued_state = WAITING;
	for (unsigned i = 0; i < SERIES * PAIRS * 2; i++)
		(&events[0][0][0])[i] = NULL;
	stream = NULL;
	context = NULL;
	number = UNKNOWN;
	/* Records of its stream are not those of the next one. */
	records[0] = records[1] = (int)OPERATIONS;
	state = own_count < MOST_STREAMS ? WAITING : DONE;
}
