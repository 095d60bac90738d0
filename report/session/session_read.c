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

static bool write_all(const struct session *session, uint64_t from, uint64_t to, FILE *file)
{
	return to <= from || fwrite(session->base + from, to - from, 1, file) == 1;
}

bool session_save(const struct session *session, FILE *file)
{
	uint64_t written = 0;
	bool is_written = true;

	for (size_t i = 0; i < session->place_count && is_written; i++) {
		struct segment_place *place = &session->places[i];

		segment_map(session, place, PROT_READ);
		is_written = write_all(session, written, place->offset + place->size, file);
		written = place->offset + place->size;
		/* Histograms may have been changed. */
		if (place->kind == SEGMENT_TRACE)
			segment_release(session, place);
	}
	return is_written && write_all(session, written, session->size, file);
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
 * But for its holes. Nothing of a file that is read is mapped: whoever may write to it could cut
 * it, which takes even private copies of mapped pages away, or change an offset between its check
 * and its use.
 */
void read_part(const struct session *session, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size;

	/* A program closes descriptors that it does not know. */
	if (!is_session_file(session, session->fd))
		return;
	while (offset < end) {
		off_t data = lseek(session->fd, (off_t)offset, SEEK_DATA);
		ssize_t length;

		if (data > (off_t)offset)
			offset = (uint64_t)data;
		if ((data < 0 && errno == ENXIO) || offset >= end)
			return;
		length = pread(session->fd, session->base + offset, end - offset, (off_t)offset);
		if (length == 0 || (length < 0 && errno != EINTR))
			return;
		offset += length > 0 ? (uint64_t)length : 0;
	}
}

/*
 * What is read from the file when it is needed: a trace, which may be longer than memory, and
 * histograms, of which most are never looked at, where no one writes them any more. Neither holds
 * offsets that are trusted.
 */
static bool is_of_file(const struct session *session, uint64_t offset,
		       const struct segment *segment)
{
	return (segment->kind == SEGMENT_TRACE ||
		(segment->kind == SEGMENT_HISTOGRAMS && session_header(session)->finished)) &&
	       offset % PAGE == 0 && segment->size % PAGE == 0;
}

/* The header as it was checked, which may be another in the file by now. */
static void read_segment(const struct session *session, uint64_t offset,
			 const struct segment *segment)
{
	uint64_t used = segment->used < segment->size ? segment->used : segment->size;

	memcpy(session->base + offset, segment, sizeof(*segment));
	read_part(session, offset + sizeof(*segment),
		  used > sizeof(*segment) ? used - sizeof(*segment) : 0);
}

static int read_segments(struct session *session)
{
	uint64_t offset = session_header(session)->header_size;

	while (offset < session->size) {
		struct segment segment;
		ssize_t length;
		int error;

		do {
			length = pread(session->fd, &segment, sizeof(segment), (off_t)offset);
		} while (length < 0 && errno == EINTR);
		if (length != sizeof(segment) || segment.magic != SEGMENT_MAGIC ||
		    segment.kind >= SEGMENT_KINDS || segment.size < sizeof(segment) ||
		    segment.size > session->size - offset || segment.size % sizeof(segment))
			return -EBADMSG;
		error = segment_places_reserve(session);
		if (error)
			return error;
		segment_place_add(session, offset, segment.size, segment.kind);
		if (is_of_file(session, offset, &segment))
			session->places[session->place_count - 1].of_file = true;
		else
			read_segment(session, offset, &segment);
		offset += segment.size;
	}
	return 0;
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

static bool reads_more(const struct session *session)
{
	for (size_t i = 0; i < session->place_count; i++)
		if (session->places[i].of_file)
			return true;
	return false;
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
	session->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (session->fd < 0 || fstat(fd, &status) < 0) {
		error = -errno;
		goto out;
	}
	session->device = status.st_dev;
	session->inode = status.st_ino;
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
	read_part(session, 0,
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
	error = read_segments(session);
	if (error)
		goto out;
	clean_texts(session_header(session));
	if (!session_header(session)->finished)
		session_subtract_overheads(session);
	if (!reads_more(session)) {
		close(session->fd);
		session->fd = -1;
	}
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
	struct histogram *histogram =
		offset % _Alignof(struct histogram)
			? NULL
			: item_at(session, offset, SEGMENT_HISTOGRAMS, sizeof(*histogram));

	if (histogram && !session->writable)
		segment_map(session, segment_find(session, offset), PROT_READ);
	return histogram;
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
	const struct trace_record *record = previous;
	struct segment_place *place =
		previous ? segment_find(session, session_offset(session, previous)) : NULL;

	do {
		record = item_next(session, SEGMENT_TRACE, sizeof(*record), record);
	} while (record && record->kind >= ROW_KINDS);
	/* A trace may be longer than memory. */
	if (place && place != segment_find(session, session_offset(session, record)))
		segment_release(session, place);
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
