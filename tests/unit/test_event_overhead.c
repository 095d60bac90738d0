/* SPDX-License-Identifier: MIT */
/* What a overhead of another machine is on this one, as far as an empty pair of events tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/events/event_overhead.h"

/* See event_overhead.c: of a kernel, and what an empty pair measured there. */
#define KERNEL_NS 2900
#define EMPTY_NS  1280

static struct session *session;

static const struct event_overhead *stored(void)
{
	return &session_header(session)->overheads[OVERHEAD_KERNEL];
}

/* Events resolve 32 ns. */
static void an_empty_pair_of_the_same_length_changes_no_bias(void **state)
{
	static const uint64_t without_effect[] = {
		0, EMPTY_NS - 128, EMPTY_NS, EMPTY_NS + 128, 5 * EMPTY_NS,
	};

	(void)state;
	assert_int_equal(session_create(&session, NULL, false), 0);
	event_overhead_start(session);
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++) {
		event_overhead_calibrate(without_effect[i]);
		assert_int_equal(event_overhead_of(OVERHEAD_KERNEL), KERNEL_NS);
		assert_int_equal(stored()->ns, KERNEL_NS);
		assert_int_equal(stored()->standard_error, 100);
	}
	session_close(session);
}

static void half_of_what_an_empty_pair_takes_more_or_less_is_added_and_doubted(void **state)
{
	(void)state;
	assert_int_equal(session_create(&session, NULL, false), 0);
	event_overhead_start(session);
	event_overhead_calibrate(EMPTY_NS + 1600);
	assert_int_equal(stored()->ns, KERNEL_NS + 800);
	assert_int_equal(stored()->standard_error, 900);
	event_overhead_calibrate(EMPTY_NS - 800);
	assert_int_equal(stored()->ns, KERNEL_NS + 400);
	assert_int_equal(stored()->standard_error, 500);
	/* What is measured here is in no standard_error. */
	for (int i = 0; i < 8; i++)
		event_overhead_add(OVERHEAD_KERNEL, false, 3000);
	assert_int_equal(stored()->ns, 3000);
	assert_int_equal(stored()->standard_error, 0);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_pair_of_the_same_length_changes_no_bias),
		cmocka_unit_test(
			half_of_what_an_empty_pair_takes_more_or_less_is_added_and_doubted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
