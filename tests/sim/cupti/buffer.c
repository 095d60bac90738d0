/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/cupti/buffer.h"
#include "tests/sim/cupti/driver.h"
#include "tests/sim/cupti/kinds.h"
#include "tests/sim/cupti/state.h"

enum {
	OVERHEAD_NS = 5000,
};

#define END_LOST (UINT64_MAX - 1)

struct buffer {
	pthread_t thread; /* that fills it */
	uint8_t *data;
	size_t size, used;
	size_t records, records_max;
	uint64_t end_ns; /* when all in it is finished */
	struct buffer *next;
};

/* Held while the tool's callback runs, so that buffers go back in order. */
static pthread_mutex_t delivery = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* From CUPTI 13 on each thread fills a buffer of its own. */
static struct buffer *part_filled_list;
static struct buffer *full; /* oldest first */
static uint32_t period_ms;
static bool overhead_wanted;
static bool thread_running;

/* Where the layout of a kind has its times; no times: end is 0. */
static const struct {
	CUpti_ActivityKind kind;
	size_t size, start, end;
} layouts[] = {
#define X(kind, type)                                                                              \
	{CUPTI_ACTIVITY_KIND_##kind, sizeof(type), offsetof(type, start), offsetof(type, end)},
	RECORD_KINDS(X)
#undef X
		{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
		 sizeof(CUpti_ActivityExternalCorrelation), 0, 0},
	{CUPTI_ACTIVITY_KIND_MARKER, sizeof(CUpti_ActivityMarker2), 0, 0},
	{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization), 0, 0},
};

CUptiResult buffer_next_record(uint8_t *buffer, size_t size, CUpti_Activity **record)
{
	uint8_t *next = buffer;

	if (!buffer || !record)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; *record && i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].kind == (*record)->kind)
			next = (uint8_t *)*record + layouts[i].size;
	}
	if (*record && next == buffer)
		return CUPTI_ERROR_INVALID_KIND;
	if (next >= buffer + size)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

static void lose_ends(struct buffer *buffer, uint32_t correlation)
{
	CUpti_Activity *record = NULL;

	while (buffer_next_record(buffer->data, buffer->used, &record) == CUPTI_SUCCESS) {
		CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *)record;

		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
		    kernel->correlationId == correlation)
			kernel->end = END_LOST;
	}
}

void buffer_lose_ends(uint32_t correlation)
{
	pthread_mutex_lock(&lock);
	for (struct buffer *buffer = part_filled_list; buffer; buffer = buffer->next)
		lose_ends(buffer, correlation);
	for (struct buffer *buffer = full; buffer; buffer = buffer->next)
		lose_ends(buffer, correlation);
	pthread_mutex_unlock(&lock);
}

/* Work that is not finished at a forced flush has no times. A call is over once it has a record. */
static void take_times(struct buffer *buffer, uint64_t now)
{
	CUpti_Activity *record = NULL;
	uint64_t *start, *end;

	while (buffer_next_record(buffer->data, buffer->used, &record) == CUPTI_SUCCESS) {
		for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
			if (layouts[i].kind != record->kind || !layouts[i].end ||
			    record->kind == CUPTI_ACTIVITY_KIND_DRIVER ||
			    record->kind == CUPTI_ACTIVITY_KIND_RUNTIME)
				continue;
			start = (uint64_t *)((uint8_t *)record + layouts[i].start);
			end = (uint64_t *)((uint8_t *)record + layouts[i].end);
			if (*end == END_LOST)
				*end = now;
			if (*end > now)
				*start = *end = 0;
		}
	}
}

static void append(struct buffer *buffer, const void *record, size_t size, uint64_t end_ns)
{
	memcpy(buffer->data + buffer->used, record, size);
	buffer->used += size;
	buffer->records++;
	if (buffer->end_ns < end_ns)
		buffer->end_ns = end_ns;
}

static void add_overhead(struct buffer *buffer, uint64_t now)
{
	CUpti_ActivityOverhead3 record = {
		.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
		.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
		.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
		.objectId.pt = {getpid(), pthread_self()},
		.start = now,
		.end = now + OVERHEAD_NS,
	};

	if (overhead_wanted && buffer->size - buffer->used >= sizeof(record))
		append(buffer, &record, sizeof(record), 0);
}

static void hand_back(struct buffer *buffer)
{
	sim_cupti.completed(NULL, 0, buffer->data, buffer->size, buffer->used);
	free(buffer);
}

/* SIM_CUPTI_REVERSE: the newest first, at flushes alone. */
static bool reversed(void)
{
	return getenv("SIM_CUPTI_REVERSE");
}

/* The place of the next buffer of a list that may go back; *waiting: some other must wait. */
static struct buffer **find_finished(struct buffer **list, uint64_t now, bool forced, bool *waiting)
{
	struct buffer **link, **found = NULL;

	for (link = list; *link; link = &(*link)->next) {
		if (!(*link)->used)
			continue;
		if (!forced && (*link)->end_ns > now)
			*waiting = true;
		else if (!found || reversed())
			found = link;
	}
	return found;
}

/* Takes the next buffer that may go back; *waiting: some other must wait for the device. */
static struct buffer *take(uint64_t now, bool part_filled, bool forced, bool *waiting)
{
	struct buffer **found = find_finished(&full, now, forced, waiting);
	struct buffer *buffer;

	if (!found && part_filled)
		found = find_finished(&part_filled_list, now, forced, waiting);
	if (!found)
		return NULL;
	buffer = *found;
	*found = buffer->next;
	buffer->next = NULL;
	return buffer;
}

static void deliver(bool part_filled, bool forced)
{
	const struct cupti_driver *driver = cupti_driver();
	struct buffer *buffer;
	bool waiting = false;
	uint64_t now;

	if (!driver)
		return;
	pthread_mutex_lock(&delivery);
	do {
		now = driver->sim_activity_device_ns(false);
		pthread_mutex_lock(&lock);
		buffer = sim_cupti.completed ? take(now, part_filled, forced, &waiting) : NULL;
		if (buffer) {
			take_times(buffer, now);
			add_overhead(buffer, now);
		}
		pthread_mutex_unlock(&lock);
		if (buffer)
			hand_back(buffer);
	} while (buffer);
	pthread_mutex_unlock(&delivery);
	if (waiting)
		driver->sim_activity_device_ns(true);
}

static void wait_for_change(void)
{
	struct timespec until;

	if (!period_ms) {
		pthread_cond_wait(&changed, &lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += period_ms / 1000;
	until.tv_nsec += period_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_cond_timedwait(&changed, &lock, &until);
}

static sem_t begun;

static void *run(void *unused)
{
	bool part_filled;

	(void)unused;
	sem_post(&begun);
	for (;;) {
		pthread_mutex_lock(&lock);
		wait_for_change();
		part_filled = period_ms;
		pthread_mutex_unlock(&lock);
		if (!reversed())
			deliver(part_filled, false);
	}
	return NULL;
}

/* SIM_CUPTI_NAMED: the thread has a name of its own before the tool goes on. */
static void start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	char name[32] = "";

	if (thread_running || sim_cupti.driver)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	prctl(PR_GET_NAME, name);
	if (getenv("SIM_CUPTI_NAMED"))
		prctl(PR_SET_NAME, "simulated");
	thread_running = !pthread_create(&thread, NULL, run, NULL);
	prctl(PR_SET_NAME, name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!thread_running)
		return;
	pthread_detach(thread);
	/* Until it runs libc makes system calls for it, which the program may soon refuse. */
	while (sem_wait(&begun) < 0)
		;
}

void buffer_set_callbacks(CUpti_BuffersCallbackRequestFunc requested,
			  CUpti_BuffersCallbackCompleteFunc completed)
{
	pthread_mutex_lock(&lock);
	sim_cupti.requested = requested;
	sim_cupti.completed = completed;
	start_thread();
	pthread_mutex_unlock(&lock);
}

/* The last registration also gets the buffers that an earlier one gave. */
static struct buffer *request_buffer(void)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer || !sim_cupti.requested)
		goto none;
	sim_cupti.requested(&buffer->data, &buffer->size, &buffer->records_max);
	if (!buffer->data || !buffer->size)
		goto none;
	for (size_t i = 0; sim_cupti.driver && i < buffer->size; i++) {
		if (buffer->data[i]) {
			sim_cupti.dirty++;
			break;
		}
	}
	return buffer;
none:
	free(buffer);
	return NULL;
}

static bool has_room(const struct buffer *buffer, size_t size)
{
	size_t reserve = overhead_wanted ? sizeof(CUpti_ActivityOverhead3) : 0;

	return buffer->used + size + reserve <= buffer->size &&
	       (!buffer->records_max || buffer->records < buffer->records_max);
}

bool buffer_by_thread(void)
{
	uint32_t version = 0;

	cuptiGetVersion(&version);
	return version >= 130000 && !sim_cupti.shared_buffers;
}

/* The link to the calling thread's buffer, or to the list's end; before CUPTI 13 there is one. */
static struct buffer **own_buffer(void)
{
	struct buffer **link = &part_filled_list;

	while (*link && buffer_by_thread() && !pthread_equal((*link)->thread, pthread_self()))
		link = &(*link)->next;
	return link;
}

static void set_full(struct buffer **link)
{
	struct buffer *buffer = *link, **last = &full;

	while (*last)
		last = &(*last)->next;
	*link = buffer->next;
	buffer->next = NULL;
	*last = buffer;
	pthread_cond_signal(&changed);
}

void buffer_add(const void *record, size_t size, uint64_t end_ns)
{
	struct buffer **own;

	pthread_mutex_lock(&lock);
	own = own_buffer();
	if (*own && !has_room(*own, size)) {
		set_full(own);
		if (sim_cupti.driver) {
			pthread_mutex_unlock(&lock);
			deliver(false, false);
			pthread_mutex_lock(&lock);
		}
		own = own_buffer();
	}
	if (!*own) {
		*own = request_buffer();
		if (*own)
			(*own)->thread = pthread_self();
	}
	if (*own && has_room(*own, size))
		append(*own, record, size, end_ns);
	else
		sim_cupti.dropped++;
	pthread_mutex_unlock(&lock);
}

void buffer_flush(bool forced)
{
	deliver(true, forced);
}

void buffer_flush_every(uint32_t milliseconds)
{
	pthread_mutex_lock(&lock);
	period_ms = milliseconds;
	start_thread();
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

size_t buffer_dropped(void)
{
	size_t count;

	pthread_mutex_lock(&lock);
	count = sim_cupti.dropped;
	sim_cupti.dropped = 0;
	pthread_mutex_unlock(&lock);
	return count;
}

void buffer_drop(void)
{
	pthread_mutex_lock(&lock);
	sim_cupti.dropped++;
	pthread_mutex_unlock(&lock);
}

void buffer_want_overhead(bool wanted)
{
	pthread_mutex_lock(&lock);
	overhead_wanted = wanted && !sim_cupti.driver;
	pthread_mutex_unlock(&lock);
}
