/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/hold.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/sim/driver/sim.h"

enum {
	POLL_US = 100,
	HOLDS_MORE = 1024,
	KNOWN_WORDS = 64,
};

struct hold {
	struct hold_wait wait;
	uint64_t at_ns;
	uint64_t behind;
	uint64_t host_ns;
	uint64_t moved_ns;
	bool waited_at;
	bool ended;
};

/* A write that the device has not come to. */
struct pending {
	struct hold_write write;
	uint64_t hold;
	struct pending *older;
};

static struct hold *holds;
static uint64_t hold_count, hold_room;
static struct pending *newest;

/* With SIM_UNSEEN_STORES: the words that the device has read, as it knows them. */
static struct known_word {
	const void *address;
	uint64_t value;
} known_words[KNOWN_WORDS];

static struct known_word *known_word(const void *address)
{
	struct known_word *word = known_words;

	while (word < known_words + KNOWN_WORDS - 1 && word->address && word->address != address)
		word++;
	return word;
}

static uint64_t stored_at(const struct hold_wait *wait)
{
	return wait->size == sizeof(uint32_t)
		       ? __atomic_load_n((const uint32_t *)wait->address, __ATOMIC_ACQUIRE)
		       : __atomic_load_n((const uint64_t *)wait->address, __ATOMIC_ACQUIRE);
}

static uint64_t value_at(const struct hold_wait *wait)
{
	struct known_word *word;

	if (!sim_setting("SIM_UNSEEN_STORES", 0))
		return stored_at(wait);
	word = known_word(wait->address);
	if (word->address != wait->address)
		*word = (struct known_word){wait->address, stored_at(wait)};
	return word->value;
}

bool hold_satisfied(const struct hold_wait *wait)
{
	uint64_t now = value_at(wait);

	switch (wait->flags & 3) {
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == wait->value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & wait->value;
	case CU_STREAM_WAIT_VALUE_NOR:
		return wait->size == sizeof(uint32_t) ? (uint32_t) ~(now | wait->value)
						      : ~(now | wait->value);
	default: /* GEQ, and cyclic */
		return wait->size == sizeof(uint32_t)
			       ? (int32_t)((uint32_t)now - (uint32_t)wait->value) >= 0
			       : (int64_t)(now - wait->value) >= 0;
	}
}

uint64_t hold_begin(const struct hold_wait *wait, uint64_t at_ns, uint64_t behind)
{
	struct hold *more;

	if (hold_count == hold_room) {
		more = realloc(holds, (hold_room + HOLDS_MORE) * sizeof(*holds));
		if (!more)
			return 0;
		holds = more;
		hold_room += HOLDS_MORE;
	}
	holds[hold_count++] = (struct hold){.wait = *wait, .at_ns = at_ns, .behind = behind};
	return hold_count;
}

bool hold_write_before(uint64_t number, const struct hold_write *write)
{
	struct pending *pending = malloc(sizeof(*pending));

	if (!pending)
		return false;
	*pending = (struct pending){.write = *write, .hold = number, .older = newest};
	newest = pending;
	return true;
}

void hold_do_write(const struct hold_write *write)
{
	struct known_word *word = known_word(write->address);

	if (word->address == write->address)
		word->value = write->value;
	if (write->size == sizeof(uint32_t))
		__atomic_store_n((uint32_t *)write->address, (uint32_t)write->value,
				 __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)write->address, write->value, __ATOMIC_RELEASE);
}

static void drop(struct pending **link)
{
	struct pending *pending = *link;

	*link = pending->older;
	free(pending);
}

static void do_writes(uint64_t number)
{
	struct pending **link = &newest, **older;

	while (*link) {
		if ((*link)->hold != number) {
			link = &(*link)->older;
			continue;
		}
		for (older = &(*link)->older; *older;) {
			if ((*older)->write.address == (*link)->write.address)
				drop(older);
			else
				older = &(*older)->older;
		}
		hold_do_write(&(*link)->write);
		drop(link);
	}
}

/* Whether the device has come to the hold by the clock of the thread that last used the stream. */
static void come_to(struct hold *hold)
{
	uint64_t moved;

	if (hold->waited_at || !hold_ended(hold->behind, &moved) ||
	    hold->host_ns < hold->at_ns + moved)
		return;
	hold->waited_at = true;
	do_writes((uint64_t)(hold - holds) + 1);
}

void hold_used(uint64_t number, uint64_t host_ns)
{
	struct hold *hold = number ? &holds[number - 1] : NULL;

	if (!hold || hold->ended)
		return;
	if (hold->host_ns < host_ns)
		hold->host_ns = host_ns;
	come_to(hold);
}

bool hold_waited_at(uint64_t number)
{
	return holds[number - 1].waited_at;
}

bool hold_ended(uint64_t number, uint64_t *moved_ns)
{
	struct hold *hold = number ? &holds[number - 1] : NULL;
	uint64_t moved = 0;

	*moved_ns = 0;
	if (!hold)
		return true;
	if (!hold->ended) {
		if (!hold_ended(hold->behind, &moved) || !hold_satisfied(&hold->wait))
			return false;
		come_to(hold);
		do_writes(number);
		hold->moved_ns = moved;
		if (hold->host_ns > hold->at_ns + moved)
			hold->moved_ns = hold->host_ns - hold->at_ns;
		hold->ended = true;
	}
	*moved_ns = hold->moved_ns;
	return true;
}

static void sleep_once(void *unused)
{
	(void)unused;
	usleep(POLL_US);
}

void hold_wait_for(uint64_t number)
{
	uint64_t moved;

	while (!hold_ended(number, &moved))
		sim_call_out(sleep_once, NULL);
}
