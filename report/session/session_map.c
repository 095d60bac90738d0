/* SPDX-License-Identifier: MIT */
/* Address space, file growth and segments: what lies under a session's rows. */
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

#define RESERVED_MOST  (256UL << 30)
#define RESERVED_LEAST (16UL << 20)

#define HEADER_BYTES   (((sizeof(struct session_header)) + 4095) / 4096 * 4096)
_Static_assert(HEADER_BYTES < SESSION_SEGMENT_ALIGN, "the header shares the first 64 KiB");

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

static bool is_session_file(const struct session *session, int fd)
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

/* Allocates the blocks first: a store into a hole of a full disk would be a SIGBUS. */
static int allocate_blocks(int fd, uint64_t offset, uint64_t size)
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

static int map_file(const struct session *session, int fd, int protection, uint64_t offset,
		    uint64_t size)
{
	void *map = mmap(session->base + offset, size, protection, MAP_SHARED | MAP_FIXED, fd,
			 (off_t)offset);

	return map == MAP_FAILED ? -errno : 0;
}

static int map_anonymous(const struct session *session, uint64_t offset, uint64_t size)
{
	void *map = mmap(session->base + offset, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return map == MAP_FAILED ? -errno : 0;
}

static int grow_file(const struct session *session, uint64_t offset, uint64_t size)
{
	bool opened;
	int fd, error;

	fd = session_descriptor(session, O_RDWR, &opened);
	if (fd < 0)
		return fd;
	error = allocate_blocks(fd, offset, size);
	if (!error)
		error = map_file(session, fd, PROT_READ | PROT_WRITE, offset, size);
	if (opened)
		close(fd);
	return error;
}

static void segment_start(struct session *session, enum segment_kind kind, uint64_t offset,
			  uint64_t size)
{
	struct segment *segment = (struct segment *)(session->base + offset);

	segment->magic = SEGMENT_MAGIC;
	segment->kind = kind;
	segment->size = size;
	segment->used = sizeof(*segment);
	session->current[kind] = segment;
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
			     "The session file %s could not grow (%s): what came later is in this "
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
	error = map_file(session, fd, protection, place->offset, place->size);
	if (opened)
		close(fd);
	if (!error)
		place->mapped = true;
	return error;
}

int segment_reuse_trace(struct session *session)
{
	struct segment_place *end = session->places + session->place_count;
	struct segment_place *place =
		segment_find(session, session_offset(session, session->current[SEGMENT_TRACE]));
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
	session->current[SEGMENT_TRACE] = segment;
	return 0;
}

static int reserve_addresses(struct session *session)
{
	uint64_t size;

	for (size = RESERVED_MOST; size >= RESERVED_LEAST; size /= 2) {
		void *base = mmap(NULL, size, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (base != MAP_FAILED) {
			session->base = base;
			session->reserved = size;
			return 0;
		}
	}
	return -ENOMEM;
}

/* Creates the file under a name of its own and moves it into place once it is whole. */
static int create_file(struct session *session, const char *path, bool trace)
{
	struct stat status;
	char *temporary = NULL;
	int fd = -1, error = 0;

	/* A device or a pipe would be replaced as well. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if (asprintf(&temporary, "%s.%d.new", path, (int)getpid()) < 0)
		return -ENOMEM;
	unlink(temporary);
	fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = -errno;
		goto out;
	}
	error = allocate_blocks(fd, 0, SESSION_SEGMENT_ALIGN);
	if (!error)
		error = map_file(session, fd, PROT_READ | PROT_WRITE, 0, SESSION_SEGMENT_ALIGN);
	if (!error && fstat(fd, &status) < 0)
		error = -errno;
	if (!error && rename(temporary, path) < 0)
		error = -errno;
	if (error) {
		unlink(temporary);
		goto out;
	}
	session->device = status.st_dev;
	session->inode = status.st_ino;
	/* The program may change its directory. */
	session->path = realpath(path, NULL);
	if (!session->path) {
		error = -errno;
		unlink(path);
	}
out:
	if (trace && !error)
		session->fd = fd;
	else if (fd >= 0)
		close(fd);
	free(temporary);
	return error;
}

static void header_start(struct session *session, bool trace)
{
	struct session_header *header = session_header(session);

	header->version = SESSION_VERSION;
	header->header_size = HEADER_BYTES;
	header->row_size = sizeof(struct row);
	header->histogram_buckets = HISTOGRAM_BUCKETS;
	header->pid = getpid();
	header->trace_on = trace;
	segment_start(session, SEGMENT_STRINGS, HEADER_BYTES, SESSION_SEGMENT_ALIGN - HEADER_BYTES);
	session->size = SESSION_SEGMENT_ALIGN;
	__atomic_store_n(&header->file_size, session->size, __ATOMIC_RELEASE);
	__atomic_store_n(&header->magic, SESSION_MAGIC, __ATOMIC_RELEASE);
}

int session_create(struct session **result, const char *path, bool trace)
{
	struct session *session = calloc(1, sizeof(*session));
	int error;

	*result = NULL;
	if (!session)
		return -ENOMEM;
	session->fd = -1;
	session->writable = true;
	session->anonymous = !path;
	session_limit_trace(session, UINT64_MAX);
	error = reserve_addresses(session);
	if (!error)
		error = segment_place_add(session, HEADER_BYTES,
					  SESSION_SEGMENT_ALIGN - HEADER_BYTES, SEGMENT_STRINGS);
	if (!error)
		error = path ? create_file(session, path, trace)
			     : map_anonymous(session, 0, SESSION_SEGMENT_ALIGN);
	if (error) {
		session_close(session);
		return error;
	}
	header_start(session, trace);
	*result = session;
	return 0;
}

void session_close(struct session *session)
{
	if (!session)
		return;
	session_index_free(session);
	if (session->fd >= 0 && is_session_file(session, session->fd))
		close(session->fd);
	if (session->base)
		munmap(session->base, session->reserved);
	free(session->places);
	free(session->path);
	free(session);
}
