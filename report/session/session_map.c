/* SPDX-License-Identifier: MIT */
/* File growth and segments: what lies under a session's rows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/session_internal.h"

int segment_place_add(struct session *session, uint64_t offset, uint64_t size,
		      enum segment_kind kind)
{
	if (session->place_count == session->place_capacity) {
		size_t capacity = session->place_capacity ? session->place_capacity * 2 : 64;
		struct segment_place *places = realloc(session->places, capacity * sizeof(*places));

		if (!places)
			return -ENOMEM;
		session->places = places;
		session->place_capacity = capacity;
	}
	session->places[session->place_count++] =
		(struct segment_place){offset, size, kind, .mapped = true};
	return 0;
}

struct segment_place *segment_find(const struct session *session, uint64_t offset)
{
	size_t low = 0, high = session->place_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		struct segment_place *place = &session->places[middle];

		if (offset < place->offset)
			high = middle;
		else if (offset - place->offset >= place->size)
			low = middle + 1;
		else
			return place;
	}
	return NULL;
}

bool is_session_file(const struct session *session, int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_dev == session->device &&
	       status.st_ino == session->inode;
}

/*
 * A descriptor of the session's file: the one that was kept, where the program has neither closed
 * nor replaced it, or a new one. *opened says that the caller has to close it.
 */
static int session_descriptor(const struct session *session, int access, bool *opened)
{
	int fd;

	*opened = false;
	if (session->fd >= 0 && is_session_file(session, session->fd))
		return session->fd;
	fd = open(session->path, access | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (!is_session_file(session, fd)) {
		close(fd);
		return -ESTALE;
	}
	*opened = true;
	return fd;
}

int allocate_blocks(int fd, uint64_t offset, uint64_t size)
{
	struct rlimit limit;
	int error;

	/* Beyond this limit the kernel would send SIGXFSZ, which ends the program. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + size > limit.rlim_cur)
		return -EFBIG;
	do {
		error = posix_fallocate(fd, (off_t)offset, (off_t)size);
	} while (error == EINTR);
	return -error;
}

int map_file(const struct session *session, int fd, int protection, int sharing, uint64_t offset,
	     uint64_t size)
{
	void *map = mmap(session->base + offset, size, protection, sharing | MAP_FIXED, fd,
			 (off_t)offset);

	return map == MAP_FAILED ? -errno : 0;
}

int map_anonymous(const struct session *session, uint64_t offset, uint64_t size)
{
	void *map = mmap(session->base + offset, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return map == MAP_FAILED ? -errno : 0;
}

static int grow_file(const struct session *session, uint64_t offset, uint64_t size)
{
	struct stat status;
	bool opened;
	int fd, error = 0;

	fd = session_descriptor(session, O_RDWR, &opened);
	if (fd < 0)
		return fd;
	/* Another process cut it: what lies behind the cut is lost, and would be for a reader too.
	 */
	if (fstat(fd, &status) < 0)
		error = -errno;
	else if ((uint64_t)status.st_size < offset)
		error = -ESTALE;
	if (!error)
		error = allocate_blocks(fd, offset, size);
	if (!error)
		error = map_file(session, fd, PROT_READ | PROT_WRITE, MAP_SHARED, offset, size);
	if (opened)
		close(fd);
	return error;
}

void segment_start(struct session *session, enum segment_kind kind, uint64_t offset, uint64_t size)
{
	struct segment *segment = (struct segment *)(session->base + offset);

	segment->magic = SEGMENT_MAGIC;
	segment->kind = kind;
	segment->size = size;
	segment->used = sizeof(*segment);
	session->current[kind] = (struct segment_end){(char *)segment, size, sizeof(*segment)};
}

int segment_add(struct session *session, enum segment_kind kind, uint64_t payload)
{
	struct session_header *header = session_header(session);
	uint64_t offset = session->size;
	uint64_t size = sizeof(struct segment) + payload;
	const char *file_error = NULL;
	int error;

	if (payload > session->reserved)
		return -ENOSPC;
	size = (size + SESSION_SEGMENT_ALIGN - 1) / SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN;
	if (size > session->reserved - offset)
		return -ENOSPC;
	error = segment_place_add(session, offset, size, kind);
	if (error)
		return error;

	if (!session->anonymous) {
		error = grow_file(session, offset, size);
		/* A trace is the one thing that may be as large as the disk: it ends here. */
		if (error && kind == SEGMENT_TRACE)
			goto undo;
		if (error) {
			session->anonymous = true;
			file_error = strerror(-error);
		}
	}
	if (session->anonymous) {
		error = map_anonymous(session, offset, size);
		if (error)
			goto undo;
	}
	segment_start(session, kind, offset, size);
	session->size = offset + size;
	/* What is not in the file must not be looked for there. */
	if (!session->anonymous)
		__atomic_store_n(&header->file_size, session->size, __ATOMIC_RELEASE);
	if (file_error)
		session_note(session,
			     "The profile %s could not grow (%s): what came later is in this "
			     "report only.",
			     session->path, file_error);
	return 0;
undo:
	session->place_count--;
	return error;
}

void segment_unmap(struct session *session, struct segment_place *place)
{
	if (session->anonymous || !place->mapped)
		return;
	/* The range stays reserved: nothing else may move in between the segments. */
	if (mmap(session->base + place->offset, place->size, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		place->mapped = false;
}

int segment_map(const struct session *session, struct segment_place *place, int protection)
{
	bool opened;
	int fd, error;

	if (place->mapped)
		return 0;
	fd = session_descriptor(session, protection & PROT_WRITE ? O_RDWR : O_RDONLY, &opened);
	if (fd < 0)
		return fd;
	error = map_file(session, fd, protection, MAP_SHARED, place->offset, place->size);
	if (opened)
		close(fd);
	if (!error)
		place->mapped = true;
	return error;
}

int segment_reuse_trace(struct session *session)
{
	struct segment_place *end = session->places + session->place_count;
	struct segment_place *place = segment_find(
		session, session_offset(session, session->current[SEGMENT_TRACE].segment));
	struct segment *segment;
	int error;

	/* They are filled one after the other: behind the newest is the oldest. */
	do {
		place = place + 1 < end ? place + 1 : session->places;
	} while (place->kind != SEGMENT_TRACE);
	error = segment_map(session, place, PROT_READ | PROT_WRITE);
	if (error)
		return error;
	segment = (struct segment *)(session->base + place->offset);
	__atomic_store_n(&segment->used, sizeof(*segment), __ATOMIC_RELEASE);
	session->current[SEGMENT_TRACE] =
		(struct segment_end){(char *)segment, place->size, sizeof(*segment)};
	return 0;
}
