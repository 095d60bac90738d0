/* SPDX-License-Identifier: MIT */
/* Whether a context's streams can be held: how it is tried, and what is made of each answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "preload/base/background_thread.h"
#include "preload/base/gate.h"
#include "preload/base/mode.h"
#include "preload/events/context_gates.h"
#include "preload/handles/capture.h"

struct driver driver;
void *_Atomic driver_entries[ENTRY_COUNT];
bool mode_events;
_Atomic bool mode_begun;
_Atomic int live_captures;

static struct session *session;
static struct context contexts[2];
static bool usable;

struct context *context_first(void)
{
	return &contexts[0];
}

/* A test that ends between two of the collector's steps. */
static void (*ends_meanwhile)(void);

bool context_use(struct context *context)
{
	void (*end)(void) = ends_meanwhile;

	assert_non_null(context);
	ends_meanwhile = NULL;
	if (end)
		end();
	return usable;
}

/* What was asked of the driver, a letter each, and which of them fail. */
static char order[200];
static const char *fails;

static CUresult result_of(char letter)
{
	size_t length = strlen(order);

	if (length + 1 < sizeof(order))
		order[length] = letter;
	return strchr(fails, letter) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static void is(const char *expected)
{
	assert_string_equal(order, expected);
	memset(order, 0, sizeof(order));
}

static struct gate_words *registered;

static CUresult register_memory(void *address, size_t bytes, unsigned flags)
{
	assert_int_equal(bytes, 4096);
	assert_int_equal(flags, CU_MEMHOSTREGISTER_DEVICEMAP);
	registered = address;
	return result_of('r');
}

static CUresult get_pointer(CUdeviceptr *pointer, void *address, unsigned flags)
{
	assert_non_null(address);
	assert_int_equal(flags, 0);
	*pointer = 0x10000;
	return result_of('p');
}

static uintptr_t streams_made;

static CUresult create_stream(CUstream *stream, unsigned flags)
{
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	*stream = (CUstream)(++streams_made);
	return result_of(streams_made == 1 ? 's' : 't');
}

static CUresult destroy_stream(CUstream stream)
{
	return result_of((uintptr_t)stream == 1 ? 'S' : 'T');
}

static CUresult create_event(CUevent *event, unsigned flags)
{
	assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
	*event = (CUevent)9;
	return result_of('e');
}

static CUresult destroy_event(CUevent event)
{
	assert_ptr_equal(event, (CUevent)9);
	return result_of('E');
}

static CUstream waiting;
static uint32_t waited_for;
static CUdeviceptr waited_at;
static bool reporter_opens;
/* Whether the stream writes that it has arrived; and only once the gate is open. */
static bool arrives, arrives_late;
static CUdeviceptr arrives_at;

static _Atomic uint32_t *word_at(CUdeviceptr address)
{
	return (_Atomic uint32_t *)((char *)registered + address - 0x10000);
}

static CUresult batch(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,
		      unsigned flags)
{
	const CUstreamBatchMemOpParams *write = &operations[0], *wait = &operations[1];

	assert_int_equal(count, 2);
	assert_int_equal(flags, 0);
	assert_int_equal(write->operation, CU_STREAM_MEM_OP_WRITE_VALUE_32);
	assert_int_equal(wait->operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
	assert_int_equal(wait->waitValue.flags, CU_STREAM_WAIT_VALUE_GEQ);
	assert_int_equal(write->writeValue.value, wait->waitValue.value);
	assert_int_equal(write->writeValue.address,
			 wait->waitValue.address + 4 + 4 * (write->writeValue.value % 8));
	arrives_at = write->writeValue.address;
	if (arrives && !arrives_late)
		atomic_store(word_at(write->writeValue.address), write->writeValue.value);
	waiting = stream;
	waited_for = wait->waitValue.value;
	waited_at = wait->waitValue.address;
	return result_of('w');
}

static CUresult record(CUevent event, CUstream stream)
{
	assert_ptr_equal(event, (CUevent)9);
	assert_ptr_equal(stream, waiting);
	if (reporter_opens)
		gate_open_all();
	return result_of('R');
}

/* A stream that is held goes on once the word is written, unless it does not see the store. */
static bool holds, sees;

static CUresult query(CUevent event)
{
	uint32_t word = atomic_load(word_at(waited_at));

	assert_ptr_equal(event, (CUevent)9);
	if (arrives && word == waited_for)
		atomic_store(word_at(arrives_at), waited_for);
	if (holds && (word != waited_for || !sees))
		return CUDA_ERROR_NOT_READY;
	return strchr(fails, 'q') ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static CUresult write_value(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags)
{
	assert_ptr_not_equal(stream, waiting);
	assert_int_equal(address, waited_at);
	assert_int_equal(value, waited_for);
	assert_int_equal(flags, 0);
	sees = true;
	return result_of('W');
}

static void wake(void)
{
}

/* The spare thread, whose call is here made at once, held back, or refused. */
static void (*held_back)(void *);
static bool holds_back, refuses_threads;

static void end_held_back(void)
{
	void (*function)(void *) = held_back;

	held_back = NULL;
	function(NULL);
}

int spare_thread_call(void (*function)(void *), void *argument)
{
	if (refuses_threads)
		return -EAGAIN;
	if (holds_back)
		held_back = function;
	else
		function(argument);
	return 0;
}

bool spare_thread_wait(uint64_t end)
{
	assert_true(end > 0);
	return !held_back;
}

static CUcontext thread_context;

static CUresult set_current(CUcontext context)
{
	thread_context = context;
	return strchr(fails, 'c') ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	assert_int_equal(*mode, CU_STREAM_CAPTURE_MODE_RELAXED);
	return CUDA_SUCCESS;
}

static int start(void **state)
{
	(void)state;
	if (session_create(&session, NULL, 0))
		return -1;
	driver.cuMemHostRegister_v2 = register_memory;
	driver.cuMemHostGetDevicePointer_v2 = get_pointer;
	driver.cuStreamBatchMemOp_v2 = batch;
	driver.cuStreamWriteValue32_v2 = write_value;
	driver.cuCtxSetCurrent = set_current;
	driver.cuThreadExchangeStreamCaptureMode = exchange_mode;
	driver.cuEventCreate = create_event;
	driver.cuEventDestroy_v2 = destroy_event;
	driver.cuEventRecord = record;
	driver.cuEventQuery = query;
	driver_entries[ENTRY_cuStreamCreate] = create_stream;
	driver_entries[ENTRY_cuStreamDestroy_v2] = destroy_stream;
	memset(contexts, 0, sizeof(contexts));
	contexts[0].reported = true;
	memset(order, 0, sizeof(order));
	fails = "";
	usable = holds = sees = arrives = mode_events = true;
	mode_begun = true;
	reporter_opens = arrives_late = holds_back = refuses_threads = false;
	thread_context = (CUcontext)5;
	streams_made = 0;
	atomic_store(&live_captures, 0);
	gate_start_watch(wake);
	context_gates_allow(true);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	context_gates_end(session, &contexts[0]);
	session_close(session);
	return 0;
}

static const char *noted(void)
{
	const struct session_header *header = session_header(session);

	assert_true(header->note_count <= 1);
	return header->note_count ? session_string(session, header->notes[0]) : "";
}

static void a_stream_that_waits_and_goes_on_gives_the_context_gates(void **state)
{
	struct gate *gate;

	(void)state;
	context_gates_update(session);
	is("rpsewRES");
	assert_ptr_equal(atomic_load(&contexts[0].gates), registered);
	assert_ptr_equal(contexts[0].gate_page, registered);
	assert_int_equal(contexts[0].gate_address, 0x10000);
	assert_true(contexts[0].gates_tried);
	assert_string_equal(noted(), "");
	/* Once, and its own gate is free again. */
	context_gates_update(session);
	is("");
	gate = gate_take();
	assert_ptr_equal(gate, &gates[0]);
	gate_give(gate);
}

static void a_test_that_waits_for_the_driver_holds_nothing_up(void **state)
{
	(void)state;
	contexts[0].next = &contexts[1];
	contexts[1].reported = true;
	holds_back = true;
	context_gates_update(session);
	context_gates_update(session);
	is("");
	assert_non_null(held_back);
	assert_false(contexts[0].gates_tried);
	/* It ends meanwhile; the next period takes the outcome and tries the next context. */
	holds_back = false;
	end_held_back();
	is("rpsewRES");
	assert_null(thread_context);
	streams_made = 0;
	context_gates_update(session);
	assert_true(contexts[0].gates_tried);
	assert_true(contexts[1].gates_tried);
	context_gates_end(session, &contexts[1]);
}

static void a_test_that_ends_while_the_next_context_is_looked_at_is_not_made_again(void **state)
{
	(void)state;
	holds_back = true;
	context_gates_update(session);
	holds_back = false;
	ends_meanwhile = end_held_back;
	context_gates_update(session);
	if (ends_meanwhile)
		ends_meanwhile();
	ends_meanwhile = NULL;
	context_gates_update(session);
	is("rpsewRES");
	assert_true(contexts[0].gates_tried);
}

static void a_context_that_cannot_be_used_or_tried_has_no_gates(void **state)
{
	(void)state;
	fails = "c";
	context_gates_update(session);
	is("");
	assert_true(contexts[0].gates_tried);
	assert_null(atomic_load(&contexts[0].gates));
	contexts[0].gates_tried = contexts[0].gates_warned = false;
	session_close(session);
	assert_int_equal(session_create(&session, NULL, 0), 0);
	refuses_threads = true;
	context_gates_update(session);
	assert_true(contexts[0].gates_tried);
	assert_string_equal(noted(),
			    "Event pairs are not gated, as no thread could be made to try it: "
			    "their times may include waits for the host.");
}

static void of_several_contexts_each_has_a_page(void **state)
{
	struct gate_words *second;

	(void)state;
	contexts[0].next = &contexts[1];
	contexts[1].reported = true;
	context_gates_update(session);
	second = contexts[1].gate_page;
	assert_non_null(second);
	assert_ptr_not_equal(contexts[1].gate_page, contexts[0].gate_page);
	context_gates_end(session, &contexts[1]);
	assert_null(contexts[1].gate_page);
	assert_null(atomic_load(&contexts[1].gates));
	/* The next context gets that one. */
	contexts[1].gates_tried = false;
	context_gates_update(session);
	assert_ptr_equal(contexts[1].gate_page, second);
	context_gates_end(session, &contexts[1]);
}

static void where_gates_are_not_wanted_nothing_is_tried(void **state)
{
	(void)state;
	context_gates_allow(false);
	context_gates_update(session);
	context_gates_allow(true);
	/* Nor before the profiling window has opened for the first time. */
	mode_begun = false;
	context_gates_update(session);
	mode_begun = true;
	mode_events = false;
	context_gates_update(session);
	mode_events = true;
	driver.cuStreamBatchMemOp_v2 = NULL;
	context_gates_update(session);
	driver.cuStreamBatchMemOp_v2 = batch;
	driver.cuMemHostRegister_v2 = NULL;
	context_gates_update(session);
	driver.cuMemHostRegister_v2 = register_memory;
	driver.cuMemHostGetDevicePointer_v2 = NULL;
	context_gates_update(session);
	driver.cuMemHostGetDevicePointer_v2 = get_pointer;
	contexts[0].reported = false;
	context_gates_update(session);
	contexts[0].reported = true;
	usable = false;
	context_gates_update(session);
	usable = true;
	atomic_store(&live_captures, 1);
	context_gates_update(session);
	is("");
	assert_false(contexts[0].gates_tried);
	assert_string_equal(noted(), "");
}

#define CANNOT                                                                                     \
	"Event pairs are not gated, as this device or driver cannot hold a stream: their "         \
	"times may include waits for the host."

static void a_driver_that_refuses_leaves_gates_off(void **state)
{
	static const char *const cases[][2] = {
		{"r", "r"}, {"p", "rp"}, {"s", "rps"}, {"e", "rpseS"}, {"w", "rpsewES"}};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		fails = cases[i][0];
		contexts[0] = (struct context){.reported = true};
		streams_made = 0;
		context_gates_update(session);
		/* Without memory each spare page is tried, and a new one. */
		if (i > 0)
			is(cases[i][1]);
		memset(order, 0, sizeof(order));
		assert_null(atomic_load(&contexts[0].gates));
		assert_true(contexts[0].gates_tried);
		assert_true(contexts[0].gates_warned);
		assert_string_equal(noted(), CANNOT);
	}
}

static void a_stream_that_does_not_wait_gives_no_gates(void **state)
{
	(void)state;
	holds = false;
	context_gates_update(session);
	/* It may wait all the same: it is released from the device. */
	is("rpsewRtWETS");
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), CANNOT);
	/* Nor does one that does not see the host's store. */
	holds = true;
	sees = false;
	streams_made = 0;
	contexts[0] = (struct context){.reported = true};
	context_gates_update(session);
	is("rpsewRtWETS");
	assert_null(atomic_load(&contexts[0].gates));
}

static void a_stream_that_does_not_say_that_it_has_arrived_gives_no_gates(void **state)
{
	(void)state;
	arrives = false;
	context_gates_update(session);
	is("rpsewRES");
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), CANNOT);
}

static void a_device_that_comes_to_the_gate_later_is_tried_again(void **state)
{
	(void)state;
	arrives_late = true;
	context_gates_update(session);
	assert_null(atomic_load(&contexts[0].gates));
	assert_false(contexts[0].gates_tried);
	arrives_late = false;
	context_gates_update(session);
	assert_non_null(atomic_load(&contexts[0].gates));
}

static void an_event_that_was_not_recorded_proves_nothing(void **state)
{
	(void)state;
	fails = "R";
	context_gates_update(session);
	is("rpsewRtWETS");
	assert_string_equal(noted(), CANNOT);
	/* Nor does one that cannot be asked for. */
	fails = "qt";
	streams_made = 0;
	contexts[0] = (struct context){.reported = true};
	context_gates_update(session);
	is("rpsewRtETS");
	assert_null(atomic_load(&contexts[0].gates));
	driver.cuStreamWriteValue32_v2 = NULL;
	streams_made = 0;
	contexts[0] = (struct context){.reported = true};
	context_gates_update(session);
	is("rpsewRES");
}

static void a_test_that_the_reporter_ended_is_made_three_times(void **state)
{
	uint64_t before = gate_forced();

	(void)state;
	reporter_opens = true;
	for (unsigned i = 1; i <= 3; i++) {
		assert_false(contexts[0].gates_tried);
		streams_made = 0;
		context_gates_update(session);
		assert_int_equal(atomic_load(&contexts[0].gates_forced), i);
		is(i == 1 ? "rpsewRES" : "psewRES");
	}
	assert_true(contexts[0].gates_tried);
	assert_null(atomic_load(&contexts[0].gates));
	assert_int_equal(session_header(session)->counters[COUNTER_gates_forced], gate_forced());
	assert_int_equal(gate_forced() - before, 3);
	assert_string_equal(
		noted(), "Event pairs are not gated, as calls waited for the device behind them: "
			 "their times may include waits for the host.");
}

static void without_a_free_gate_it_is_tried_later(void **state)
{
	struct gate *taken[GATE_THREADS];

	(void)state;
	for (unsigned i = 0; i < GATE_THREADS; i++)
		taken[i] = gate_take();
	context_gates_update(session);
	is("rp");
	assert_false(contexts[0].gates_tried);
	for (unsigned i = 0; i < GATE_THREADS; i++)
		gate_give(taken[i]);
	context_gates_update(session);
	assert_non_null(atomic_load(&contexts[0].gates));
}

static void a_wait_that_was_refused_later_is_said_once(void **state)
{
	(void)state;
	context_gates_update(session);
	assert_string_equal(noted(), "");
	atomic_store(&contexts[0].gates, NULL);
	context_gates_finish(session, 0);
	context_gates_finish(session, 0);
	assert_string_equal(noted(),
			    "Event pairs are not gated, as the driver refused to hold a stream: "
			    "their times may include waits for the host.");
}

#define GATES(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATES(a_stream_that_waits_and_goes_on_gives_the_context_gates),
		GATES(a_test_that_ends_while_the_next_context_is_looked_at_is_not_made_again),
		GATES(a_context_that_cannot_be_used_or_tried_has_no_gates),
		GATES(a_test_that_waits_for_the_driver_holds_nothing_up),
		GATES(of_several_contexts_each_has_a_page),
		GATES(where_gates_are_not_wanted_nothing_is_tried),
		GATES(a_driver_that_refuses_leaves_gates_off),
		GATES(a_stream_that_does_not_wait_gives_no_gates),
		GATES(a_stream_that_does_not_say_that_it_has_arrived_gives_no_gates),
		GATES(a_device_that_comes_to_the_gate_later_is_tried_again),
		GATES(an_event_that_was_not_recorded_proves_nothing),
		GATES(a_test_that_the_reporter_ended_is_made_three_times),
		GATES(without_a_free_gate_it_is_tried_later),
		GATES(a_wait_that_was_refused_later_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
