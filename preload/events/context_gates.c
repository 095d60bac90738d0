/* SPDX-License-Identifier: MIT */
#include "preload/events/context_gates.h"

#include <stddef.h>
#include <sys/mman.h>

#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/mode.h"
#include "preload/events/gate_wait.h"
#include "preload/handles/capture.h"

/* How long a stream must be seen waiting, and how long it may take to go on: a thousand times what
 * an H200 takes. Chosen. */
#define HELD_NS		100000u
#define OPENED_NS	5000000u
#define POLL_NS		20000u
/* At least this many polls, as the collector may get no processor for longer. Chosen. */
#define OPEN_POLLS	16u

/* The longest wait of the collector for a test: half of what a thread's ring holds. Chosen. */
#define TEST_WAIT_NS	10000000u
/* The longest wait at the end of its context. Chosen. */
#define CONTEXT_WAIT_NS 2000000000u

static bool allowed;
/* Pages of ended contexts, for the next ones. Never unmapped: a thread may still write to them. */
static struct gate_words *spare_words[16];
static unsigned spare_count;

void context_gates_allow(bool allow)
{
	allowed = allow;
}

bool context_gates_allowed(void)
{
	return allowed;
}

/* Shared memory, as in a child of fork the private kind would be copied away from the device. */
static struct gate_words *new_words(void)
{
	void *words = mmap(NULL, sizeof(struct gate_words), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return words == MAP_FAILED ? NULL : words;
}

/* How a context's test ended: LATE if the reporter had to open the gate. */
enum outcome { WORKS, FAILS, LATE };

/*
 * The test that is made at present, on the spare thread: among 16 threads that launched without a
 * pause it waited 1.2 s for the driver's lock (H200), and CUPTI's full buffers lay unread for that
 * long. While the spare thread is in the call, the rest and the pages are its own, else the
 * collector's.
 */
static struct context *tested; /* NULL: there is no outcome to be taken */
static enum outcome tested_outcome;

/* What the test uses, all of it ktime's own. */
struct test {
	CUresult (*create)(CUstream *, unsigned);
	CUresult (*destroy)(CUstream);
	CUstream stream, second;
	CUevent event;
	struct gate *gate;
	CUdeviceptr words;
	uint32_t value;
};

static bool is_done(const struct test *test)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + OPENED_NS;
	CUresult result;

	for (unsigned polls = 0;; polls++) {
		result = driver.cuEventQuery(test->event);
		if (result != CUDA_ERROR_NOT_READY)
			return result == CUDA_SUCCESS;
		if (polls >= OPEN_POLLS && clock_ns(CLOCK_MONOTONIC) >= end)
			return false;
		futex_sleep(POLL_NS);
	}
}

/* Lets a stream go on that did not see the host's store: from the device. */
static void release(struct test *test)
{
	if (driver.cuStreamWriteValue32_v2 &&
	    test->create(&test->second, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
	    driver.cuStreamWriteValue32_v2(test->second, test->words + gate_offset(test->gate),
					   test->value, 0) == CUDA_SUCCESS)
		is_done(test);
}

/*
 * Whether the stream says that it has arrived, waits for the word, and sees the host's store. A
 * gate that the reporter watches over, as the collector may not get the driver's lock to go on: a
 * launch that loads its module holds it while it waits for all work of the context, this stream's
 * too.
 */
static enum outcome wait_at(struct test *test, struct gate_words *words)
{
	const struct gate_word *of = &words->of[test->gate - gates];
	bool waits, held = false, arrived = false;

	test->value = gate_close(test->gate, words);
	waits = gate_wait(test->stream, test->words, test->gate, test->value) == CUDA_SUCCESS;
	if (waits && driver.cuEventRecord(test->event, test->stream) == CUDA_SUCCESS) {
		futex_sleep(HELD_NS);
		arrived = gate_was_reached(of, test->value);
		held = driver.cuEventQuery(test->event) == CUDA_ERROR_NOT_READY;
	}
	if (!gate_open(test->gate))
		return LATE;
	/* One that came to the gate later, as the device was busy, has proved nothing. */
	if (held && is_done(test))
		return arrived ? WORKS : gate_was_reached(of, test->value) ? LATE : FAILS;
	if (waits)
		release(test);
	return FAILS;
}

static enum outcome test_words(struct gate_words *words, CUdeviceptr address)
{
	struct test test = {
		.create = (CUresult(*)(CUstream *, unsigned))driver_entry(ENTRY_cuStreamCreate),
		.destroy = (CUresult(*)(CUstream))driver_entry(ENTRY_cuStreamDestroy_v2),
		.gate = gate_take(),
	};
	enum outcome outcome = FAILS;

	if (!test.gate)
		return LATE;
	test.words = address;
	if (test.create && test.destroy &&
	    test.create(&test.stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS) {
		if (driver.cuEventCreate(&test.event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) {
			outcome = wait_at(&test, words);
			driver.cuEventDestroy_v2(test.event);
		}
		if (test.second)
			test.destroy(test.second);
		test.destroy(test.stream);
	}
	gate_give(test.gate);
	return outcome;
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

	while (spare_count > 0) {
		words = spare_words[--spare_count];
		if (register_words(words))
			return words;
	}
	words = new_words();
	if (words && !register_words(words)) {
		munmap(words, sizeof(*words));
		words = NULL;
	}
	return words;
}

static enum outcome make(struct context *context)
{
	enum outcome outcome;

	if (!context->gate_page)
		context->gate_page = registered_words();
	if (!context->gate_page ||
	    driver.cuMemHostGetDevicePointer_v2(&context->gate_address, context->gate_page, 0) !=
		    CUDA_SUCCESS)
		return FAILS;
	outcome = test_words(context->gate_page, context->gate_address);
	if (outcome == WORKS)
		/* Release: a thread that sees the words sees their address. */
		atomic_store_explicit(&context->gates, context->gate_page, memory_order_release);
	return outcome;
}

static void warn(struct session *session, struct context *context, const char *why)
{
	context->gates_warned = true;
	session_note(
		session,
		"Event pairs are not gated, as %s: their times may include waits for the host.",
		why);
}

static void warn_if_off(struct session *session, struct context *context)
{
	bool late = atomic_load_explicit(&context->gates_forced, memory_order_relaxed) >=
		    GATES_FORCED_MOST;

	if (!context->gates_warned && context->gates_tried &&
	    !atomic_load_explicit(&context->gates, memory_order_relaxed))
		warn(session, context,
		     late ? "calls waited for the device behind them"
			  : "the driver refused to hold a stream");
}

static void note_all(struct session *session)
{
	session_header(session)->counters[COUNTER_gates_forced] = gate_forced();
	for (struct context *context = context_first(); context; context = context->next)
		warn_if_off(session, context);
}

static void run_test(void *unused)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	(void)unused;
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	tested_outcome = FAILS;
	if (driver.cuCtxSetCurrent(tested->handle) == CUDA_SUCCESS)
		tested_outcome = make(tested);
	driver.cuCtxSetCurrent(NULL);
}

/* Takes the outcome of a test, waiting so long for it; false if it goes on. */
static bool take_outcome(struct session *session, uint64_t wait)
{
	struct context *context = tested;

	if (!spare_thread_wait(clock_ns(CLOCK_MONOTONIC) + wait))
		return false;
	tested = NULL;
	if (!context)
		return true;
	context->gates_tried =
		tested_outcome != LATE ||
		atomic_fetch_add_explicit(&context->gates_forced, 1, memory_order_relaxed) + 1 >=
			GATES_FORCED_MOST;
	if (tested_outcome == FAILS)
		warn(session, context, "this device or driver cannot hold a stream");
	return true;
}

static void try_context(struct session *session, struct context *context)
{
	/* First, as the outcome may be this context's. */
	if (!take_outcome(session, 0) || context->gates_tried || !context->reported ||
	    capture_is_live() || !context_use(context))
		return;
	tested = context;
	if (spare_thread_call(run_test, NULL)) {
		context->gates_tried = true;
		tested = NULL;
		warn(session, context, "no thread could be made to try it");
	}
	take_outcome(session, TEST_WAIT_NS);
}

void context_gates_update(struct session *session)
{
	bool possible = allowed && mode_events && mode_begun && driver.cuStreamBatchMemOp_v2 &&
			driver.cuMemHostRegister_v2 && driver.cuMemHostGetDevicePointer_v2;

	for (struct context *context = context_first(); possible && context;
	     context = context->next)
		try_context(session, context);
	note_all(session);
}

void context_gates_finish(struct session *session, uint64_t wait)
{
	take_outcome(session, wait);
	note_all(session);
}

void context_gates_end(struct session *session, struct context *context)
{
	/* Else the test's thread still uses the pages. */
	if (!take_outcome(session, CONTEXT_WAIT_NS))
		return;
	atomic_store_explicit(&context->gates, NULL, memory_order_relaxed);
	if (context->gate_page && spare_count < sizeof(spare_words) / sizeof(spare_words[0]))
		spare_words[spare_count++] = context->gate_page;
	context->gate_page = NULL;
}
