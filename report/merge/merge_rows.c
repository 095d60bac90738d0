/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/merge/row_sum.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "report/session/session_internal.h"

/* What a sum or a spread is of; members that do not apply are 0. */
struct merge_key {
	uint64_t name;
	int32_t device;
	uint32_t kind, clock, reserved;
};

/* Both structures of entries begin with it. */
struct merge_entry {
	struct merge_key key;
	UT_hash_handle hh;
};

struct sum_entry {
	struct merge_entry entry;
	struct row *row;
	bool estimated;
	struct spread_entry *spread; /* of its name; NULL: not looked for yet */
};

struct spread_entry {
	struct merge_entry entry;
	struct job_row *row;
	bool is_collective;
	/* Of the process that is being added. */
	bool is_touched;
	struct spread_entry *next_touched;
	uint64_t calls;
	double total, error;
};

bool row_is_collective(enum row_kind kind, const char *name)
{
	return kind == ROW_KERNEL &&
	       (strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel")) &&
	       !strstr(name, "SendRecv");
}

/* The entry of a key, of `size` bytes and zero if it is new; NULL if memory is out. */
static void *find_entry(struct merge_entry **table, const struct merge_key *key, size_t size)
{
	struct merge_entry *entry;

	HASH_FIND(hh, *table, key, sizeof(*key), entry);
	if (entry)
		return entry;
	entry = calloc(1, size);
	if (!entry)
		return NULL;
	entry->key = *key;
	HASH_ADD(hh, *table, key, sizeof(*key), entry);
	if (entry->hh.tbl)
		return entry;
	free(entry);
	return NULL;
}

static void free_entries(struct merge_entry **table)
{
	struct merge_entry *entry, *next;

	HASH_ITER (hh, *table, entry, next) {
		HASH_DEL(*table, entry);
		free(entry);
	}
}

static struct sum_entry *find_sum(struct merge_rows *rows, const struct row *from, uint64_t name,
				  enum clock_source clock)
{
	const struct merge_key key = {
		.name = name, .device = from->device, .kind = from->kind, .clock = clock};
	struct sum_entry *sum = find_entry(&rows->sums, &key, sizeof(*sum));

	if (sum && !sum->row)
		sum->row = session_append_row(rows->session, from->kind, name, from->device);
	return sum && sum->row ? sum : NULL;
}

static struct spread_entry *find_spread(struct merge_rows *rows, enum row_kind kind, uint64_t name)
{
	const struct job_row empty = {.kind = kind, .name = name, .minimum = UINT64_MAX};
	const struct merge_key key = {.name = name, .kind = kind};
	struct spread_entry *spread = find_entry(&rows->spreads, &key, sizeof(*spread));

	if (spread && !spread->row) {
		spread->row = session_add_job_row(rows->session, &empty);
		spread->is_collective =
			row_is_collective(kind, session_string(rows->session, name));
	}
	return spread && spread->row ? spread : NULL;
}

/* The time of all calls of a row, as its report shows it. */
static struct estimated shown(const struct session *source, const struct row *row,
			      bool *is_estimated)
{
	enum clock_source clock;
	const struct figures *figures = row_figures(source, row, &clock);

	*is_estimated = clock != CLOCK_NONE && row_is_estimated(row, clock);
	if (*is_estimated)
		return row_estimate(row, clock);
	return (struct estimated){.total = clock == CLOCK_NONE ? 0 : (double)figures->total};
}

/*
 * A sum of estimates is none that strata or windows would give: it stands in the fields for
 * windows, and row_estimate() takes it from there if the row is a sum.
 */
static struct sum_entry *add_sum(struct merge_rows *rows, const struct session *source,
				 const struct row *from, uint64_t name)
{
	enum clock_source clock;
	const struct figures *figures = row_figures(source, from, &clock);
	struct sum_entry *entry = find_sum(rows, from, name, clock);
	struct figures *to;
	struct estimated time;
	bool estimated;

	if (!entry)
		return NULL;
	entry->row->summed = 1;
	row_sum_counts(rows->session, entry->row, source, from, clock);
	if (clock == CLOCK_NONE)
		return entry;
	to = clock == CLOCK_EVENTS ? &entry->row->events : &entry->row->cupti;
	time = shown(source, from, &estimated);
	if (estimated && !entry->estimated)
		entry->row->windows_total = (double)to->total;
	entry->estimated |= estimated;
	if (entry->estimated) {
		entry->row->windows_total += time.total;
		entry->row->windows_error =
			sqrt(entry->row->windows_error * entry->row->windows_error +
			     time.error * time.error);
	}
	row_sum_figures(rows->session, to, source, figures);
	return entry;
}

struct row *merge_rows_sum(struct merge_rows *rows, const struct session *source,
			   const struct row *from)
{
	uint64_t name = session_intern(rows->session, session_string(source, from->name));
	enum clock_source clock;
	struct sum_entry *entry;

	row_figures(source, from, &clock);
	entry = name ? find_sum(rows, from, name, clock) : NULL;
	return entry ? entry->row : NULL;
}

/* The process that is being added has something of a name. */
static void touch(struct merge_rows *rows, struct spread_entry *entry)
{
	if (entry->is_touched)
		return;
	entry->is_touched = true;
	entry->calls = 0;
	entry->total = entry->error = 0;
	entry->next_touched = rows->touched;
	rows->touched = entry;
}

int merge_rows_spread(struct merge_rows *rows, enum row_kind kind, uint64_t name, uint64_t calls,
		      double total)
{
	struct spread_entry *entry = name ? find_spread(rows, kind, name) : NULL;

	if (!entry)
		return -ENOMEM;
	touch(rows, entry);
	entry->calls += calls;
	entry->total += total;
	return 0;
}

static int add_part(struct merge_rows *rows, const struct session *source, const struct row *from,
		    struct sum_entry *sum, struct job_process *process)
{
	bool estimated;
	struct estimated time = shown(source, from, &estimated);
	struct spread_entry *entry = sum->spread;

	if (!entry)
		entry = sum->spread = find_spread(rows, from->kind, sum->entry.key.name);
	if (!entry)
		return -ENOMEM;
	touch(rows, entry);
	entry->calls += row_calls(from);
	entry->total += time.total;
	entry->error = sqrt(entry->error * entry->error + time.error * time.error);
	/* A graph's nodes have rows of their own. */
	if (table_section_of(source, from) == TABLE_GPU) {
		process->gpu += to_unsigned(time.total);
		process->operations += row_calls(from);
		process->timed |= time.total > 0;
	}
	return 0;
}

/* Of two processes with the same time the lower rank, whatever the order of the files. */
static bool is_slower(const struct session *session, const struct job_row *row, uint64_t time,
		      uint64_t process)
{
	const struct job_process *slowest = session_process_at(session, row->slowest);
	const struct job_process *other = session_process_at(session, process);

	if (!slowest || !other || time != row->maximum)
		return !slowest || time > row->maximum;
	return other->rank.rank < slowest->rank.rank;
}

static void spread_add(const struct session *session, struct job_row *row, double total,
		       uint64_t process)
{
	uint64_t time = to_unsigned(total + 0.5);

	row->processes++;
	row->total += total;
	row->squares += total * total;
	if (time < row->minimum)
		row->minimum = time;
	if (is_slower(session, row, time, process)) {
		row->maximum = time;
		row->slowest = process;
	}
}

int merge_rows_settle(struct merge_rows *rows, struct job_process *process)
{
	struct spread_entry *entry = rows->touched;
	uint64_t offset = session_offset(rows->session, process);
	int error = 0;

	rows->touched = NULL;
	for (; entry; entry = entry->next_touched) {
		struct job_part part = {.process = offset,
					.row = session_offset(rows->session, entry->row),
					.calls = entry->calls,
					.total = entry->total,
					.error = entry->error};

		entry->is_touched = false;
		/* What counted alone says nothing of times. */
		if (!process->timed)
			continue;
		spread_add(rows->session, entry->row, entry->total, offset);
		if (!entry->is_collective)
			continue;
		process->collectives += to_unsigned(entry->total);
		if (!session_add_job_part(rows->session, &part))
			error = -ENOMEM;
	}
	return error;
}

int merge_rows_add(struct merge_rows *rows, const struct session *from, struct job_process *process)
{
	const struct row *row;
	int error = 0;

	session_for_each_row (from, row) {
		uint64_t name = session_intern(rows->session, session_string(from, row->name));
		struct sum_entry *sum;

		if (!row_calls(row) && !row->failed && !row->calls_outside)
			continue;
		sum = name ? add_sum(rows, from, row, name) : NULL;
		error = sum ? 0 : -ENOMEM;
		if (!error && process && row_calls(row))
			error = add_part(rows, from, row, sum, process);
		if (error)
			return error;
	}
	return 0;
}

/* Where a row of the other profile is in this one. */
struct moved_row {
	uint64_t from, to;
	UT_hash_handle hh;
};

static int add_spread(struct merge_rows *rows, const struct session *from,
		      const struct job_row *added, uint64_t slowest, struct moved_row **moved)
{
	uint64_t name = session_intern(rows->session, session_string(from, added->name));
	struct spread_entry *entry = name ? find_spread(rows, added->kind, name) : NULL;
	struct moved_row *move = entry ? calloc(1, sizeof(*move)) : NULL;
	struct job_row *row;

	if (!move)
		return -ENOMEM;
	row = entry->row;
	row->total += added->total;
	row->squares += added->squares;
	if (added->minimum < row->minimum)
		row->minimum = added->minimum;
	if (is_slower(rows->session, row, added->maximum, slowest)) {
		row->maximum = added->maximum;
		row->slowest = slowest;
	}
	row->processes += added->processes;
	move->from = session_offset(from, added);
	move->to = session_offset(rows->session, row);
	HASH_ADD(hh, *moved, from, sizeof(move->from), move);
	if (move->hh.tbl)
		return 0;
	free(move);
	return -ENOMEM;
}

int merge_rows_add_job(struct merge_rows *rows, const struct session *from,
		       uint64_t (*process_of)(void *argument, uint64_t process), void *argument)
{
	struct moved_row *moved = NULL, *move, *next;
	const struct job_row *row;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_row(from, row) if (!error) error =
		add_spread(rows, from, row, process_of(argument, row->slowest), &moved);
	session_for_each_job_part(from, part)
	{
		struct job_part added = *part;

		HASH_FIND(hh, moved, &part->row, sizeof(part->row), move);
		added.process = process_of(argument, part->process);
		added.row = move ? move->to : 0;
		if (!error && added.process && added.row &&
		    !session_add_job_part(rows->session, &added))
			error = -ENOMEM;
	}
	HASH_ITER (hh, moved, move, next) {
		HASH_DEL(moved, move);
		free(move);
	}
	return error;
}

void merge_rows_free(struct merge_rows *rows)
{
	free_entries(&rows->sums);
	free_entries(&rows->spreads);
}
