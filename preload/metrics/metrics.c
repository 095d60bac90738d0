/* SPDX-License-Identifier: MIT */
#include "preload/metrics/metrics.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/cupti.h"
#include "cupti/profiler/profiler.h"
#include "preload/base/atomics.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/run.h"
#include "preload/driver/driver.h"
#include "preload/handles/stream.h"
#include "preload/handles/operation.h"
#include "preload/launch/window.h"
#include "report/options/metrics.h"
#include "report/session/items.h"

/* Bounds memory: kernels on a device; counters of all metrics together. Chosen. */
#define KERNELS_MOST  1024
#define COUNTERS_MOST (METRIC_TERMS * METRICS_MOST)

struct metric_sum {
	uint64_t count;
	double minimum, maximum, total;
	struct metric_values *written; /* for the collector; NULL: not in the profile yet */
};

struct measured_kernel {
	struct operation *operation;
	int device;
	bool excluded;		  /* by its name it waits for other kernels to run beside it */
	bool changed;		  /* since it was written */
	uint64_t sets;		  /* how often all passes were collected */
	CUcontext context;	  /* of the passes in `image` */
	size_t pass;		  /* the next one */
	uint8_t *image;		  /* NULL: none has been collected */
	struct metric_sum sums[]; /* one for each metric */
};

/* Images of counters, for kernels of which some passes are collected: bounds memory. Chosen. */
#define IMAGES_MOST (64u << 20)
/* Launches whose counters were read, until the collector has seen their call records. Chosen: one
 * takes longer than the collector's period. */
#define MARKS	    64
/* How long the end of the run waits for a launch whose counters are being read. Chosen. */
#define END_WAIT_NS 1000000000u

/* What --metrics asks for. */
static struct {
	struct metric_list metrics;
	const char *counters[COUNTERS_MOST];
	size_t counter_count;
} asked;

/* What was measured. */
static struct {
	pthread_mutex_t lock; /* of the kernels and marks */
	struct measured_kernel *kernels[KERNELS_MOST];
	size_t kernel_count;
	/* Counters are read until this is cleared; `reason` is written before, once. */
	_Atomic bool active, refused;
	char reason[512];
	/* Used only by the thread whose launch runs alone. */
	struct profiler_device *devices[SESSION_DEVICES];
	size_t image_bytes;
	struct mark {
		const struct thread *thread;
		uint64_t ticks; /* during the call */
		enum metrics_part part;
	} marks[MARKS];
	_Atomic unsigned mark_count; /* changed under `lock` */
	uint64_t launches, ns;
} measured = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void stop(void)
{
	bool first = false;

	store_relaxed(&measured.active, false);
	/* Release: whoever sees this sees the reason. */
	atomic_compare_exchange_strong_explicit(&measured.refused, &first, true,
						memory_order_release, memory_order_relaxed);
}

static void list_counters(void)
{
	for (size_t i = 0; i < asked.metrics.count; i++)
		for (size_t j = 0; j < METRIC_TERMS && asked.metrics.metrics[i].terms[j].counter;
		     j++)
			asked.counters[asked.counter_count++] =
				asked.metrics.metrics[i].terms[j].counter;
}

void metrics_start(const char *cupti)
{
	int version = 0;

	if (!run.settings.metrics || metric_list_parse(&asked.metrics, run.settings.metrics,
						       measured.reason, sizeof(measured.reason)))
		return;
	list_counters();
	driver.cuDriverGetVersion(&version);
	if (cupti[0])
		snprintf(measured.reason, sizeof(measured.reason), "%s", cupti);
	if (cupti[0] || profiler_load(version, measured.reason, sizeof(measured.reason))) {
		stop();
		return;
	}
	store_relaxed(&measured.active, true);
	launches_take();
}

/* NCCL's kernels wait for those of other devices. */
static bool waits_for_others(const char *name)
{
	return strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel") ||
	       strstr(name, "nvshmem");
}

/* A kernel on a device, added if it is new; NULL if there is no room. For whoever holds `lock`. */
static struct measured_kernel *find_kernel(struct operation *operation, int device)
{
	struct measured_kernel *added;

	for (size_t i = 0; i < measured.kernel_count; i++)
		if (measured.kernels[i]->operation == operation &&
		    measured.kernels[i]->device == device)
			return measured.kernels[i];
	if (measured.kernel_count == KERNELS_MOST)
		return NULL;
	added = calloc(1, sizeof(*added) + asked.metrics.count * sizeof(added->sums[0]));
	if (!added)
		return NULL;
	added->operation = operation;
	added->device = device;
	added->excluded = waits_for_others(operation->name);
	measured.kernels[measured.kernel_count++] = added;
	return added;
}

/* Whether a kernel needs no more values. */
static bool is_done(const struct measured_kernel *kernel)
{
	return run.settings.metrics_launches && kernel->sets >= run.settings.metrics_launches;
}

static struct measured_kernel *kernel_of(const struct call *call)
{
	struct measured_kernel *kernel;
	struct operation *operation;
	CUdevice device = 0;

	if (driver.cuCtxGetDevice(&device) || device < 0 || device >= SESSION_DEVICES ||
	    !run_wants_device(device))
		return NULL;
	operation = operation_of_kernel(call->function);
	pthread_mutex_lock(&measured.lock);
	kernel = find_kernel(operation, device);
	if (kernel && (kernel->excluded || is_done(kernel)))
		kernel = NULL;
	pthread_mutex_unlock(&measured.lock);
	return kernel;
}

/* Whether the call in progress was not made inside of another: such inner calls have odd tokens. */
static bool is_outermost(uint32_t in_progress)
{
	return in_progress == COUNT_ONLY_CALL || (in_progress && !(in_progress & 1));
}

bool measure_wants(const struct call *call)
{
	int saved_errno = errno;
	bool wanted;

	if (!load_relaxed(&measured.active) || !thread_self ||
	    !is_outermost(thread_self->in_progress) || !lifecycle_running() || !window_is_open() ||
	    capture_is_live() || load_relaxed(&measured.mark_count) == MARKS)
		return false;
	wanted = kernel_of(call) != NULL;
	errno = saved_errno;
	return wanted;
}

/* Turns the recording of kernels off, as counters of instructions read 0 while it is on. False,
 * with a reason, if it cannot be turned off. */
static bool recording_stops(void)
{
	if (pause_is_refused()) {
		snprintf(measured.reason, sizeof(measured.reason),
			 "the program records kernels itself, as torch.profiler does: turn its own "
			 "profiler off");
		return false;
	}
	if (cupti_active() && !pause_is_safe()) {
		snprintf(measured.reason, sizeof(measured.reason),
			 "this CUPTI can hang the program when it stops recording kernels for "
			 "that; add --timer events");
		return false;
	}
	pause_kernels(PAUSE_FOR_COUNTERS, true);
	return true;
}

static bool plan_passes(int device, CUcontext context)
{
	return measured.devices[device] ||
	       !profiler_plan(&measured.devices[device], context, device, asked.counters,
			      asked.counter_count,
			      run.settings.metrics_replay == METRICS_REPLAY_KERNEL, measured.reason,
			      sizeof(measured.reason));
}

/* The image that the kernel's next pass goes into; false if there is no memory for it. */
static bool prepare_image(struct measured_kernel *kernel, CUcontext context)
{
	const struct profiler_device *device = measured.devices[kernel->device];
	size_t size = profiler_image_size(device);

	if (!kernel->image) {
		if (measured.image_bytes + size > IMAGES_MOST)
			return false;
		kernel->image = malloc(size);
		if (!kernel->image)
			return false;
		measured.image_bytes += size;
		kernel->pass = 0;
	}
	/* Counters of another context's launches are not put together with this one's. */
	if (kernel->context != context)
		kernel->pass = 0;
	kernel->context = context;
	if (kernel->pass == 0)
		profiler_image_clear(device, kernel->image);
	return true;
}

static void free_image(struct measured_kernel *kernel)
{
	if (!kernel->image)
		return;
	free(kernel->image);
	kernel->image = NULL;
	measured.image_bytes -= profiler_image_size(measured.devices[kernel->device]);
}

static CUresult wait_for_device(void)
{
	CUresult (*synchronize)(void) = (CUresult(*)(void))driver_entry(ENTRY_cuCtxSynchronize);

	return synchronize ? synchronize() : CUDA_ERROR_NOT_FOUND;
}

/* Waits until the device is idle and has CUPTI begin to count. False if it cannot; kernels are then
 * recorded as before. */
static bool begin(struct measure *measure, struct measured_kernel *kernel)
{
	if (driver.cuCtxGetCurrent(&measure->context) || wait_for_device())
		return false;
	if (!recording_stops()) {
		stop();
		return false;
	}
	if (!plan_passes(kernel->device, measure->context)) {
		stop();
	} else if (prepare_image(kernel, measure->context)) {
		if (!profiler_begin(measured.devices[kernel->device], measure->context,
				    kernel->image, kernel->pass))
			return true;
		profiler_reason(measured.reason, sizeof(measured.reason));
		stop();
	}
	pause_kernels(PAUSE_FOR_COUNTERS, false);
	return false;
}

void measure_begin(struct measure *measure, const struct call *call)
{
	uint64_t ticks = clock_ticks();
	struct measured_kernel *kernel;
	int saved_errno = errno;

	measure->kernel = NULL;
	measure->started = clock_ns(CLOCK_MONOTONIC);
	/* Asked again: while this launch waited for the others, counting may have ended, a capture
	 * may have begun, or the kernel may have got its last value. */
	kernel = load_relaxed(&measured.active) && !capture_is_live() ? kernel_of(call) : NULL;
	if (kernel) {
		/* Relaxed: what CUPTI does must not invalidate a capture that another thread begins
		 * meanwhile. */
		measure->capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
		driver.cuThreadExchangeStreamCaptureMode(&measure->capture_mode);
		if (begin(measure, kernel))
			measure->kernel = kernel;
		else
			driver.cuThreadExchangeStreamCaptureMode(&measure->capture_mode);
		pthread_mutex_lock(&measured.lock);
		measured.marks[measured.mark_count++] = (struct mark){
			thread_self, ticks, measure->kernel ? METRICS_READ : METRICS_TRIED};
		pthread_mutex_unlock(&measured.lock);
	}
	errno = saved_errno;
}

static void add_value(struct metric_sum *sum, double value)
{
	if (!isfinite(value))
		return;
	if (sum->count == 0 || value < sum->minimum)
		sum->minimum = value;
	if (sum->count == 0 || value > sum->maximum)
		sum->maximum = value;
	sum->total += value;
	sum->count++;
}

/* Adds the values of the kernel's image. A metric of which a counter is missing (NAN) gets none. */
static void add_values(struct measured_kernel *kernel)
{
	double values[COUNTERS_MOST], *counter = values;

	if (profiler_values(measured.devices[kernel->device], kernel->image, values))
		return;
	pthread_mutex_lock(&measured.lock);
	for (size_t i = 0; i < asked.metrics.count; i++) {
		const struct metric_term *terms = asked.metrics.metrics[i].terms;
		double value = 0;

		for (size_t j = 0; j < METRIC_TERMS && terms[j].counter; j++)
			value += terms[j].factor * *counter++;
		add_value(&kernel->sums[i], value);
	}
	kernel->changed = true;
	pthread_mutex_unlock(&measured.lock);
}

void measure_end(struct measure *measure, bool launched)
{
	struct measured_kernel *kernel = measure->kernel;
	struct profiler_device *device = measured.devices[kernel->device];
	int saved_errno = errno;
	bool collected = !profiler_end(device) && launched;

	pause_kernels(PAUSE_FOR_COUNTERS, false);
	driver.cuThreadExchangeStreamCaptureMode(&measure->capture_mode);
	kernel->pass = collected ? kernel->pass + 1 : 0;
	if (kernel->pass == profiler_passes(device)) {
		add_values(kernel);
		kernel->pass = 0;
		pthread_mutex_lock(&measured.lock);
		kernel->sets++;
		pthread_mutex_unlock(&measured.lock);
		if (is_done(kernel))
			free_image(kernel);
	}
	pthread_mutex_lock(&measured.lock);
	measured.launches += collected;
	measured.ns += clock_ns(CLOCK_MONOTONIC) - measure->started;
	pthread_mutex_unlock(&measured.lock);
	errno = saved_errno;
}

enum metrics_part metrics_part_of(const struct thread *thread, const struct call_record *record)
{
	enum metrics_part part = METRICS_NONE;
	unsigned left = 0;

	if (load_relaxed(&measured.mark_count) == 0)
		return METRICS_NONE;
	pthread_mutex_lock(&measured.lock);
	for (unsigned i = 0; i < measured.mark_count; i++) {
		const struct mark *mark = &measured.marks[i];
		bool is_of_thread = mark->thread == thread;

		/* A mark from before this record belongs to a call without one: it is dropped. */
		if (is_of_thread && mark->ticks >= record->started &&
		    mark->ticks - record->started <= record->duration)
			part = mark->part;
		else if (!is_of_thread || mark->ticks > record->started)
			measured.marks[left++] = *mark;
	}
	measured.mark_count = left;
	pthread_mutex_unlock(&measured.lock);
	return part;
}

static void write_kernel(struct measured_kernel *kernel)
{
	struct row *row =
		session_row(run.session, ROW_KERNEL, kernel->operation->name, kernel->device);

	for (size_t i = 0; row && i < asked.metrics.count; i++) {
		const struct metric *metric = &asked.metrics.metrics[i];
		struct metric_sum *sum = &kernel->sums[i];

		if (!sum->written)
			sum->written = session_add_metric(run.session, row, metric->name,
							  metric->description, metric->unit);
		if (!sum->written)
			return;
		sum->written->minimum = sum->minimum;
		sum->written->maximum = sum->maximum;
		sum->written->total = sum->total;
		sum->written->known = sum->count ? MINIMUM_KNOWN | MAXIMUM_KNOWN : 0;
		__atomic_store_n(&sum->written->count, sum->count, __ATOMIC_RELEASE);
	}
	kernel->changed = false;
}

void metrics_update(void)
{
	if (!run.settings.metrics)
		return;
	/* Acquire: the reason was written before. */
	if (load_acquire(&measured.refused))
		session_note(run.session, "Counters were not read%s: %s.",
			     measured.launches ? " from some moment on" : "", measured.reason);
	pthread_mutex_lock(&measured.lock);
	for (size_t i = 0; i < measured.kernel_count; i++)
		if (measured.kernels[i]->changed)
			write_kernel(measured.kernels[i]);
	run.header->counters[COUNTER_metric_launches] = measured.launches;
	run.header->counters[COUNTER_metric_ns] = measured.ns;
	pthread_mutex_unlock(&measured.lock);
}

/* Adds a line to the report that says in how many passes the values were collected. */
static void note_passes(void)
{
	size_t passes = 0;

	for (int i = 0; i < SESSION_DEVICES; i++)
		if (measured.devices[i] && profiler_config_passes(measured.devices[i]) > passes)
			passes = profiler_config_passes(measured.devices[i]);
	if (passes < 2 || measured.launches == 0)
		return;
	if (run.settings.metrics_replay == METRICS_REPLAY_KERNEL)
		session_note(run.session,
			     "The counters take %zu passes: each launch whose counters were read "
			     "was run again for each.",
			     passes);
	else
		session_note(
			run.session,
			"The counters take %zu passes, one a launch: a value may be of several "
			"launches, and a kernel with fewer launches lacks metrics "
			"(--metrics-replay kernel).",
			passes);
}

void metrics_finish(void)
{
	if (!run.settings.metrics)
		return;
	if (launches_keep_out(lifecycle_ending() ? 0 : END_WAIT_NS)) {
		store_relaxed(&measured.active, false);
		for (size_t i = 0; i < measured.kernel_count; i++)
			if (measured.kernels[i]->image && measured.kernels[i]->pass > 0 &&
			    measured.kernels[i]->sets == 0)
				add_values(measured.kernels[i]);
		note_passes();
		launches_let_in();
	}
	metrics_update();
}
