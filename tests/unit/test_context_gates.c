/* SPDX-License-Identifier: MIT */
/* Whether a context's streams can be held: how it is tried on a stream of the program's, and what
 * is made of each answer. */
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
#include "preload/base/settings.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"
#include "tests/unit/made_run.h"

#define EVENT ((CUevent)9)

struct driver driver;
void *_Atomic driver_entries[ENTRY_COUNT];
bool mode_events;
_Atomic bool mode_begun;
_Atomic int live_captures;

static struct context contexts[2];
static const struct stream stream = {.handle = (CUstream)1, .context = &contexts[0]};
static struct gate *gate;

struct context *context_first(void)
{
	return &contexts[0];
}

/* What was asked of the driver, a letter each, and which of them fail. */
static char order[200];
static const char *fails;

static CUresult result_of(char letter)
{
	size_t length = strlen(order);

	if (length + 1 < sizeof(order) && (!length || order[length - 1] != letter))
		order[length] = letter;
	return strchr(fails, letter) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

/* Polls count as one. */
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

static _Atomic uint32_t *word_at(CUdeviceptr address)
{
	return (_Atomic uint32_t *)((char *)registered + address - 0x10000);
}

static struct gate_word *own_word(void)
{
	return &registered->of[gate - gates];
}

/*
 * The device. It is busy, says that it has come to a gate or does not, waits for a closed one or
 * does not, and sees what the host writes or finds each word as it was when it was registered; or
 * the reporter opens the closed gate before it can.
 */
static bool busy, gets_busy, arrives, holds, sees, reporter_opens;
static unsigned batches;
static struct {
	CUdeviceptr at, word;
	uint32_t value;
} last;

static CUresult batch(CUstream into, unsigned count, CUstreamBatchMemOpParams *operations,
		      unsigned flags)
{
	const CUstreamBatchMemOpParams *write = &operations[0], *wait = &operations[1];

	assert_ptr_equal(into, stream.handle);
	assert_int_equal(count, 2);
	assert_int_equal(flags, 0);
	assert_int_equal(write->operation, CU_STREAM_MEM_OP_WRITE_VALUE_32);
	assert_int_equal(wait->operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
	assert_int_equal(wait->waitValue.flags, CU_STREAM_WAIT_VALUE_GEQ);
	last.at = write->writeValue.address;
	last.word = wait->waitValue.address;
	last.value = wait->waitValue.value;
	/* No value is waited for that the word has not had. */
	assert_int_equal(last.value, 0);
	if (batches++ == 1)
		busy = gets_busy;
	if (arrives && !busy)
		atomic_store(word_at(last.at), last.value);
	if (reporter_opens)
		gate_open_all();
	return result_of('w');
}

static CUresult record(CUevent event, CUstream into)
{
	assert_ptr_equal(event, EVENT);
	assert_ptr_equal(into, stream.handle);
	return result_of('R');
}

static CUresult query_stream(CUstream of)
{
	assert_ptr_equal(of, stream.handle);
	result_of('Q');
	return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult query_event(CUevent event)
{
	bool open = !sees || atomic_load(word_at(last.word)) == last.value;

	assert_ptr_equal(event, EVENT);
	if (result_of('q') != CUDA_SUCCESS)
		return CUDA_ERROR_UNKNOWN;
	return busy || (holds && !open) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static unsigned woken;

static void wake(void)
{
	woken++;
}

/* The spare thread, whose call is made at once, or refused. */
static int spare_error;

int spare_thread_call(void (*function)(void *), void *argument)
{
	if (!spare_error)
		function(argument);
	return spare_error;
}

bool spare_thread_wait(uint64_t end)
{
	assert_true(end > 0);
	return true;
}

static CUcontext thread_context;

static CUresult set_current(CUcontext context)
{
	thread_context = context;
	return strchr(fails, 'c') ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

static CUstreamCaptureMode capture_mode;

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = capture_mode;

	capture_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

static int start(void **state)
{
	(void)state;
	if (make_run(0))
		return -1;
	driver.cuMemHostRegister_v2 = register_memory;
	driver.cuMemHostGetDevicePointer_v2 = get_pointer;
	driver.cuStreamBatchMemOp_v2 = batch;
	driver.cuStreamQuery_ptsz = query_stream;
	driver.cuCtxSetCurrent = set_current;
	driver.cuThreadExchangeStreamCaptureMode = exchange_mode;
	driver.cuEventRecord = record;
	driver.cuEventQuery = query_event;
	memset(contexts, 0, sizeof(contexts));
	contexts[0].reported = true;
	memset(order, 0, sizeof(order));
	fails = "";
	holds = sees = arrives = mode_events = true;
	mode_begun = true;
	busy = gets_busy = reporter_opens = false;
	spare_error = 0;
	batches = 0;
	capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	thread_context = (CUcontext)5;
	atomic_store(&live_captures, 0);
	gate_start_watch(wake);
	gate = gate_take();
	context_gates_allow(wake);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	gate_give(gate);
	context_gates_end(&contexts[0]);
	session_close(run.session);
	return 0;
}

static const char *noted(void)
{
	const struct session_header *header = run.header;

	context_gates_finish(0);
	assert_true(header->note_count <= 1);
	return header->note_count ? session_string(run.session, header->notes[0]) : "";
}

#define BECAUSE(why)                                                                               \
	"Event pairs are not gated, as " why ": their times may include waits for the host."
#define CANNOT BECAUSE("this device or driver cannot hold a stream")

static void get_page(void)
{
	context_gates_update();
	is("rp");
	assert_ptr_equal(atomic_load(&contexts[0].gates_untried), registered);
	assert_null(thread_context);
	/* Pages may be used for a second time. */
	memset(registered, 0, sizeof(*registered));
}

static bool try_gates(void)
{
	bool tried;

	batches = 0;
	/* As the program's thread has it; the spare thread has its own. */
	capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	tried = context_gates_try(&stream, gate, EVENT);
	assert_int_equal(capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	/* However it ends, the gate is open. */
	assert_null(atomic_load(&gate->closed));
	assert_int_equal(atomic_load(&own_word()->word), 0);
	return tried;
}

static void a_stream_that_waits_and_goes_on_gives_the_context_gates(void **state)
{
	(void)state;
	get_page();
	assert_null(atomic_load(&contexts[0].gates));
	assert_true(try_gates());
	is("QwRqwRq");
	assert_ptr_equal(atomic_load(&contexts[0].gates), registered);
	assert_ptr_equal(contexts[0].gate_page, registered);
	assert_int_equal(contexts[0].gate_address, 0x10000);
	assert_string_equal(noted(), "");
	/* Once. */
	context_gates_update();
	assert_false(try_gates());
	is("");
}

static void a_busy_stream_is_tried_later(void **state)
{
	(void)state;
	get_page();
	busy = true;
	for (unsigned i = 0; i < 10; i++)
		assert_false(try_gates());
	is("Q");
	assert_string_equal(noted(), "");
	busy = false;
	assert_true(try_gates());
	assert_non_null(atomic_load(&contexts[0].gates));
}

static void a_device_that_does_not_see_the_hosts_stores_is_not_held(void **state)
{
	(void)state;
	get_page();
	sees = false;
	assert_true(try_gates());
	assert_null(atomic_load(&contexts[0].gates));
	assert_null(atomic_load(&contexts[0].gates_untried));
	assert_string_equal(noted(), CANNOT);
}

static void a_stream_that_does_not_wait_gives_no_gates(void **state)
{
	(void)state;
	get_page();
	holds = false;
	assert_true(try_gates());
	is("QwRqwRq");
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), CANNOT);
}

static void a_stream_that_does_not_say_that_it_has_arrived_is_not_held(void **state)
{
	(void)state;
	get_page();
	arrives = false;
	assert_true(try_gates());
	is("QwRq");
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), CANNOT);
}

static void a_device_that_is_late_is_tried_three_times(void **state)
{
	(void)state;
	get_page();
	/* It gets other work amid the test. */
	gets_busy = true;
	for (unsigned i = 1; i <= 3; i++) {
		busy = false;
		assert_non_null(atomic_load(&contexts[0].gates_untried));
		assert_true(try_gates());
		assert_int_equal(atomic_load(&contexts[0].gates_late), i);
		is("QwRqwR");
	}
	busy = gets_busy = false;
	assert_false(try_gates());
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), BECAUSE("calls waited for the device behind them"));
}

static void a_test_that_the_reporter_ended_is_made_three_times(void **state)
{
	uint64_t before = gates_forced;

	(void)state;
	get_page();
	reporter_opens = true;
	for (unsigned i = 1; i <= 3; i++) {
		assert_true(try_gates());
		assert_int_equal(atomic_load(&contexts[0].gates_late), i);
	}
	assert_null(atomic_load(&contexts[0].gates));
	assert_null(atomic_load(&contexts[0].gates_untried));
	assert_string_equal(noted(), BECAUSE("calls waited for the device behind them"));
	assert_int_equal(run.header->counters[COUNTER_gates_forced], gates_forced);
	assert_int_equal(gates_forced - before, 3);
}

static void a_driver_that_refuses_leaves_gates_off(void **state)
{
	static const char *const cases[][2] = {{"r", ""},   {"p", ""},	  {"c", ""},
					       {"w", "Qw"}, {"R", "QwR"}, {"q", "QwRq"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		contexts[0] = (struct context){.reported = true};
		fails = cases[i][0];
		context_gates_update();
		memset(order, 0, sizeof(order));
		if (cases[i][1][0])
			assert_true(try_gates());
		is(cases[i][1]);
		assert_null(atomic_load(&contexts[0].gates));
		assert_null(atomic_load(&contexts[0].gates_untried));
		assert_string_equal(noted(), CANNOT);
	}
}

static void without_a_thread_that_makes_pages_there_are_no_gates(void **state)
{
	(void)state;
	/* While it does other things they are made later. */
	spare_error = -EBUSY;
	context_gates_update();
	assert_string_equal(noted(), "");
	spare_error = 0;
	get_page();
	contexts[0] = (struct context){.reported = true};
	spare_error = -EAGAIN;
	context_gates_update();
	assert_string_equal(noted(), BECAUSE("no thread could be made to try it"));
}

static void of_several_contexts_each_has_a_page(void **state)
{
	struct gate_words *second;

	(void)state;
	contexts[0].next = &contexts[1];
	contexts[1].reported = true;
	context_gates_update();
	second = contexts[1].gate_page;
	assert_non_null(second);
	assert_ptr_not_equal(contexts[1].gate_page, contexts[0].gate_page);
	context_gates_end(&contexts[1]);
	assert_null(contexts[1].gate_page);
	assert_null(atomic_load(&contexts[1].gates));
	assert_null(atomic_load(&contexts[1].gates_untried));
	/* The next context gets that one. */
	contexts[1].gates_asked = false;
	context_gates_update();
	assert_ptr_equal(contexts[1].gate_page, second);
	context_gates_end(&contexts[1]);
}

static void the_collector_is_woken_for_a_context_that_has_no_page(void **state)
{
	(void)state;
	woken = 0;
	context_gates_expect(&contexts[0]);
	assert_int_equal(woken, 1);
	get_page();
	context_gates_expect(&contexts[0]);
	assert_int_equal(woken, 1);
}

static void where_gates_are_not_wanted_no_page_is_made(void **state)
{
	(void)state;
	context_gates_allow(NULL);
	context_gates_expect(&contexts[0]);
	context_gates_update();
	context_gates_allow(wake);
	/* Nor before the profiling window has opened for the first time. */
	mode_begun = false;
	context_gates_update();
	mode_begun = true;
	mode_events = false;
	context_gates_update();
	mode_events = true;
	driver.cuStreamBatchMemOp_v2 = NULL;
	context_gates_update();
	driver.cuStreamBatchMemOp_v2 = batch;
	driver.cuMemHostRegister_v2 = NULL;
	context_gates_update();
	driver.cuMemHostRegister_v2 = register_memory;
	driver.cuMemHostGetDevicePointer_v2 = NULL;
	context_gates_update();
	driver.cuMemHostGetDevicePointer_v2 = get_pointer;
	contexts[0].reported = false;
	context_gates_update();
	contexts[0].reported = true;
	atomic_store(&contexts[0].ended, true);
	context_gates_update();
	atomic_store(&contexts[0].ended, false);
	atomic_store(&live_captures, 1);
	context_gates_update();
	is("");
	assert_string_equal(noted(), "");
}

static void gates_that_are_turned_off_later_are_said_once(void **state)
{
	(void)state;
	get_page();
	assert_true(try_gates());
	context_gates_turn_off(&contexts[0], GATES_REFUSED);
	assert_null(atomic_load(&contexts[0].gates));
	assert_string_equal(noted(), BECAUSE("the driver refused to hold a stream"));
	assert_string_equal(noted(), BECAUSE("the driver refused to hold a stream"));
}

#define GATES(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATES(a_stream_that_waits_and_goes_on_gives_the_context_gates),
		GATES(a_busy_stream_is_tried_later),
		GATES(a_device_that_does_not_see_the_hosts_stores_is_not_held),
		GATES(a_stream_that_does_not_wait_gives_no_gates),
		GATES(a_stream_that_does_not_say_that_it_has_arrived_is_not_held),
		GATES(a_device_that_is_late_is_tried_three_times),
		GATES(a_test_that_the_reporter_ended_is_made_three_times),
		GATES(a_driver_that_refuses_leaves_gates_off),
		GATES(without_a_thread_that_makes_pages_there_are_no_gates),
		GATES(of_several_contexts_each_has_a_page),
		GATES(the_collector_is_woken_for_a_context_that_has_no_page),
		GATES(where_gates_are_not_wanted_no_page_is_made),
		GATES(gates_that_are_turned_off_later_are_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
