/* SPDX-License-Identifier: MIT */
/* Opening a session file, and finding one's way in a session; nothing in a file is trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/session_internal.h"

#define PAGE 4096

struct session_header *session_header(const struct session *session)
{
	return (struct session_header *)session->base;
}

void session_range(const struct session *session, const void **start, size_t *size)
{
	*start = session->base;
	*size = session->size;
}

const char *memory_kind_name(enum memory_kind kind)
{
	static const char *const names[MEMORY_KINDS] = {"unknown", "pageable", "pinned",
							"device",  "array",    "managed"};

	return kind < MEMORY_KINDS ? names[kind] : names[MEMORY_UNKNOWN];
}

static int header_check(const struct session_header *header, uint64_t size)
{
	if (header->magic != SESSION_MAGIC)
		return -EINVAL;
	if (size < sizeof(*header))
		return -ENODATA;
	if (header->version != SESSION_VERSION || header->row_size != sizeof(struct row) ||
	    header->histogram_buckets != HISTOGRAM_BUCKETS)
		return -EPROTO;
	if (header->header_size < sizeof(*header) || header->header_size % sizeof(struct segment) ||
	    header->file_size < header->header_size)
		return -EBADMSG;
	return header->file_size > size ? -ENODATA : 0;
}

/*
 * Copies a part of the file, but for its holes: whoever may write to the file could cut it later,
 * or change an offset between its check and its use. What cannot be read stays zeros.
 */
static void read_part(const struct session *session, int fd, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	while (offset < end) {
		off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
		ssize_t length;

		if (data > (off_t)offset)
			offset = (uint64_t)data;
		if ((data < 0 && errno == ENXIO) || offset >= end)
			return;
		length = pread(fd, session->base + offset, end - offset, (off_t)offset);
		if (length == 0 || (length < 0 && errno != EINTR))
			return;
		offset += length > 0 ? (uint64_t)length : 0;
	}
}

/*
 * What is mapped, and read from the file when it is needed: a trace, which may be longer than
 * memory, and histograms, of which most are never looked at, where no one writes them any more.
 * Neither holds offsets that are trusted.
 */
static bool is_of_file(const struct session *session, uint64_t offset,
		       const struct segment *segment)
{
	return (segment->kind == SEGMENT_TRACE ||
		(segment->kind == SEGMENT_HISTOGRAMS && session_header(session)->finished)) &&
	       offset % PAGE == 0 && segment->size % PAGE == 0;
}

/* Segments of one kind, one behind the other, that are mapped together. */
struct mapped_run {
	enum segment_kind kind;
	uint64_t offset, size;
};

static int map_run(const struct session *session, int fd, const struct mapped_run *run)
{
	/* Who reads a profile may change its histograms, for himself. */
	int protection = run->kind == SEGMENT_TRACE ? PROT_READ : PROT_READ | PROT_WRITE;

	if (run->size == 0)
		return 0;
	return map_file(session, fd, protection, MAP_PRIVATE | MAP_NORESERVE, run->offset,
			run->size);
}

static int read_segment(const struct session *session, int fd, uint64_t offset,
			const struct segment *segment, struct mapped_run *run)
{
	uint64_t used = segment->used < segment->size ? segment->used : segment->size;
	int error;

	if (!is_of_file(session, offset, segment)) {
		memcpy(session->base + offset, segment, sizeof(*segment));
		read_part(session, fd, offset + sizeof(*segment),
			  used > sizeof(*segment) ? used - sizeof(*segment) : 0);
		return 0;
	}
	if (segment->kind == run->kind && offset == run->offset + run->size) {
		run->size += segment->size;
		return 0;
	}
	error = map_run(session, fd, run);
	*run = (struct mapped_run){segment->kind, offset, segment->size};
	return error;
}

static int read_segments(struct session *session, int fd)
{
	uint64_t offset = session_header(session)->header_size;
	struct mapped_run run = {.size = 0};
	int error = 0;

	while (offset < session->size && !error) {
		struct segment segment;
		ssize_t length;

		do {
			length = pread(fd, &segment, sizeof(segment), (off_t)offset);
		} while (length < 0 && errno == EINTR);
		if (length != sizeof(segment) || segment.magic != SEGMENT_MAGIC ||
		    segment.kind >= SEGMENT_KINDS || segment.size < sizeof(segment) ||
		    segment.size > session->size - offset || segment.size % sizeof(segment))
			return -EBADMSG;
		error = segment_places_reserve(session);
		if (!error)
			error = read_segment(session, fd, offset, &segment, &run);
		if (!error) {
			segment_place_add(session, offset, segment.size, segment.kind);
			session->places[session->place_count - 1].read_only =
				segment.kind == SEGMENT_TRACE &&
				is_of_file(session, offset, &segment);
		}
		offset += segment.size;
	}
	return error ? error : map_run(session, fd, &run);
}

uint64_t segment_used(const struct session *session, const struct segment_place *place)
{
	const struct segment *segment = (const struct segment *)(session->base + place->offset);
	uint64_t used = __atomic_load_n(&segment->used, __ATOMIC_ACQUIRE);

	return used < place->size ? used : place->size;
}

/* The driver and the launcher gave them; a file may hold anything. */
static void clean_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			*text = '?';
}

static void clean_texts(struct session_header *header)
{
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		clean_text(header->devices[i].name, sizeof(header->devices[i].name));
	clean_text(header->rank.launcher, sizeof(header->rank.launcher));
	clean_text(header->rank.job, sizeof(header->rank.job));
}

/* Where the header says that the file ends; UINT64_MAX if it cannot be read. */
static uint64_t file_end(int fd)
{
	uint64_t end;
	ssize_t length;

	do {
		length = pread(fd, &end, sizeof(end), offsetof(struct session_header, file_size));
	} while (length < 0 && errno == EINTR);
	return length == sizeof(end) ? end : UINT64_MAX;
}

int session_open_file(struct session **result, int fd)
{
	struct session *session = calloc(1, sizeof(*session));
	/* A writer may add to the file from here on; this session ends where it ended now. */
	uint64_t end = file_end(fd);
	struct stat status;
	void *map;
	int error = 0;

	*result = NULL;
	if (!session)
		return -ENOMEM;
	session->fd = -1;
	if (fstat(fd, &status) < 0) {
		error = -errno;
		goto out;
	}
	if (S_ISDIR(status.st_mode)) {
		error = -EISDIR;
		goto out;
	}
	if (!S_ISREG(status.st_mode) ||
	    status.st_size < (off_t)sizeof(session_header(session)->magic)) {
		error = -EINVAL;
		goto out;
	}
	map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		error = -errno;
		goto out;
	}
	session->base = map;
	session->reserved = (uint64_t)status.st_size;
	fault_cover(session);
	read_part(session, fd, 0,
		  session->reserved < sizeof(struct session_header)
			  ? session->reserved
			  : sizeof(struct session_header));
	if (session->reserved >= sizeof(struct session_header) &&
	    session_header(session)->file_size > end)
		session_header(session)->file_size = end;
	error = header_check(session_header(session), session->reserved);
	if (error)
		goto out;
	session->size = session_header(session)->file_size;
	error = read_segments(session, fd);
	if (error)
		goto out;
	clean_texts(session_header(session));
	if (!session_header(session)->finished)
		session_subtract_overheads(session);
out:
	if (error)
		session_close(session);
	else
		*result = session;
	return error;
}

int session_open(struct session **result, const char *path)
{
	/* Of a pipe that nobody writes to, opening would have no end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int error;

	*result = NULL;
	if (fd < 0)
		return -errno;
	error = session_open_file(result, fd);
	close(fd);
	return error;
}

int session_load(struct session **session, const char *path, char *message, size_t size)
{
	int error = session_open(session, path);

	if (!error && !session_is_whole(*session)) {
		session_close(*session);
		*session = NULL;
		error = -EBADMSG;
	}
	switch (error) {
	case 0:
		break;
	case -EBADMSG:
		snprintf(message, size, "%s: a ktime profile that is damaged", path);
		break;
	case -EINVAL:
		snprintf(message, size, "%s: not a ktime profile", path);
		break;
	case -ENODATA:
		snprintf(message, size, "%s: a ktime profile that is cut short", path);
		break;
	case -EPROTO:
		snprintf(message, size, "%s: a profile of another version of ktime", path);
		break;
	default:
		snprintf(message, size, "%s: %s", path, strerror(-error));
		break;
	}
	return error;
}

void *item_at(const struct session *session, uint64_t offset, enum segment_kind kind, uint64_t size)
{
	const struct segment_place *place = segment_find(session, offset);

	if (!place || place->kind != kind || offset - place->offset < sizeof(struct segment) ||
	    place->size - (offset - place->offset) < size)
		return NULL;
	return session->base + offset;
}

const char *session_string(const struct session *session, uint64_t offset)
{
	const char *text = item_at(session, offset, SEGMENT_STRINGS, 1);
	const struct segment_place *place;

	if (!text)
		return "";
	place = segment_find(session, offset);
	if (!memchr(text, '\0', place->size - (offset - place->offset)))
		return "";
	return text;
}

struct histogram *session_histogram(const struct session *session, uint64_t offset)
{
	if (offset % _Alignof(struct histogram))
		return NULL;
	return item_at(session, offset, SEGMENT_HISTOGRAMS, sizeof(struct histogram));
}

void *item_next(const struct session *session, enum segment_kind kind, uint64_t size,
		const void *previous)
{
	struct segment_place *places, *place;
	size_t count = segment_places(session, &places);
	uint64_t at = sizeof(struct segment);

	place = places;
	if (previous) {
		uint64_t offset = session_offset(session, previous);

		place = segment_find_among(places, count, offset);
		if (!place)
			return NULL;
		at = offset - place->offset + size;
	}
	for (; place < places + count; place++, at = sizeof(struct segment)) {
		if (place->kind != kind || segment_map(session, place, PROT_READ))
			continue;
		if (at + size <= segment_used(session, place))
			return session->base + place->offset + at;
	}
	return NULL;
}

struct row *session_next_row(const struct session *session, const struct row *previous)
{
	struct row *row = item_next(session, SEGMENT_ROWS, sizeof(*row), previous);

	/* A row whose name came after the file was opened, or is damaged, cannot be shown. */
	while (row && (!__atomic_load_n(&row->committed, __ATOMIC_ACQUIRE) ||
		       row->kind >= ROW_KINDS || !*session_string(session, row->name)))
		row = item_next(session, SEGMENT_ROWS, sizeof(*row), row);
	return row;
}

const struct trace_record *session_next_trace(const struct session *session,
					      const struct trace_record *previous)
{
	const struct trace_record *record =
		item_next(session, SEGMENT_TRACE, sizeof(*record), previous);

	while (record && record->kind >= ROW_KINDS)
		record = item_next(session, SEGMENT_TRACE, sizeof(*record), record);
	return record;
}

bool session_knows_use(const struct session *session)
{
	const uint64_t *counters = session_header(session)->counters;

	return counters[COUNTER_windows] == 0 && counters[COUNTER_cupti_late_ns] == 0;
}

struct idle_row *session_next_idle(const struct session *session, const struct idle_row *previous)
{
	struct idle_row *row = item_next(session, SEGMENT_IDLE, sizeof(*row), previous);

	while (row && (!__atomic_load_n(&row->committed, __ATOMIC_ACQUIRE) ||
		       row->cause >= IDLE_CAUSE_COUNT || row->device < 0 ||
		       row->device >= SESSION_DEVICES))
		row = item_next(session, SEGMENT_IDLE, sizeof(*row), row);
	return row;
}
