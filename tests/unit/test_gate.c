/* SPDX-License-Identifier: MIT */
/* The watch over gates: which it opens, when, and when it stops looking. */
#include "preload/events/gates.h"
#include "tests/unit/test.h"

#define MILLISECOND 1000000u
#define SECOND	    1000000000u

static struct gate_words words;
static unsigned wakes;

static void wake(void)
{
	wakes++;
}

static uint32_t word_of(const struct gate *gate)
{
	return atomic_load(&words.of[gate - gates].word);
}

static uint64_t now = 100 * (uint64_t)SECOND;

static bool look(unsigned times)
{
	bool goes_on = true;

	while (times--) {
		now += MILLISECOND;
		goes_on = gate_watch(now);
	}
	return goes_on;
}

static struct gate *gate;

/* A gate of the test's own, its word 0, and no watch. */
BEFORE_EACH
{
	gate_start_watch(wake);
	gate = gate_take();
	while (look(1))
		;
	atomic_store(&words.of[gate - gates].word, 0);
	wakes = 0;
}

AFTER_EACH
{
	gate_give(gate);
}

TEST(a_gate_that_opens_in_time_is_left_alone)
{
	uint64_t forced = gates_forced;

	for (uint32_t value = 1; value <= 3; value++) {
		assert_int_equal(gate_close(gate, &words), value);
		assert_true(look(5));
		assert_int_equal(word_of(gate), value - 1);
		assert_true(gate_open(gate));
		assert_int_equal(word_of(gate), value);
	}
	/* Closed at each look, but never by the same call. */
	for (int i = 0; i < 20; i++) {
		gate_close(gate, &words);
		assert_true(look(1));
		assert_true(gate_open(gate));
	}
	assert_int_equal(gates_forced, forced);
	assert_int_equal(wakes, 1);
}

TEST(a_forgotten_gate_is_opened)
{
	uint64_t forced = gates_forced;

	gate_close(gate, &words);
	look(5);
	assert_int_equal(word_of(gate), 0);
	look(1);
	assert_int_equal(word_of(gate), 1);
	assert_int_equal(gates_forced, forced + 1);
	assert_false(gate_open(gate));
	assert_int_equal(word_of(gate), 1);
}

TEST(a_gate_left_closed_opens_with_the_next)
{
	assert_int_equal(gate_close(gate, &words), 1);
	assert_int_equal(gate_close(gate, &words), 1);
	assert_true(gate_open(gate));
	assert_int_equal(word_of(gate), 1);
}

TEST(all_gates_can_be_opened)
{
	gate_close(gate, &words);
	gate_open_all();
	assert_int_equal(word_of(gate), 1);
	assert_false(gate_open(gate));
	gate_open_all();
	assert_int_equal(word_of(gate), 1);
}

TEST(the_watch_ends_a_second_after_the_last_use)
{
	assert_false(look(1));
	gate_close(gate, &words);
	assert_true(gate_open(gate));
	assert_true(look(1000));
	assert_false(look(1));
	assert_false(look(1));
	assert_int_equal(wakes, 1);
	gate_close(gate, &words);
	assert_int_equal(wakes, 2);
	assert_true(look(1));
	assert_true(gate_open(gate));
}

/* As the device compares it. */
TEST(the_counter_runs_over)
{
	atomic_store(&words.of[gate - gates].word, UINT32_MAX);
	assert_int_equal(gate_close(gate, &words), 0);
	assert_true(gate_open(gate));
	assert_int_equal(word_of(gate), 0);
}

TEST(a_gate_goes_to_another_thread_open)
{
	struct gate *others[GATE_THREADS];
	unsigned count = 0;

	while ((others[count] = gate_take()))
		count++;
	assert_int_equal(count, GATE_THREADS - 1);
	gate_close(gate, &words);
	gate_give(gate);
	assert_int_equal(word_of(gate), 1);
	assert_ptr_equal(gate_take(), gate);
	while (count--)
		gate_give(others[count]);
}
