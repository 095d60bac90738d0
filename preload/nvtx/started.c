/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/started.h"

#include "preload/base/clock.h"

/* Of how many ranges that have ended it is kept when they were open: calls that are only learnt of
 * later may have been made in them. Chosen. */
#define PAST	 1024u
/* Longer than a collector's period. Chosen. */
#define SLACK_US 10000u

struct interval {
	uint64_t begin, end; /* ticks */
	uint32_t kernel_id;
	uint16_t place;
	uint8_t bit;
};

static uint16_t paths[STARTED_PATHS];
static uint32_t threads[STARTED_PATHS];
static unsigned path_count;
static struct interval open[STARTED_MOST];
static unsigned open_count;
static struct interval past[PAST]; /* in the order of their ends */
static uint32_t past_count;

/* STARTED_PATHS if the path is not known. */
static unsigned bit_of(uint16_t path)
{
	unsigned bit = 0;

	while (bit < path_count && paths[bit] != path)
		bit++;
	return bit < path_count ? bit : STARTED_PATHS;
}

static struct interval *find_open(uint16_t place)
{
	for (unsigned i = 0; i < open_count; i++)
		if (open[i].place == place)
			return &open[i];
	return NULL;
}

bool started_begin(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin)
{
	struct interval *range = find_open(place);
	unsigned bit = bit_of(path);

	if (bit == STARTED_PATHS && path_count < STARTED_PATHS) {
		bit = path_count++;
		paths[bit] = path;
		threads[bit] = owner.pthread_id;
	}
	if (bit == STARTED_PATHS)
		return false;
	/* There is one already if its end was lost. */
	if (!range)
		range = &open[open_count++];
	*range = (struct interval){
		.begin = begin, .kernel_id = owner.kernel_id, .place = place, .bit = (uint8_t)bit};
	return true;
}

uint16_t started_end(uint16_t place, uint64_t begin, uint64_t end, uint32_t *kernel_id)
{
	struct interval *range = find_open(place);
	uint16_t path;

	if (!range || range->begin != begin)
		return 0;
	path = paths[range->bit];
	range->end = end;
	*kernel_id = range->kernel_id;
	past[past_count++ % PAST] = *range;
	*range = open[--open_count];
	return path;
}

uint16_t started_open(uint16_t *place, uint64_t *begin)
{
	if (open_count == 0)
		return 0;
	*place = open[0].place;
	*begin = open[0].begin;
	return paths[open[0].bit];
}

uint32_t started_at(uint64_t time)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < open_count; i++)
		if (open[i].begin <= time)
			bits |= 1u << open[i].bit;
	for (uint32_t i = past_count; i > 0 && past_count - i < PAST; i--) {
		const struct interval *range = &past[(i - 1) % PAST];

		/* Ends that two threads made at about the same time may stand in the other order.
		 */
		if (range->end + clock_some_ticks(SLACK_US) <= time)
			break;
		if (range->begin <= time && time < range->end)
			bits |= 1u << range->bit;
	}
	return bits;
}

uint16_t started_path(unsigned bit)
{
	return paths[bit];
}

uint32_t started_thread(uint16_t path)
{
	unsigned bit = bit_of(path);

	return bit < STARTED_PATHS ? threads[bit] : 0;
}
