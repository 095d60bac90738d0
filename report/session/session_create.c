/* SPDX-License-Identifier: MIT */
/* Making a session: its addresses, its file and its header; and its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/layout.h"
#include "report/session/new_file.h"
#include "report/session/owner.h"
#include "report/session/session_internal.h"
#include "report/session/unlocked.h"

#define RESERVED_MOST  (256UL << 30)
#define RESERVED_LEAST (1UL << 20)

_Static_assert(HEADER_BYTES < SESSION_SEGMENT_ALIGN, "the header shares the first 64 KiB");

static int reserve_addresses(struct session *session)
{
	uint64_t most = process_addresses(RESERVED_MOST);

	for (uint64_t size = most > RESERVED_LEAST ? most : RESERVED_LEAST; size >= RESERVED_LEAST;
	     size = size / 2 / SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN) {
		void *base = map_unlocked(size, PROT_NONE);

		if (base != MAP_FAILED) {
			session->base = base;
			session->reserved = size;
			fault_cover(session->base, session->reserved);
			return 0;
		}
	}
	return -ENOMEM;
}

void header_write(struct session *session, uint64_t file_size)
{
	struct session_header *header = session_header(session);
	struct layout_line *lines = (struct layout_line *)(session->base + LAYOUT_PLACE);

	header->version = SESSION_VERSION;
	header->header_size = HEADER_BYTES;
	header->control = CONTROL_PLACE;
	header->layout = LAYOUT_PLACE;
	header->layout_lines = layout_write(lines);
	header->layout_sum = layout_sum(lines, header->layout_lines);
	header->histogram_version = HISTOGRAM_VERSION;
	header->estimate_version = ESTIMATE_VERSION;
	__atomic_store_n(&header->file_size, file_size, __ATOMIC_RELEASE);
	__atomic_store_n(&header->magic, SESSION_MAGIC, __ATOMIC_RELEASE);
}

/* What a writer's header holds from the beginning on. */
static void header_begin(struct session *session)
{
	struct session_header *header = session_header(session);

	header->pid = getpid();
	header->owner = session->owner;
	header->rank = (struct process_rank){-1, -1, -1, .launcher = ""};
	header->trace_on = !!(session->flags & SESSION_TRACE);
	header->kept = !!(session->flags & SESSION_KEPT);
	header_write(session, session->size);
}

/* Creates the file under a name of its own and moves it into place once it is whole. */
static int create_file(struct session *session, const char *path)
{
	unsigned replaces = session->flags & SESSION_REPLACES ? NEW_FILE_REPLACES : 0;
	struct new_file file;
	struct stat status;
	int error, fd = new_file_open(&file, path, NEW_FILE_PROFILE | replaces, 0600);

	if (fd < 0)
		return fd;
	error = allocate_blocks(fd, 0, SESSION_SEGMENT_ALIGN);
	if (!error)
		error = map_file(session, fd, PROT_READ | PROT_WRITE, 0, SESSION_SEGMENT_ALIGN);
	if (!error && fstat(fd, &status) < 0)
		error = -errno;
	/* The program may change its directory. */
	if (!error)
		session->path = realpath(file.temporary, NULL);
	if (!error && !session->path)
		error = -errno;
	if (error) {
		new_file_abandon(&file);
		goto out;
	}
	session->path[strlen(session->path) - NEW_FILE_SUFFIX] = '\0';
	header_begin(session);
	segment_start(session, SEGMENT_STRINGS, HEADER_BYTES, SESSION_SEGMENT_ALIGN - HEADER_BYTES);
	error = new_file_place(&file);
	if (error)
		goto out;
	session->device = status.st_dev;
	session->inode = status.st_ino;
out:
	if (session->flags & SESSION_TRACE && !error)
		session->fd = fd;
	else
		close(fd);
	return error;
}

static int create_memory(struct session *session)
{
	int error = map_anonymous(session, 0, SESSION_SEGMENT_ALIGN);

	if (error)
		return error;
	header_begin(session);
	segment_start(session, SEGMENT_STRINGS, HEADER_BYTES, SESSION_SEGMENT_ALIGN - HEADER_BYTES);
	return 0;
}

int session_create(struct session **result, const char *path, unsigned flags)
{
	struct session *session = calloc(1, sizeof(*session));
	int error;

	*result = NULL;
	if (!session)
		return -ENOMEM;
	session->fd = -1;
	session->writable = true;
	session->anonymous = !path;
	session->flags = flags;
	session->size = SESSION_SEGMENT_ALIGN;
	session_limit_trace(session, UINT64_MAX, UINT64_MAX);
	owner_of_this_process(&session->owner);
	error = reserve_addresses(session);
	if (!error)
		error = segment_places_reserve(session);
	if (!error)
		segment_place_add(session, HEADER_BYTES, SESSION_SEGMENT_ALIGN - HEADER_BYTES,
				  SEGMENT_STRINGS);
	if (!error)
		error = path ? create_file(session, path) : create_memory(session);
	if (error)
		session_close(session);
	else
		*result = session;
	return error;
}

void session_check(struct session *session)
{
	struct session_header *header = session_header(session);

	if (!fault_happened(session->base) && header->magic == SESSION_MAGIC)
		return;
	if (header->magic != SESSION_MAGIC)
		header_begin(session);
	session_note(session,
		     "Another process cut or overwrote the profile %s: what it held until "
		     "then is missing.",
		     session->path ? session->path : "");
}

int session_kept(const struct session *session)
{
	struct stat status;

	if (session->file_error)
		return session->file_error;
	if (!session->path || fault_happened(session->base) ||
	    session_header(session)->magic != SESSION_MAGIC)
		return -ESTALE;
	if (stat(session->path, &status) < 0)
		return -errno;
	return status.st_dev == session->device && status.st_ino == session->inode &&
			       (uint64_t)status.st_size >= session->size
		       ? 0
		       : -ESTALE;
}

void session_close(struct session *session)
{
	if (!session)
		return;
	session_index_free(session);
	if (session->fd >= 0 && is_session_file(session, session->fd))
		close(session->fd);
	fault_uncover(session->base);
	if (session->base)
		munmap(session->base, session->reserved);
	segment_places_free(session);
	layout_free(session->layout);
	free(session->path);
	free(session);
}
