/* SPDX-License-Identifier: MIT */
/* The processes of a merged profile, and what rows are in each of them. */
#include "report/session/process.h"

#include <string.h>
#include <sys/mman.h>

#include "report/session/session_internal.h"

/* Each kind of item begins with `committed`, which is stored last. */
static void *append(struct session *session, enum segment_kind kind, const void *item, size_t size)
{
	uint32_t *added = items_reserve(session, kind, size);

	if (!added)
		return NULL;
	memcpy(added, item, size);
	__atomic_store_n(added, 1, __ATOMIC_RELEASE);
	items_publish(session, kind, size);
	return added;
}

struct job_process *session_add_process(struct session *session, const struct job_process *process)
{
	return append(session, SEGMENT_PROCESSES, process, sizeof(*process));
}

struct job_row *session_add_job_row(struct session *session, const struct job_row *row)
{
	return append(session, SEGMENT_JOB_ROWS, row, sizeof(*row));
}

struct job_part *session_add_job_part(struct session *session, const struct job_part *part)
{
	return append(session, SEGMENT_JOB_PARTS, part, sizeof(*part));
}

static bool is_committed(const void *item)
{
	return __atomic_load_n((const uint32_t *)item, __ATOMIC_ACQUIRE);
}

const struct job_process *session_process_at(const struct session *session, uint64_t offset)
{
	const struct job_process *process =
		offset % _Alignof(struct job_process)
			? NULL
			: item_at(session, offset, SEGMENT_PROCESSES, sizeof(*process));

	return process && is_committed(process) ? process : NULL;
}

const struct job_process *session_next_process(const struct session *session,
					       const struct job_process *previous)
{
	const struct job_process *process =
		item_next(session, SEGMENT_PROCESSES, sizeof(*process), previous);

	while (process && !is_committed(process))
		process = item_next(session, SEGMENT_PROCESSES, sizeof(*process), process);
	return process;
}

const struct job_row *session_next_job_row(const struct session *session,
					   const struct job_row *previous)
{
	const struct job_row *row = item_next(session, SEGMENT_JOB_ROWS, sizeof(*row), previous);

	/* A damaged file may hold anything. */
	while (row &&
	       (!is_committed(row) || row->kind >= ROW_KINDS || !row->processes ||
		!*session_string(session, row->name) || !session_process_at(session, row->slowest)))
		row = item_next(session, SEGMENT_JOB_ROWS, sizeof(*row), row);
	return row;
}

const struct job_part *session_next_job_part(const struct session *session,
					     const struct job_part *previous)
{
	const struct job_part *part =
		item_next(session, SEGMENT_JOB_PARTS, sizeof(*part), previous);

	while (part && (!is_committed(part) || !session_process_at(session, part->process) ||
			part->row % _Alignof(struct job_row) ||
			!item_at(session, part->row, SEGMENT_JOB_ROWS, sizeof(struct job_row))))
		part = item_next(session, SEGMENT_JOB_PARTS, sizeof(*part), part);
	return part;
}

const struct job_process *session_trace_process(const struct session *session,
						const struct trace_record *record)
{
	const struct segment_place *place = segment_find(session, session_offset(session, record));
	const struct segment *segment;

	if (!place)
		return NULL;
	segment = (const struct segment *)(session->base + place->offset);
	return session_process_at(session, segment->process);
}

void session_limit_trace(struct session *session, uint64_t bytes, uint64_t nanoseconds)
{
	/* The oldest part that gives way at once is a quarter of it, or less. */
	uint64_t segment = bytes / 4 / SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN;

	if (segment < SESSION_SEGMENT_ALIGN)
		segment = SESSION_SEGMENT_ALIGN;
	session->trace_segment = segment < TRACE_SEGMENT ? segment : TRACE_SEGMENT;
	session->trace_segments_most = bytes / session->trace_segment;
	if (session->trace_segments_most < 2)
		session->trace_segments_most = 2;
	session->trace_ns = nanoseconds;
	session->trace_reuses = bytes != UINT64_MAX || nanoseconds != UINT64_MAX;
}

uint64_t session_trace_emptied(const struct session *session)
{
	return session->trace_emptied;
}

void session_trace_of(struct session *session, uint64_t process, uint64_t records)
{
	struct segment_end *end = &session->current[SEGMENT_TRACE];
	uint64_t bytes = sizeof(struct segment) + records * sizeof(struct trace_record);

	if (end->segment)
		segment_unmap(session,
			      segment_find(session, session_offset(session, end->segment)));
	*end = (struct segment_end){.segment = NULL};
	session->trace_process = process;
	session->trace_segment = TRACE_SEGMENT;
	if (records < TRACE_SEGMENT / sizeof(struct trace_record) && bytes < TRACE_SEGMENT)
		session->trace_segment = (bytes + SESSION_SEGMENT_ALIGN - 1) /
					 SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN;
}

bool session_next_trace_part(const struct session *session, struct trace_part *part)
{
	struct segment_place *places, *place;
	size_t count = segment_places(session, &places);

	place = part->records ? segment_find_among(places, count,
						   session_offset(session, part->records)) +
					1
			      : places;
	for (; place < places + count; place++) {
		const struct segment *segment;
		uint64_t used;

		if (place->kind != SEGMENT_TRACE || segment_map(session, place, PROT_READ))
			continue;
		used = segment_used(session, place) - sizeof(*segment);
		if (used < sizeof(struct trace_record) || used > place->size)
			continue;
		segment = (const struct segment *)(session->base + place->offset);
		*part = (struct trace_part){
			.records = (const struct trace_record *)(segment + 1),
			.count = used / sizeof(struct trace_record),
			.process = session_process_at(session, segment->process),
		};
		return true;
	}
	return false;
}

void session_release_trace_part(const struct session *session, const struct trace_part *part)
{
	segment_release(session, segment_find(session, session_offset(session, part->records)));
}

void session_hold_trace_part(const struct session *session, const struct trace_part *part)
{
	segment_map(session, segment_find(session, session_offset(session, part->records)),
		    PROT_READ);
}
