/* SPDX-License-Identifier: MIT */
/* The host's time in the rows of the API, where most calls are only counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/collector/rows.h"
#include "preload/nvtx/ranges.h"

/* Each test has a call of its own: rows are remembered for as long as the process lives. */
#define LAUNCH	    API_RUNTIME(RUNTIME_cudaLaunchKernel)
#define COOPERATIVE API_RUNTIME(RUNTIME_cudaLaunchCooperativeKernel)

bool mode_driver_records, mode_runtime_records;
_Atomic bool mode_cupti;

void ranges_add(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		double weight, enum clock_source clock)
{
	(void)place;
	(void)row;
	(void)nanoseconds;
	(void)weight;
	(void)clock;
}

/* Asked for copies between devices alone, which there are none of. */
struct operation *operation_fixed(enum fixed_operation which)
{
	static struct operation none;

	(void)which;
	return &none;
}

static const struct clock_scale nanoseconds = {.ns_per_tick = 1};
static struct session *session;

bool settings_want_calls(enum row_kind kind)
{
	(void)kind;
	return true;
}

static int start(void **state)
{
	int error = session_create(&session, NULL, false);

	(void)state;
	rows_session = session;
	rows_scale = &nanoseconds;
	return error;
}

static int stop(void **state)
{
	(void)state;
	session_close(session);
	return 0;
}

static void call(uint16_t api, uint32_t duration, uint8_t flags)
{
	struct call_record record = {.duration = duration, .api = api, .flags = flags};

	rows_count_call(&record, &(struct range_place){.range = 0});
}

/* Two of 64 calls are watched for the others; a first one took as long as all of them. */
static void a_first_call_stands_for_itself(void **state)
{
	const struct row *row;

	(void)state;
	call(LAUNCH, 1000000, CALL_FIRST);
	call(LAUNCH, 3000, CALL_STANDS_FOR_MORE);
	call(LAUNCH, 5000, CALL_STANDS_FOR_MORE);
	rows_add_calls(LAUNCH, 62);
	rows_finish();
	row = session_row(session, ROW_RUNTIME_API, "cudaLaunchKernel", -1);
	assert_int_equal(row->calls, 65);
	assert_int_equal(row->cupti.count, 65);
	assert_int_equal(row->cupti.total, 1000000 + 64 * 4000);
	assert_true(row->cupti.squares == 1e12 + 32 * (3000.0 * 3000 + 5000.0 * 5000));
	assert_int_equal(row->cupti.minimum, 3000);
	assert_int_equal(row->cupti.maximum, 1000000);
}

static void calls_with_none_watched_are_like_those_there_are(void **state)
{
	const struct row *row;

	(void)state;
	call(COOPERATIVE, 2000, 0);
	call(COOPERATIVE, 4000, 0);
	rows_add_calls(COOPERATIVE, 2);
	rows_finish();
	row = session_row(session, ROW_RUNTIME_API, "cudaLaunchCooperativeKernel", -1);
	assert_int_equal(row->cupti.count, 4);
	assert_int_equal(row->cupti.total, 12000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_first_call_stands_for_itself, start, stop),
		cmocka_unit_test_setup_teardown(calls_with_none_watched_are_like_those_there_are,
						start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
