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

/* Events resolve 32 ns, and a device that waits for its host makes a pair longer. */
static void only_a_shorter_empty_pair_scales_the_biases(void **state)
{
	static const uint64_t without_effect[] = {
		0, EMPTY_NS - 128, EMPTY_NS, EMPTY_NS + 128, 2 * EMPTY_NS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++) {
		bias_calibrate(without_effect[i]);
		assert_int_equal(bias_of(BIAS_KERNEL), KERNEL_NS);
	}
	bias_calibrate(EMPTY_NS / 2);
	assert_int_equal(bias_of(BIAS_KERNEL), KERNEL_NS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_shorter_empty_pair_scales_the_biases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
