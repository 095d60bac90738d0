/* SPDX-License-Identifier: MIT */
/* What the collector stores: rows, names, samples and notes. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/entries.h"
#include "report/session/items.h"
#include "report/session/layout.h"
#include "report/session/session_internal.h"

struct string_entry {
	const char *text;
	uint64_t offset;
	UT_hash_handle hh;
};

/* Takes `size` bytes of a segment, NULL if there is no room, and makes them visible to readers. */
static void *items_reserve(struct session *session, enum segment_kind kind, uint64_t size)
{
	struct segment_end *end = &session->current[kind];

	if (end->size - end->used < size && segment_add(session, kind, size))
		return NULL;
	return end->segment + end->used;
}

void items_publish(struct session *session, enum segment_kind kind, uint64_t size)
{
	struct segment_end *end = &session->current[kind];

	end->used += size;
	__atomic_store_n(&((struct segment *)end->segment)->used, end->used, __ATOMIC_RELEASE);
}

/* Each kind of item begins with `committed`, which is stored last. */
void *session_add_item(struct session *session, enum segment_kind kind, const void *item)
{
	const uint32_t size = item_size(kind);
	uint32_t *added = items_reserve(session, kind, size);

	if (!added)
		return NULL;
	memcpy(added, item, size);
	__atomic_store_n(added, 1, __ATOMIC_RELEASE);
	items_publish(session, kind, size);
	return added;
}

struct nvtx_part *session_add_nvtx_part(struct session *session, const struct nvtx_range *range,
					const struct row *row)
{
	return session_add_item(session, SEGMENT_RANGE_PARTS,
				&(struct nvtx_part){.range = session_offset(session, range),
						    .row = session_offset(session, row)});
}

struct metric_values *session_add_metric(struct session *session, const struct row *row,
					 const char *name, const char *description, uint32_t unit)
{
	const struct metric_values added = {
		.unit = unit,
		.row = session_offset(session, row),
		.name = session_intern(session, name),
		.description = session_intern(session, description),
	};

	return added.name ? session_add_item(session, SEGMENT_METRICS, &added) : NULL;
}

uint64_t session_intern(struct session *session, const char *text)
{
	size_t length = strlen(text);
	struct string_entry *entry = NULL;
	char *copy;

	HASH_FIND(hh, session->strings, text, length, entry);
	if (entry)
		return entry->offset;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return 0;
	copy = items_reserve(session, SEGMENT_STRINGS, length + 1);
	if (!copy)
		goto fail;
	memcpy(copy, text, length + 1);
	entry->text = copy;
	entry->offset = session_offset(session, copy);
	HASH_ADD_KEYPTR(hh, session->strings, copy, length, entry);
	if (!entry->hh.tbl)
		goto fail;
	items_publish(session, SEGMENT_STRINGS, length + 1);
	return entry->offset;
fail:
	free(entry);
	return 0;
}

bool session_row_cut(const struct session *session, const struct row *row)
{
	return fault_happened(session->base) &&
	       (!row->committed || !*session_string(session, row->name));
}

struct row *session_row(struct session *session, enum row_kind kind, const char *name, int device)
{
	const uint64_t key[ENTRY_NUMBERS] = {session_intern(session, name), kind, (uint64_t)device};
	struct entry *entry = key[0] ? entry_of(&session->rows, key, sizeof(*entry)) : NULL;

	if (entry && (!entry->item || session_row_lost(session, entry->item)))
		entry->item = session_add_item(
			session, SEGMENT_ROWS,
			&(struct row){.kind = kind, .name = key[0], .device = device});
	return entry ? entry->item : NULL;
}

void session_index_free(struct session *session)
{
	struct string_entry *string, *next;

	HASH_ITER (hh, session->strings, string, next) {
		HASH_DEL(session->strings, string);
		free(string);
	}
	entries_free(&session->rows);
	entries_free(&session->idle);
}

/* Rows for causes of idle time by thread; the causes of further threads are summed up. Chosen. */
#define IDLE_ROWS 1024

struct idle_row *session_idle_row(struct session *session, const struct idle_row *wanted)
{
	uint64_t key[ENTRY_NUMBERS] = {wanted->name, (uint64_t)wanted->device, wanted->cause,
				       wanted->thread};
	struct entry *entry = entry_of(&session->idle, key, 0);

	if (!entry && HASH_COUNT(session->idle) >= IDLE_ROWS)
		key[3] = 0;
	if (!entry)
		entry = entry_of(&session->idle, key, sizeof(*entry));
	if (entry && !entry->item)
		entry->item = session_add_item(session, SEGMENT_IDLE,
					       &(struct idle_row){.cause = wanted->cause,
								  .name = wanted->name,
								  .device = wanted->device,
								  .thread = (uint32_t)key[3]});
	return entry ? entry->item : NULL;
}

void session_add_idle(struct idle_row *row, uint64_t nanoseconds, uint64_t before, uint64_t after)
{
	row->gaps++;
	row->total += nanoseconds;
	if (nanoseconds <= row->longest)
		return;
	row->longest = nanoseconds;
	row->longest_before = before;
	row->longest_after = after;
}

struct histogram *session_make_histogram(struct session *session, uint64_t *offset)
{
	uint64_t present = __atomic_load_n(offset, __ATOMIC_RELAXED);
	struct histogram *histogram;

	if (present)
		return session_histogram(session, present);
	histogram = items_reserve(session, SEGMENT_HISTOGRAMS, sizeof(*histogram));
	if (!histogram)
		return NULL;
	items_publish(session, SEGMENT_HISTOGRAMS, sizeof(*histogram));
	*offset = session_offset(session, histogram);
	return histogram;
}

void session_add_weighted(struct session *session, struct figures *figures, uint64_t nanoseconds,
			  uint32_t calls)
{
	struct histogram *histogram = session_make_histogram(session, &figures->histogram);

	figures->total += nanoseconds;
	figure_least(&figures->minimum, &figures->known, nanoseconds);
	RAISE(figures->maximum, nanoseconds);
	figures->squares += (double)nanoseconds * (double)nanoseconds;
	if (histogram)
		histogram_add_calls(histogram, nanoseconds, calls);
	figures->count++;
}

void session_add_byte_sums(struct row *row, uint64_t bytes, double squares, uint64_t minimum,
			   uint64_t maximum)
{
	row->bytes += bytes;
	figure_least(&row->bytes_minimum, &row->known, minimum);
	RAISE(row->bytes_maximum, maximum);
	row->bytes_squares += squares;
}

void session_add_bytes(struct row *row, uint64_t bytes)
{
	session_add_byte_sums(row, bytes, (double)bytes * (double)bytes, bytes, bytes);
}

/* Size per time of a call. */
static double speed(const struct sized_call *call)
{
	return (double)call->size / (double)call->ns;
}

void session_add_sized_call(struct figures *figures, const struct sized_call *call)
{
	if (!call->size || !call->ns)
		return;
	if (figures->slowest.size == 0 || speed(call) < speed(&figures->slowest))
		figures->slowest = *call;
	if (figures->fastest.size == 0 || speed(call) > speed(&figures->fastest))
		figures->fastest = *call;
}

void session_add_size(struct figures *figures, uint64_t size, uint64_t nanoseconds)
{
	figures->size += size;
	session_add_sized_call(figures, &(struct sized_call){size, nanoseconds});
}

void session_add_shape(struct row *row, const struct launch_shape *added)
{
	for (unsigned i = 0; i < ROW_SHAPES && added->threads; i++) {
		struct launch_shape *shape = &row->shapes[i];

		if (!shape->threads) {
			*shape = *added;
			return;
		}
		if (shape->threads == added->threads && shape->registers == added->registers &&
		    shape->shared == added->shared) {
			shape->launches += added->launches;
			shape->blocks += added->blocks;
			return;
		}
	}
}

void session_add_difference(struct session *session, struct row *row, uint64_t nanoseconds)
{
	struct histogram *histogram = session_make_histogram(session, &row->difference_histogram);

	if (histogram)
		histogram_add(histogram, nanoseconds);
}

void session_note(struct session *session, const char *format, ...)
{
	struct session_header *header = session_header(session);
	char text[1024];
	va_list arguments;
	locale_t before;
	uint64_t offset;
	uint32_t count, i;

	/* The program's locale must not put a comma into a figure. */
	before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	uselocale(before);

	offset = session_intern(session, text);
	count = __atomic_load_n(&header->note_count, __ATOMIC_RELAXED);
	if (!offset || count >= SESSION_NOTES)
		return;
	for (i = 0; i < count; i++)
		if (header->notes[i] == offset)
			return;
	header->notes[count] = offset;
	__atomic_store_n(&header->note_count, count + 1, __ATOMIC_RELEASE);
}
