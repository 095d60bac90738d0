/* SPDX-License-Identifier: MIT */
/* A bias of another machine is scaled by an empty pair only where that tells devices apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/bias.h"
#include "preload/rows.h"

/* See bias.c: of a kernel, and what an empty pair measured there. */
#define KERNEL_NS 2900
#define EMPTY_NS  1280

struct session *rows_session;

/* Events resolve 32 ns, and a device that comes from idle may be slow at first. */
static void the_shortest_empty_pair_scales_what_is_another_device_s(void **state)
{
	static const struct {
		uint64_t empty, kernel;
	} pairs[] = {
		{0, KERNEL_NS},
		{EMPTY_NS * 5, KERNEL_NS},
		{EMPTY_NS * 3 / 2, KERNEL_NS * 3 / 2},
		{EMPTY_NS * 2, KERNEL_NS * 3 / 2},
		{EMPTY_NS + 128, KERNEL_NS},
		{EMPTY_NS - 128, KERNEL_NS},
		{EMPTY_NS / 2, KERNEL_NS / 2},
		{EMPTY_NS, KERNEL_NS / 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		bias_calibrate(pairs[i].empty);
		assert_int_equal(bias_of(BIAS_KERNEL), pairs[i].kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shortest_empty_pair_scales_what_is_another_device_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
