/* SPDX-License-Identifier: MIT */
#include "preload/events/gates.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/handles/stream.h"

/* How many polls, a millisecond apart, a gate may be closed. A launch takes 5 to 10 us; one that
 * takes this long waits for the device. Chosen. */
#define MOST_POLLS 5u
/* How long the reporter goes on polling after the last use. Chosen. */
#define USED_NS	   1000000000u

_Static_assert(sizeof(struct gate_words) == 4096, "a page");

struct gate gates[GATE_THREADS];

static void (*_Atomic wake_reporter)(void);
_Atomic uint64_t gates_forced;

/* For the reporter. */
static struct {
	/* What it saw at the last poll. */
	struct {
		const struct gate_word *closed;
		uint32_t value, uses;
		unsigned polls;
	} gates[GATE_THREADS];
	uint64_t last_use;
} watch;

void gate_start_watch(void (*wake)(void))
{
	/* Release: a thread that sees the function may call it. */
	store_release(&wake_reporter, wake);
}

void gate_wake_watch(void)
{
	void (*wake)(void) = load_acquire(&wake_reporter);

	if (wake &&
	    !atomic_exchange_explicit(&launch_state.gates_watched, true, memory_order_seq_cst))
		wake();
}

/* The value before is compared: the thread may have opened the gate, and closed it again, since it
 * was read. */
static void force_open(struct gate_word *of, uint32_t value)
{
	uint32_t before = value - 1;

	if (atomic_compare_exchange_strong_explicit(&of->word, &before, value, memory_order_release,
						    memory_order_relaxed))
		add_relaxed(&gates_forced, 1);
}

/* Returns whether the gate was used since the last poll. */
static bool poll_gate(unsigned index)
{
	struct gate_word *closed = atomic_load_explicit(&gates[index].closed, memory_order_seq_cst);
	uint32_t value = load_relaxed(&gates[index].value);
	uint32_t uses = load_relaxed(&gates[index].uses);
	bool used = uses != watch.gates[index].uses;

	if (!closed || closed != watch.gates[index].closed || value != watch.gates[index].value)
		watch.gates[index].polls = 0;
	else if (++watch.gates[index].polls >= MOST_POLLS)
		force_open(closed, value);
	watch.gates[index].closed = closed;
	watch.gates[index].value = value;
	watch.gates[index].uses = uses;
	return used || closed;
}

static bool poll_all(void)
{
	bool used = false;

	for (unsigned i = 0; i < GATE_THREADS; i++)
		used |= poll_gate(i);
	return used;
}

bool gate_watch(uint64_t now)
{
	if (!atomic_load_explicit(&launch_state.gates_watched, memory_order_seq_cst))
		return false;
	if (poll_all())
		watch.last_use = now;
	if (now - watch.last_use < USED_NS)
		return true;
	atomic_store_explicit(&launch_state.gates_watched, false, memory_order_seq_cst);
	/* A gate may have been closed before its thread could see that the watch ends. */
	if (!poll_all())
		return false;
	watch.last_use = now;
	atomic_store_explicit(&launch_state.gates_watched, true, memory_order_seq_cst);
	return true;
}

void gate_open_all(void)
{
	for (unsigned i = 0; i < GATE_THREADS; i++) {
		struct gate_word *closed =
			atomic_load_explicit(&gates[i].closed, memory_order_seq_cst);

		if (closed)
			force_open(closed, load_relaxed(&gates[i].value));
	}
}

struct gate *gate_take(void)
{
	bool taken;

	for (unsigned i = 0; i < GATE_THREADS && load_relaxed(&wake_reporter); i++) {
		taken = false;
		/* Acquire: the gate is as its last thread left it. */
		if (atomic_compare_exchange_strong_explicit(&gates[i].taken, &taken, true,
							    memory_order_acquire,
							    memory_order_relaxed))
			return &gates[i];
	}
	return NULL;
}

void gate_give(struct gate *gate)
{
	/* Closed still if the thread left a wrapper by longjmp or was cancelled there. */
	if (load_relaxed(&gate->closed))
		gate_open(gate);
	store_release(&gate->taken, false);
}

/* How long an idle stream may take to come to a gate or to go on behind it, and how long it must be
 * seen waiting: an H200 takes 5 us. Chosen. */
#define MOST_NS		100000u
#define HELD_NS		20000u
/* At least this many polls, as the thread may get no processor for longer. Chosen. */
#define LEAST_POLLS	16u

/* The longest wait for the spare thread at the end of a context. Chosen. */
#define CONTEXT_WAIT_NS 2000000000u

/* Of the contexts; the collector is woken for one that has none. */
static struct {
	void (*wake_collector)(void);
	/* Pages of ended contexts, for the next ones. Never unmapped: a thread may still write to
	 * them. The spare thread's while it is in a call, else the collector's. */
	struct gate_words *spare[16];
	unsigned spare_count;
} pages;

void context_gates_allow(void (*wake)(void))
{
	pages.wake_collector = wake;
}

bool context_gates_allowed(void)
{
	return pages.wake_collector;
}

void context_gates_expect(const struct context *context)
{
	/* In time for the first launch, before which the stream has nothing to do. */
	if (pages.wake_collector && !load_relaxed(&context->gates_asked))
		pages.wake_collector();
}

void context_gates_turn_off(struct context *context, enum gates_off why)
{
	store_relaxed(&context->gates, NULL);
	store_relaxed(&context->gates_off, why);
}

void context_gates_late(struct context *context)
{
	if (add_relaxed(&context->gates_late, 1) + 1 >= GATES_LATE_MOST)
		context_gates_turn_off(context, GATES_LATE);
}

/* What a test uses. */
struct test {
	CUstream stream;
	CUevent event;
	struct gate *gate;
	struct gate_words *words;
	CUdeviceptr address;
};

static struct gate_word *word_of(const struct test *test)
{
	return &test->words->of[test->gate - gates];
}

/* Puts the gate's wait into the stream, and the event behind it. */
static CUresult put(const struct test *test, uint32_t value)
{
	CUresult result;

	store_relaxed(&word_of(test)->arrived[value % GATE_ARRIVALS], value - 1);
	result = gate_wait(test->stream, test->address, test->gate, value);
	return result == CUDA_SUCCESS ? driver.cuEventRecord(test->event, test->stream) : result;
}

/* What the driver says of the event once the stream has come to it, or should have. */
static CUresult await_event(const struct test *test)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + MOST_NS;
	CUresult result;

	for (unsigned polls = 1;; polls++) {
		result = driver.cuEventQuery(test->event);
		if (result != CUDA_ERROR_NOT_READY ||
		    (polls >= LEAST_POLLS && clock_ns(CLOCK_MONOTONIC) >= end))
			return result;
	}
}

static bool await_arrival(const struct test *test, uint32_t value)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + MOST_NS;

	while (!gate_was_reached(word_of(test), value) && clock_ns(CLOCK_MONOTONIC) < end)
		;
	return gate_was_reached(word_of(test), value);
}

/* Whether the stream waits at the closed gate, for a moment. */
static bool is_held(const struct test *test)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + HELD_NS;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
	return driver.cuEventQuery(test->event) == CUDA_ERROR_NOT_READY;
}

enum outcome { WORKS, FAILS, LATE, PUT_OFF };

/*
 * Whether a stream says that it has come to a gate, waits there, and goes on once the host has
 * opened it. No device can be held for good by that: it is given a gate that is open, by the value
 * that the word has had since the device could read it, and comes past it. Then the host writes the
 * value before that one, which closes the gate. A device that does not see what the host writes
 * finds it open still; a device that was seen waiting has seen the closing store, and so will see
 * the opening one.
 *
 * The reporter thread opens this gate too after a while, as this thread may get no processor.
 */
static enum outcome try_gate(const struct test *test)
{
	struct gate_word *of = word_of(test);
	uint32_t value = load_relaxed(&of->word);
	bool arrived = false, held = false;
	CUresult result;

	if (driver.cuStreamQuery_ptsz(test->stream) != CUDA_SUCCESS)
		return PUT_OFF;
	result = put(test, value);
	if (result == CUDA_SUCCESS)
		result = await_event(test);
	/* Another thread's work has come between, or another process's. */
	if (result == CUDA_ERROR_NOT_READY)
		return LATE;
	if (result != CUDA_SUCCESS || !gate_was_reached(of, value))
		return FAILS;
	store_relaxed(&of->word, value - 1);
	gate_close(test->gate, test->words);
	result = put(test, value);
	if (result == CUDA_SUCCESS) {
		arrived = await_arrival(test, value);
		held = arrived && is_held(test);
	}
	if (!gate_open(test->gate))
		return LATE;
	if (result != CUDA_SUCCESS)
		return FAILS;
	if (!arrived)
		return LATE;
	return held && await_event(test) == CUDA_SUCCESS ? WORKS : FAILS;
}

bool context_gates_try(const struct stream *stream, struct gate *gate, CUevent event)
{
	struct context *context = stream->context;
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	/* Acquire: with their address. */
	struct gate_words *words =
		atomic_exchange_explicit(&context->gates_untried, NULL, memory_order_acquire);
	struct test test = {stream->handle, event, gate, words, 0};
	enum outcome outcome;

	if (!words)
		return false;
	test.address = context->gate_address;
	/* Another thread may begin a capture that a query would break. */
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	outcome = try_gate(&test);
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (outcome == LATE)
		context_gates_late(context);
	if (outcome == FAILS)
		context_gates_turn_off(context, GATES_FAIL);
	/* Release: a thread that sees the words sees their address. */
	else if (outcome == WORKS)
		store_release(&context->gates, words);
	else if (load_relaxed(&context->gates_off) == GATES_ON)
		store_release(&context->gates_untried, words);
	return outcome != PUT_OFF;
}

static bool register_words(struct gate_words *words)
{
	return driver.cuMemHostRegister_v2(words, sizeof(*words), CU_MEMHOSTREGISTER_DEVICEMAP) ==
	       CUDA_SUCCESS;
}

/* Registered for the current context alone: a page that several contexts share would be gone with
 * the first of them. One of an ended context is left if the driver still holds it. */
static struct gate_words *registered_words(void)
{
	struct gate_words *words;

	while (pages.spare_count > 0) {
		words = pages.spare[--pages.spare_count];
		if (register_words(words))
			return words;
	}
	/* Shared memory, as in a child of fork the private kind would be copied away from the
	 * device. */
	words = mmap(NULL, sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (words == MAP_FAILED)
		return NULL;
	if (register_words(words))
		return words;
	munmap(words, sizeof(*words));
	return NULL;
}

/*
 * On the spare thread: among 16 threads that launched without a pause such calls waited 1.2 s for
 * the driver's lock (H200), and CUPTI's full buffers lay unread for that long.
 */
static void make_page(void *argument)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	struct context *context = argument;

	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (driver.cuCtxSetCurrent(context->handle) == CUDA_SUCCESS)
		context->gate_page = registered_words();
	/* Release: a thread that sees the words sees their address. */
	if (context->gate_page &&
	    driver.cuMemHostGetDevicePointer_v2(&context->gate_address, context->gate_page, 0) ==
		    CUDA_SUCCESS)
		store_release(&context->gates_untried, context->gate_page);
	else
		context_gates_turn_off(context, GATES_FAIL);
	driver.cuCtxSetCurrent(NULL);
}

static bool lacks_page(const struct context *context)
{
	return !load_relaxed(&context->gates_asked) && context->reported &&
	       !load_acquire(&context->ended);
}

/* Has the spare thread make a context's page. It makes one at a time; other contexts get theirs in
 * a later period. */
static void ask_for_page(struct context *context)
{
	int error = spare_thread_call(make_page, context);

	store_relaxed(&context->gates_asked, error != -EBUSY);
	if (error && error != -EBUSY)
		context_gates_turn_off(context, GATES_NO_THREAD);
}

static void note_all(void)
{
	static const char *const reasons[] = {
		[GATES_FAIL] = "this device or driver cannot hold a stream",
		[GATES_REFUSED] = "the driver refused to hold a stream",
		[GATES_LATE] = "calls waited for the device behind them",
		[GATES_NO_THREAD] = "no thread could be made to try it",
	};

	run.header->counters[COUNTER_gates_forced] = gates_forced;
	for (struct context *context = context_first(); context; context = context->next) {
		enum gates_off why = load_relaxed(&context->gates_off);

		/* Where CUPTI times every operation the table has no times by events. */
		if (why == GATES_ON || context->gates_warned ||
		    (plan_is_cupti() && plan_is_complete()))
			continue;
		context->gates_warned = true;
		session_note(run.session,
			     "Event pairs are not gated, as %s: their times may include waits for "
			     "the host.",
			     reasons[why]);
	}
}

void context_gates_update(void)
{
	bool possible = pages.wake_collector && launch_state.events && plan.begun &&
			driver.cuStreamBatchMemOp_v2 && driver.cuMemHostRegister_v2 &&
			driver.cuMemHostGetDevicePointer_v2 && !capture_is_live();

	for (struct context *context = context_first(); possible && context;
	     context = context->next)
		if (lacks_page(context))
			ask_for_page(context);
	note_all();
}

void context_gates_finish(uint64_t wait)
{
	spare_thread_wait(clock_ns(CLOCK_MONOTONIC) + wait);
	note_all();
}

void context_gates_end(struct context *context)
{
	note_all();
	/* Else it still uses the pages. */
	if (!spare_thread_wait(clock_ns(CLOCK_MONOTONIC) + CONTEXT_WAIT_NS))
		return;
	store_relaxed(&context->gates, NULL);
	store_relaxed(&context->gates_untried, NULL);
	if (context->gate_page && pages.spare_count < sizeof(pages.spare) / sizeof(pages.spare[0]))
		pages.spare[pages.spare_count++] = context->gate_page;
	context->gate_page = NULL;
}
