/* SPDX-License-Identifier: MIT */
/* The buffers that CUPTI fills: the largest first, the oldest again where none is free. */
#include "cupti/buffers.h"
#include "tests/unit/test.h"

#define ALL 320

static struct buffer *taken[ALL];

TEST(nothing_is_there_before_they_are_created)
{
	const void *start = taken;
	size_t size = 1;
	uint8_t data;

	buffers_range(&start, &size);
	assert_null(start);
	assert_int_equal(size, 0);
	assert_null(buffers_find(&data));
}

BEFORE_EACH
{
	/* As in a forked child: all are free again. */
	buffers_reset();
	assert_int_equal(buffers_create(), 0);
}

static struct buffer *take(void)
{
	struct buffer *buffer;
	size_t lost = 1;

	buffer = buffers_take(false, &lost);
	assert_non_null(buffer);
	assert_int_equal(lost, 0);
	return buffer;
}

static void take_all(void)
{
	for (unsigned i = 0; i < ALL; i++)
		taken[i] = take();
}

TEST(the_largest_are_taken_first)
{
	const struct {
		size_t size;
		unsigned count;
	} sizes[] = {{1 << 20, 16}, {512 << 10, 16}, {256 << 10, 32}, {64 << 10, 256}};
	const void *start;
	size_t size, lost = 1;
	unsigned n = 0;

	take_all();
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < sizes[i].count; k++)
			assert_int_equal(taken[n++]->size, sizes[i].size);
	assert_null(buffers_take(false, &lost));
	assert_int_equal(lost, 0);
	/* They lie one behind the other, and each is found by its first byte and by its last. */
	buffers_range(&start, &size);
	assert_int_equal(size, BUFFERS_TOGETHER);
	for (unsigned i = 0; i < ALL; i++) {
		const uint8_t *data = taken[i]->data;

		assert_true(data >= (const uint8_t *)start);
		assert_true(data + taken[i]->size <= (const uint8_t *)start + size);
		assert_ptr_equal(buffers_find(data), taken[i]);
		assert_ptr_equal(buffers_find(data + taken[i]->size - 1), taken[i]);
		for (unsigned k = 0; k < i; k++)
			assert_true(taken[k]->data + taken[k]->size <= data ||
				    data + taken[i]->size <= taken[k]->data);
	}
	assert_null(buffers_find((const uint8_t *)start - 1));
	assert_null(buffers_find((const uint8_t *)start + size));
}

TEST(the_last_one_released_is_taken_again_and_holds_zeros)
{
	struct buffer *first = take(), *second = take();

	memset(second->data, 7, second->size);
	buffers_release(first);
	buffers_release(second);
	assert_ptr_equal(take(), second);
	assert_int_equal(second->data[0], 0);
	assert_int_equal(second->data[second->size - 1], 0);
	assert_ptr_equal(take(), first);
	/* A small one goes back to the small ones. */
	buffers_release(first);
	buffers_release(second);
	take_all();
	buffers_release(taken[ALL - 1]);
	buffers_release(taken[20]);
	assert_ptr_equal(take(), taken[20]);
	assert_ptr_equal(take(), taken[ALL - 1]);
}

TEST(full_ones_are_read_in_the_order_of_their_queueing)
{
	struct buffer *a = take(), *b = take(), *c = take();
	uint64_t last;

	assert_int_equal(buffers_last(), 0);
	assert_null(buffers_next(UINT64_MAX));
	assert_int_equal(buffers_queue(a, 10), 10);
	assert_int_equal(buffers_queue(b, 20), 30);
	last = buffers_last();
	assert_int_equal(buffers_queue(c, 30), 60);
	assert_true(buffers_last() > last);
	assert_ptr_equal(buffers_next(last), a);
	assert_int_equal(a->valid, 10);
	assert_ptr_equal(buffers_next(last), b);
	/* It came after. */
	assert_null(buffers_next(last));
	assert_int_equal(buffers_queue(a, 40), 70);
	last = buffers_last();
	assert_ptr_equal(buffers_next(last), c);
	assert_ptr_equal(buffers_next(last), a);
	assert_null(buffers_next(last));
	assert_int_equal(buffers_last(), 0);
	assert_int_equal(buffers_queue(b, 5), 5);
}

TEST(where_none_is_free_the_oldest_unread_one_is_filled_again)
{
	size_t lost = 0;

	take_all();
	buffers_queue(taken[3], 300);
	buffers_queue(taken[5], 500);
	assert_ptr_equal(buffers_take(true, &lost), taken[3]);
	assert_int_equal(lost, 300);
	assert_int_equal(buffers_queue(taken[3], 1), 501);
	assert_ptr_equal(buffers_take(false, &lost), taken[5]);
	assert_int_equal(lost, 500);
}

/* Older CUPTIs can crash if they get none. */
TEST(beyond_the_pool_there_is_memory_of_its_own)
{
	struct buffer *buffers[3];
	const void *start;
	size_t size, lost = 1;

	take_all();
	buffers_range(&start, &size);
	for (unsigned i = 0; i < 3; i++) {
		buffers[i] = buffers_take(true, &lost);
		assert_non_null(buffers[i]);
		assert_int_equal(lost, 0);
		assert_true(buffers[i]->beyond);
		assert_int_equal(buffers[i]->size, 1 << 20);
		assert_int_equal(buffers[i]->data[0], 0);
		buffers[i]->data[(1 << 20) - 1] = 1;
		assert_true(buffers[i]->data < (const uint8_t *)start ||
			    buffers[i]->data >= (const uint8_t *)start + size);
	}
	/* Found once, when it comes back; in the middle, at the end, at the beginning. */
	assert_ptr_equal(buffers_find(buffers[1]->data), buffers[1]);
	assert_null(buffers_find(buffers[1]->data));
	assert_ptr_equal(buffers_find(buffers[0]->data), buffers[0]);
	assert_ptr_equal(buffers_find(buffers[2]->data), buffers[2]);
	assert_null(buffers_find(buffers[2]->data));
	/* Queued and taken again it is one that is being filled. */
	buffers_queue(buffers[0], 8);
	buffers_queue(buffers[1], 9);
	buffers_queue(buffers[2], 10);
	assert_ptr_equal(buffers_take(true, &lost), buffers[0]);
	assert_int_equal(lost, 8);
	assert_ptr_equal(buffers_find(buffers[0]->data), buffers[0]);
	assert_ptr_equal(buffers_next(UINT64_MAX), buffers[1]);
	assert_ptr_equal(buffers_next(UINT64_MAX), buffers[2]);
	for (unsigned i = 0; i < 3; i++)
		buffers_release(buffers[i]);
	/* None of them is in the pool. */
	assert_null(buffers_take(false, &lost));
}
