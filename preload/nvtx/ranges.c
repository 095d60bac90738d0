/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/ranges.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/nvtx/names.h"
#include "report/options/range_pattern.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/*
 * CUPTI's records of calls come up to 200 ms after them (FLUSH_NS in drain.c). A thread that opens
 * or closes a range every 6 us makes as many changes until then; the memory is 512 KiB, and grows
 * to that only if needed. Chosen.
 */
#define MOST  32768u
/* Of threads that do one thing in a range and end, thousands are remembered. Chosen. */
#define FIRST 8u

void history_free(struct range_history *history)
{
	free(history->changes);
	*history = (struct range_history){0};
}

static struct past_change *at(const struct range_history *history, uint32_t index)
{
	return &history->changes[index & (history->size - 1)];
}

static bool grow_history(struct range_history *history)
{
	struct range_history larger = *history;

	larger.size = history->size ? 2 * history->size : FIRST;
	if (larger.size > MOST)
		return false;
	larger.changes = malloc(larger.size * sizeof(*larger.changes));
	if (!larger.changes)
		return false;
	for (uint32_t i = history->tail; i != history->head; i++)
		*at(&larger, i) = *at(history, i);
	free(history->changes);
	*history = larger;
	return true;
}

void history_add(struct range_history *history, uint64_t time, uint16_t now)
{
	if (history->head - history->tail == history->size && !grow_history(history)) {
		history->dropped = true;
		if (!history->size)
			return;
		history->tail++;
	}
	*at(history, history->head++) = (struct past_change){.time = time, .now = now};
}

uint16_t history_at(const struct range_history *history, uint64_t time, uint16_t before)
{
	const uint32_t later =
		FIRST_NOT(i, history->tail, history->head, at(history, i)->time <= time);

	if (later != history->tail)
		return at(history, later - 1)->now;
	return history->dropped ? PATHS_UNKNOWN : before;
}

/* For how many start/end ranges that have ended the times are kept: the collector may later learn
 * of calls that were made in them. Chosen. */
#define PAST	 1024u
/* By how much the ends of two ranges may be out of order. Longer than the collector's period.
 * Chosen. */
#define SLACK_US 10000u

struct interval {
	uint64_t begin, end; /* ticks */
	uint32_t kernel_id;
	uint16_t place;
	uint8_t bit;
};

/* The start/end ranges. */
static struct {
	uint32_t threads[STARTED_PATHS]; /* by the path's bit; 0: none has begun yet */
	struct interval open[STARTED_MOST];
	unsigned open_count;
	struct interval past[PAST]; /* in the order of their ends */
	uint32_t past_count;
	/* By their places, of which a range is the only one at a time: begin of the newest that has
	 * ended, in ticks. */
	uint64_t ended[STARTED_MOST];
} started;

static struct interval *find_open(uint16_t place)
{
	for (unsigned i = 0; i < started.open_count; i++)
		if (started.open[i].place == place)
			return &started.open[i];
	return NULL;
}

bool started_begin(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin)
{
	struct interval *range = find_open(place);
	unsigned bit = started_bit(path);

	if (bit == STARTED_PATHS)
		return false;
	if (!started.threads[bit])
		started.threads[bit] = owner.pthread_id;
	if (begin <= started.ended[place])
		return true;
	/* If the end of an earlier range in this place was lost, its interval is used again. */
	if (!range)
		range = &started.open[started.open_count++];
	*range = (struct interval){
		.begin = begin, .kernel_id = owner.kernel_id, .place = place, .bit = (uint8_t)bit};
	return true;
}

bool started_end(uint16_t path, uint16_t place, uint64_t begin, uint64_t end, uint32_t *kernel_id)
{
	struct interval *range = find_open(place);
	const unsigned bit = started_bit(path);

	if (bit == STARTED_PATHS)
		return false;
	if (range && range->begin == begin)
		*kernel_id = range->kernel_id;
	/* An earlier range in this place has ended, too. */
	if (range && range->begin <= begin)
		*range = started.open[--started.open_count];
	started.past[started.past_count++ % PAST] =
		(struct interval){.begin = begin, .end = end, .bit = (uint8_t)bit};
	if (begin > started.ended[place])
		started.ended[place] = begin;
	return true;
}

uint16_t started_open(uint16_t *place, uint64_t *begin)
{
	if (started.open_count == 0)
		return 0;
	*place = started.open[0].place;
	*begin = started.open[0].begin;
	return started_path(started.open[0].bit);
}

uint32_t started_at(uint64_t time)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < started.open_count; i++)
		if (started.open[i].begin <= time)
			bits |= 1u << started.open[i].bit;
	for (uint32_t i = started.past_count; i > 0 && started.past_count - i < PAST; i--) {
		const struct interval *range = &started.past[(i - 1) % PAST];

		/* Ends that two threads made at about the same time may stand in the other order.
		 */
		if (range->end + clock_some_ticks(SLACK_US) <= time)
			break;
		if (range->begin <= time && time < range->end)
			bits |= 1u << range->bit;
	}
	return bits;
}

uint32_t started_thread(uint16_t path)
{
	unsigned bit = started_bit(path);

	return bit < STARTED_PATHS ? started.threads[bit] : 0;
}

/* The patterns of --nvtx-include. */
static struct {
	struct range_pattern *patterns[OPTIONS_RANGES];
	unsigned pattern_count;
	/* Of each path: whether a push/pop pattern matches it (the enumeration below). */
	uint8_t known[PATHS_MOST];
} chosen;
enum { NOT_KNOWN, MATCHES, MATCHES_NOT };

/* Parses the patterns that the settings have as text. */
static void parse_patterns(void)
{
	char message[128];

	/* They were parsed when the settings were read, so they are good. */
	for (unsigned i = 0; i < OPTIONS_RANGES && run.settings.nvtx_include[i]; i++)
		if (!range_pattern_parse(&chosen.patterns[chosen.pattern_count],
					 run.settings.nvtx_include[i], message, sizeof(message)))
			chosen.pattern_count++;
}

bool ranges_are_chosen(void)
{
	return chosen.pattern_count > 0;
}

static bool matches_any(bool push_pop, const struct open_range_name *open, size_t count)
{
	for (unsigned i = 0; i < chosen.pattern_count; i++)
		if (range_pattern_is_push_pop(chosen.patterns[i]) == push_pop &&
		    range_pattern_matches(chosen.patterns[i], open, count))
			return true;
	return false;
}

static struct open_range_name name_of(uint16_t path)
{
	struct range_name name = names_of(paths_of(path).name);

	return (struct open_range_name){.domain = names_domain_text(name.domain),
					.name = name.text};
}

static bool matches_path(uint16_t path)
{
	struct open_range_name open[OPEN_MOST];
	size_t first = OPEN_MOST;

	/* The path leads from the innermost range outwards; the names are wanted from the outermost
	 * one on. */
	for (; path != PATHS_OUTSIDE && first > 0; path = paths_of(path).parent)
		open[--first] = name_of(path);
	return matches_any(true, open + first, OPEN_MOST - first);
}

/* Whether --nvtx-include wants a call that was made while the push/pop ranges of `path` were open,
 * and the start/end ranges whose bits are set in `started`: see started_path(). */
static bool include_call(uint16_t path, uint32_t started)
{
	struct open_range_name open[STARTED_PATHS];
	size_t count = 0;

	if (chosen.pattern_count == 0)
		return true;
	if (path < PATHS_MOST) {
		if (chosen.known[path] == NOT_KNOWN)
			chosen.known[path] = matches_path(path) ? MATCHES : MATCHES_NOT;
		if (chosen.known[path] == MATCHES)
			return true;
	}
	for (; started; started &= started - 1)
		open[count++] = name_of(started_path((unsigned)__builtin_ctz(started)));
	return matches_any(false, open, count);
}

/* The most ranges that a profile has: once there are half as many, a new range is not told apart by
 * its thread. The most pairs of a range and a row that has calls in it. They take up to 8 MiB and
 * 32 MiB, as far as used. Chosen. */
#define MOST_RANGES 65536u
#define MOST_PARTS  262144u

struct range_entry {
	struct entry entry; /* by thread and path */
	uint32_t number;
};

/* The profile's ranges and parts, by what they are looked up by. */
static struct {
	struct nvtx_range **ranges; /* number 1 comes first */
	uint32_t range_count;
	size_t range_room;
	struct entry *entries; /* of ranges */
	struct entry *parts;   /* by the range's number and the row */
} kept;

static uint64_t offset_of(const void *item)
{
	const void *base;
	size_t size;

	session_range(run.session, &base, &size);
	return (uint64_t)((const char *)item - (const char *)base);
}

struct nvtx_range *ranges_numbered(uint32_t number)
{
	return number ? kept.ranges[number - 1] : NULL;
}

static struct range_entry *entry_on(uint32_t thread, uint16_t path, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {thread, path};

	return entry_of(&kept.entries, key, add ? sizeof(struct range_entry) : 0);
}

/* The number of the profile's range for a path on a thread, which is added if there is none.
 * `thread`: the low half of its pthread_self(); 0: any thread. Returns 0 if there is no room. */
static uint32_t range_of(uint32_t thread, uint16_t path)
{
	struct range_entry *entry = entry_on(thread, path, false);
	const struct range_path place = paths_of(path);
	const struct range_name name = names_of(place.name);
	const bool is_inside = place.parent != PATHS_OUTSIDE;
	struct nvtx_range *range;
	uint32_t parent;

	if (entry)
		return entry->number;
	parent = is_inside ? range_of(thread, place.parent) : 0;
	if ((is_inside && !parent) || kept.range_count == MOST_RANGES ||
	    !LIST_HAS_ROOM(kept.ranges, kept.range_count, kept.range_room))
		return 0;
	range = session_add_item(
		run.session, SEGMENT_RANGES,
		&(struct nvtx_range){
			.style = place.style,
			.parent = parent ? offset_of(ranges_numbered(parent)) : 0,
			.name = session_intern(run.session, name.text),
			.domain = session_intern(run.session, names_domain_text(name.domain)),
			.thread = place.style == RANGE_START_END ? started_thread(path) : thread,
		});
	entry = range ? entry_on(thread, path, true) : NULL;
	if (!entry)
		return 0;
	kept.ranges[kept.range_count++] = range;
	return entry->number = kept.range_count;
}

/* As range_of(), but with the thread told apart only while there is room for that. Returns 0 for
 * PATHS_OUTSIDE and PATHS_UNKNOWN, and, after counting it as lost, for a range without room. */
static uint32_t range_on(uint32_t thread, uint16_t path)
{
	uint32_t number;

	if (path == PATHS_OUTSIDE || path == PATHS_UNKNOWN)
		return 0;
	if (kept.range_count >= MOST_RANGES / 2 && !entry_on(thread, path, false))
		thread = 0;
	number = range_of(thread, path);
	session_count(run.session, COUNTER_ranges_lost, !number);
	return number;
}

static struct nvtx_part *part_of(uint32_t range, const struct row *row)
{
	const uint64_t key[ENTRY_NUMBERS] = {range, (uintptr_t)row};
	size_t size = HASH_COUNT(kept.parts) < MOST_PARTS ? sizeof(struct entry) : 0;
	struct entry *entry = range && row ? entry_of(&kept.parts, key, size) : NULL;

	if (entry && !entry->item)
		entry->item = session_add_nvtx_part(run.session, ranges_numbered(range), row);
	return entry ? entry->item : NULL;
}

/* Adds a call of a row to a range. The call stands for `weight` calls; 0: its time is not known. If
 * there is no room, it is counted as lost. */
static void add_call(uint32_t range, const struct row *row, uint64_t nanoseconds, double weight,
		     enum clock_source clock)
{
	struct nvtx_part *part = part_of(range, row);

	if (!part) {
		session_count(run.session, COUNTER_ranges_lost, 1);
		return;
	}
	if (!(weight > 0)) {
		part->untimed++;
		return;
	}
	part->calls += weight;
	part->event_calls += clock == CLOCK_EVENTS ? weight : 0;
	part->total += (uint64_t)((double)nanoseconds * weight + 0.5);
	part->estimated |= weight != 1;
	figure_least(&part->minimum, &part->known, nanoseconds);
	RAISE(part->maximum, nanoseconds);
}

static void forget_first(uint32_t range, const struct row *row)
{
	struct nvtx_part *part = part_of(range, row);

	/* With calls by CUPTI's records among them it is not known what is the first one's. */
	if (!part || !(part->calls > 0) || part->event_calls < part->calls)
		return;
	part->calls = part->event_calls = 0;
	part->total = part->maximum = 0;
	part->known &= ~(uint32_t)MINIMUM_KNOWN;
	part->untimed++;
}

/* How long after a thread's end its past is kept, in ns: records of its calls may still come. */
#define KEEP_NS 2000000000u

/* In which ranges a thread was, and when. It outlives the thread by KEEP_NS. */
struct past {
	uint32_t kernel_id, pthread_id; /* as in struct range_thread */
	uint16_t at_start;
	bool replaced; /* its kernel_id is another thread's now */
	struct range_history history;
	uint64_t lost_since; /* ticks: the last loss of changes that the history has */
	uint64_t ended_at;   /* CLOCK_MONOTONIC in ns */
	struct past *next;   /* of the thread that ended after this one */
};

/* The pasts of all threads. */
static struct {
	struct entry *pasts; /* by kernel_id */
	/* The pasts of threads that have ended, the first to end first. */
	struct past *ended, **ended_end;
	bool (*counts)(uint64_t);
	bool running;
} threads = {
	.ended_end = &threads.ended,
};

/* Adds to range `number` of the profile that a range of `path` was open from `begin` to `end`, in
 * ticks. */
static void add_ended_range(uint32_t number, uint16_t path, uint32_t thread, uint64_t begin,
			    uint64_t end, uint32_t id)
{
	const struct range_name name = names_of(paths_of(path).name);
	struct nvtx_range *range = ranges_numbered(number);
	const uint64_t duration = clock_ticks_to_ns(&run.scale, end - begin);
	struct trace_record record = {
		.start = clock_realtime_at(&run.scale, begin),
		.end = clock_realtime_at(&run.scale, end),
		.device = -1,
		.kind = ROW_RANGE,
		.correlation = id,
		.thread = thread,
		.result = paths_of(path).style,
	};

	if (!range || !threads.counts(record.end))
		return;
	range->calls++;
	range->total += duration;
	figure_least(&range->minimum, &range->known, duration);
	RAISE(range->maximum, duration);
	session_count(run.session, COUNTER_ranges, 1);
	if (run.header->trace_on == TRACE_GROWS) {
		record.name = session_intern(run.session, name.text);
		record.kernel = session_intern(run.session, names_domain_text(name.domain));
		session_trace(run.session, &record);
	}
}

static void take_start(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin)
{
	session_count(run.session, COUNTER_ranges_lost, !started_begin(owner, path, place, begin));
}

/* `ended_by`: kernel id of a thread, in case that the one which began the range is not known. */
static void take_started_end(uint16_t path, uint16_t place, uint64_t begin, uint64_t end,
			     uint32_t ended_by)
{
	uint32_t thread = range_starter(place, begin) ?: ended_by;

	if (started_end(path, place, begin, end, &thread))
		add_ended_range(range_of(0, path), path, thread, begin, end, place + 1u);
}

/* Notes that a thread has lost changes from a time on; 0: it has not. The thread says so until its
 * next change, and with that. Whether it is new: added again behind later changes it would hide
 * these. */
static bool note_loss(struct past *past, uint64_t since)
{
	const bool is_new = since && since != past->lost_since;

	if (is_new)
		history_add(&past->history, since, PATHS_UNKNOWN);
	past->lost_since = since;
	return is_new;
}

static void take_change(struct range_thread *thread, const struct change *change)
{
	note_loss(thread->past, change->lost_since);
	if (change->kind == CHANGE_START)
		take_start((struct range_owner){thread->kernel_id, thread->pthread_id},
			   change->path, change->place, change->time);
	else if (change->kind == CHANGE_END)
		take_started_end(change->path, change->place, change->started, change->time,
				 thread->kernel_id);
	else
		history_add(&thread->past->history, change->time, change->now);
	if (change->kind == CHANGE_PATH && change->started)
		add_ended_range(range_on(thread->pthread_id, change->path), change->path,
				thread->kernel_id, change->started, change->time, 0);
}

static struct entry *past_entry(uint32_t kernel_id, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {kernel_id};

	return entry_of(&threads.pasts, key, add ? sizeof(struct entry) : 0);
}

/* NULL if memory is out. */
static struct past *past_create(const struct range_thread *thread)
{
	struct entry *entry = past_entry(thread->kernel_id, true);
	struct past *past = entry ? calloc(1, sizeof(*past)) : NULL, *before;

	if (!past)
		return NULL;
	past->kernel_id = thread->kernel_id;
	past->pthread_id = thread->pthread_id;
	before = entry->item;
	if (before)
		before->replaced = true;
	entry->item = past;
	return past;
}

static void forget_oldest(void)
{
	struct past *past = threads.ended;
	struct entry *entry = past_entry(past->kernel_id, false);

	threads.ended = past->next;
	if (!threads.ended)
		threads.ended_end = &threads.ended;
	if (!past->replaced) {
		HASH_DEL(threads.pasts, entry);
		free(entry);
	}
	history_free(&past->history);
	free(past);
}

static void drain_thread(struct range_thread *thread)
{
	uint32_t tail = load_relaxed(&thread->tail), head;
	uint64_t lost_since;

	if (!thread->past)
		thread->past = past_create(thread);
	if (!thread->past)
		return;
	thread->past->at_start = load_relaxed(&thread->at_start);
	/* Acquire: the changes were written before the head moved. */
	head = load_acquire(&thread->head);
	for (; tail != head; tail++)
		take_change(thread, &thread->changes[tail % CHANGE_RECORDS]);
	/* Release: the slots are read before the thread may overwrite them. */
	store_release(&thread->tail, tail);
	/* A thread that has lost its last changes may make no more for long. */
	lost_since = load_acquire(&thread->lost_since);
	if (lost_since && head == load_acquire(&thread->head)) {
		uint16_t now = load_relaxed(&thread->now);

		if (note_loss(thread->past, lost_since))
			history_add(&thread->past->history, clock_ticks(), now);
	}
}

void ranges_start(bool (*the_counts)(uint64_t))
{
	threads.counts = the_counts;
	range_each_started(take_start);
	parse_patterns();
	/* Each call needs a record: nobody knows in which range a count-only call was made. */
	if (ranges_are_chosen())
		plan_need(NEEDS_ITS_RANGE);
}

void ranges_drain(void)
{

	/* From now on the threads tell of the ranges that they start. Most that were started before
	 * are known already. */
	if (!threads.running && lifecycle_running()) {
		range_each_started(take_start);
		threads.running = true;
	}
	for (struct range_thread *thread = range_threads(); thread; thread = thread->next)
		drain_thread(thread);
}

/* Ends the ranges that a thread still has open. If the thread goes on, as at the end of the run, it
 * may open and close ranges meanwhile, and a range may be given the begin of another. */
static void end_open(struct range_thread *thread, uint64_t now)
{
	uint32_t count = load_acquire(&thread->open_count);

	for (uint32_t i = count; i > 0; i--) {
		struct open_range *open = &thread->open[i - 1];
		uint16_t path = load_relaxed(&open->path);
		uint64_t begin = load_relaxed(&open->started);
		uint32_t range = range_on(thread->pthread_id, path);

		if (!range || begin > now)
			continue;
		add_ended_range(range, path, thread->kernel_id, begin, now, 0);
		ranges_numbered(range)->open++;
	}
}

static void count_lost(const struct range_thread *thread)
{
	session_count(run.session, COUNTER_ranges_lost, load_relaxed(&thread->lost));
}

/* If the thread has ended: reads the rest of its changes, ends its open ranges and returns true. */
static bool is_done(struct range_thread *thread, uint64_t now)
{
	if (!load_acquire(&thread->ended))
		return false;
	drain_thread(thread);
	end_open(thread, clock_ticks());
	count_lost(thread);
	if (thread->past) {
		thread->past->ended_at = now;
		*threads.ended_end = thread->past;
		threads.ended_end = &thread->past->next;
	}
	return true;
}

void ranges_reclaim(uint64_t now)
{
	struct range_thread *before = range_threads(), *thread;

	while (before && (thread = before->next)) {
		if (is_done(thread, now)) {
			before->next = thread->next;
			munmap(thread, sizeof(*thread));
		} else {
			before = thread;
		}
	}
	while (threads.ended && now - threads.ended->ended_at >= KEEP_NS)
		forget_oldest();
}

struct range_place ranges_at(uint32_t kernel_id, uint64_t ticks)
{
	struct range_place place = {.started = started_at(ticks)};
	const struct entry *entry = past_entry(kernel_id, false);
	const struct past *past = entry ? entry->item : NULL;
	uint16_t path = past ? history_at(&past->history, ticks, past->at_start) : PATHS_OUTSIDE;

	place.range = past ? range_on(past->pthread_id, path) : 0;
	place.included = include_call(path, place.started);
	session_count(run.session, COUNTER_ranges_lost, path == PATHS_UNKNOWN);
	return place;
}

struct range_place ranges_in_path(uint32_t thread, uint16_t path)
{
	/* Nodes of a graph that follow each other are of one range, most times. */
	static struct {
		uint32_t thread, range;
		uint16_t path;
	} last;

	if (path != last.path || thread != last.thread) {
		last.range = range_on(thread, path);
		last.thread = thread;
		last.path = path;
	}
	return (struct range_place){.range = last.range, .included = true};
}

double ranges_calls_in(uint16_t path, const struct row *row)
{
	const struct range_entry *range = entry_on(0, path, false);
	const uint64_t key[ENTRY_NUMBERS] = {range ? range->number : 0, (uintptr_t)row};
	const struct entry *entry = range ? entry_of(&kept.parts, key, 0) : NULL;
	const struct nvtx_part *part = entry ? entry->item : NULL;

	return part ? part->calls + (double)part->untimed : 0;
}

void ranges_tell(const struct range_place *place, const struct row *row, struct range_told *told,
		 const struct range_told *now, bool estimated)
{
	struct nvtx_part *part = part_of(place->range, row);

	if (!part) {
		session_count(run.session, COUNTER_ranges_lost,
			      !(told->calls > 0) && !(told->untimed > 0));
		*told = *now;
		return;
	}
	part->calls += now->calls - told->calls;
	part->untimed += now->untimed - told->untimed;
	part->total += now->total - told->total;
	part->variance += now->variance - told->variance;
	part->estimated |= estimated;
	if (now->calls > 0)
		figure_least(&part->minimum, &part->known, now->minimum);
	RAISE(part->maximum, now->maximum);
	*told = *now;
}

void ranges_add_call(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		     double weight, enum clock_source clock)
{
	if (place->range)
		add_call(place->range, row, nanoseconds, weight, clock);
	for (uint32_t bits = place->started; bits; bits &= bits - 1)
		add_call(range_of(0, started_path((unsigned)__builtin_ctz(bits))), row, nanoseconds,
			 weight, clock);
}

void ranges_add_untimed(const struct range_place *place, const struct row *row)
{
	ranges_add(place, row, 0, 0, CLOCK_NONE);
}

void ranges_forget_first(const struct range_place *place, const struct row *row)
{
	if (place->range)
		forget_first(place->range, row);
	for (uint32_t bits = place->started; bits; bits &= bits - 1)
		forget_first(range_of(0, started_path((unsigned)__builtin_ctz(bits))), row);
}

/* CUPTI's clock and the host's differ by some microseconds. So the middle of the call decides, as
 * it is the least likely to fall into another range. */
struct range_place ranges_of_record(uint32_t thread, uint64_t start, uint64_t end)
{
	double since = (double)(int64_t)(start + (end - start) / 2 - run.scale.realtime);

	return ranges_at(thread,
			 run.scale.ticks + (uint64_t)(int64_t)(since / run.scale.ns_per_tick));
}

static void warn(void)
{
	const uint64_t *counters = run.header->counters;

	if (counters[COUNTER_ranges_lost])
		session_note(
			run.session,
			"NVTX ranges: %llu did not fit (too many at a time, too deep, too many "
			"names): what was done in them counts in the range around them, or in "
			"none.",
			(unsigned long long)counters[COUNTER_ranges_lost]);
	if (counters[COUNTER_ranges_unbalanced])
		session_note(run.session, "NVTX ranges ended that had not begun: %llu.",
			     (unsigned long long)counters[COUNTER_ranges_unbalanced]);
}

void ranges_finish(void)
{
	uint64_t now = clock_ticks();
	uint64_t begin;
	uint16_t path, place;

	ranges_drain();
	for (struct range_thread *thread = range_threads(); thread; thread = thread->next) {
		end_open(thread, now);
		count_lost(thread);
	}
	while ((path = started_open(&place, &begin)) != 0) {
		uint32_t range = range_of(0, path);

		take_started_end(path, place, begin, now, 0);
		if (range)
			ranges_numbered(range)->open++;
	}
	session_count(run.session, COUNTER_ranges_lost,
		      paths_lost() + range_counts.too_deep + range_counts.unstarted);
	session_count(run.session, COUNTER_ranges_unbalanced, range_counts.unbalanced);
	warn();
}
