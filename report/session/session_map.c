/* SPDX-License-Identifier: MIT */
/* A session's addresses, its file and the segments in it: making, growing and ending them; and the
 * trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/layout.h"
#include "report/session/files.h"
#include "report/session/owner.h"
#include "report/session/session_internal.h"
#include "report/session/memory.h"

/*
 * A mapped file ends where another process cuts it, and the next access behind its end is a SIGBUS.
 * The descriptors of sealed memory cannot be cut, but have no name in a folder either, under which
 * a killed program's profile would be found.
 */

/* More are not covered: a process writes one session, or has one page of commands; what is read is
 * not mapped. */
#define COVERED_MOST 4

/* A handler reads this at any time: the size is stored last and taken away first. */
static struct covered {
	_Atomic uintptr_t base;
	_Atomic size_t size; /* 0: not in use */
	_Atomic bool happened;
} covered[COVERED_MOST];
static _Atomic uintptr_t page_size;
_Atomic bool faults_happened;

static struct covered *find_covered(uintptr_t base)
{
	for (unsigned i = 0; i < COVERED_MOST; i++)
		if (atomic_load(&covered[i].base) == base && atomic_load(&covered[i].size) > 0)
			return &covered[i];
	return NULL;
}

void fault_cover(const void *base, size_t size)
{
	atomic_store(&page_size, (uintptr_t)sysconf(_SC_PAGESIZE));
	for (unsigned i = 0; i < COVERED_MOST; i++) {
		uintptr_t none = 0;

		if (!atomic_compare_exchange_strong(&covered[i].base, &none, (uintptr_t)base))
			continue;
		atomic_store(&covered[i].happened, false);
		atomic_store(&covered[i].size, size);
		return;
	}
}

void fault_uncover(const void *base)
{
	struct covered *range = base ? find_covered((uintptr_t)base) : NULL;

	if (!range)
		return;
	atomic_store(&range->size, 0);
	atomic_store(&range->base, 0);
}

bool fault_happened(const void *base)
{
	struct covered *range = find_covered((uintptr_t)base);

	return range && atomic_load(&range->happened);
}

bool session_fault(const void *address)
{
	uintptr_t at = (uintptr_t)address, page = atomic_load(&page_size);

	for (unsigned i = 0; i < COVERED_MOST; i++) {
		uintptr_t base = atomic_load(&covered[i].base);

		if (at < base || at - base >= atomic_load(&covered[i].size))
			continue;
		atomic_store(&covered[i].happened, true);
		faults_happened = true;
		return mmap((void *)(at & ~(page - 1)), page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
	}
	return false;
}

/* An array that has become too small is kept: it may be read. All together are twice the last. */
struct place_array {
	struct place_array *before;
	struct segment_place places[];
};

/* Makes room for one more; -ENOMEM. */
static int reserve_place(struct session *session)
{
	size_t capacity = session->place_capacity ? session->place_capacity * 2 : 64;
	struct place_array *array;

	if (session->place_count < session->place_capacity)
		return 0;
	array = malloc(sizeof(*array) + capacity * sizeof(array->places[0]));
	if (!array)
		return -ENOMEM;
	array->before = session->place_arrays;
	if (session->place_count)
		memcpy(array->places, session->places,
		       session->place_count * sizeof(array->places[0]));
	session->place_arrays = array;
	session->place_capacity = capacity;
	__atomic_store_n(&session->places, array->places, __ATOMIC_RELEASE);
	return 0;
}

struct segment_place *segment_place_add(struct session *session, uint64_t offset, uint64_t size,
					enum segment_kind kind)
{
	struct segment_place *place;

	if (reserve_place(session))
		return NULL;
	place = &session->places[session->place_count];
	*place = (struct segment_place){
		.offset = offset, .size = size, .kind = kind, .mapped = true};
	/* Release: whoever sees the count sees the place, and the segment that is there. */
	__atomic_store_n(&session->place_count, session->place_count + 1, __ATOMIC_RELEASE);
	return place;
}

size_t segment_places(const struct session *session, struct segment_place **places)
{
	/* The count first: an array that is newer has these places too. */
	size_t count = __atomic_load_n(&session->place_count, __ATOMIC_ACQUIRE);

	*places = __atomic_load_n(&session->places, __ATOMIC_ACQUIRE);
	return count;
}

static void segment_places_free(struct session *session)
{
	for (struct place_array *array = session->place_arrays, *before; array; array = before) {
		before = array->before;
		free(array);
	}
}

struct segment_place *segment_find_among(struct segment_place *places, size_t count,
					 uint64_t offset)
{
	size_t found = FIRST_NOT(i, 0, count, places[i].offset + places[i].size <= offset);

	return found < count && places[found].offset <= offset ? &places[found] : NULL;
}

struct segment_place *segment_find(const struct session *session, uint64_t offset)
{
	struct segment_place *places;
	size_t count = segment_places(session, &places);

	return segment_find_among(places, count, offset);
}

struct segment_place *segment_item(const struct session *session, uint64_t offset,
				   enum segment_kind kind, uint64_t size)
{
	struct segment_place *place = segment_find(session, offset);

	return place && place->kind == kind && offset - place->offset >= sizeof(struct segment) &&
			       place->size - (offset - place->offset) >= size
		       ? place
		       : NULL;
}

const char *session_string(const struct session *session, uint64_t offset)
{
	const struct segment_place *place = segment_item(session, offset, SEGMENT_STRINGS, 1);
	const char *text = place ? session->base + offset : NULL;

	return text && memchr(text, '\0', place->size - (offset - place->offset)) ? text : "";
}

struct histogram *session_histogram(const struct session *session, uint64_t offset)
{
	struct segment_place *place = offset % _Alignof(struct histogram)
					      ? NULL
					      : segment_item(session, offset, SEGMENT_HISTOGRAMS,
							     sizeof(struct histogram));

	if (place && !session->writable)
		segment_map(session, place, PROT_READ);
	return place ? (struct histogram *)(session->base + offset) : NULL;
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

/* Gives a part of a file its blocks: a store into a hole of a full disk would be a SIGBUS. */
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

static int grow_file_once(const struct session *session, uint64_t offset, uint64_t size)
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
		error = map_file(session, fd, PROT_READ | PROT_WRITE, offset, size);
	if (opened && is_session_file(session, fd))
		close(fd);
	return error;
}

/* A program that closes every descriptor may close the one that this uses. */
static int grow_file(const struct session *session, uint64_t offset, uint64_t size)
{
	int error = grow_file_once(session, offset, size);

	return error == -EBADF ? grow_file_once(session, offset, size) : error;
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
	bool failed = false;
	int error;

	if (payload > session->reserved)
		return -ENOSPC;
	size = (size + SESSION_SEGMENT_ALIGN - 1) / SESSION_SEGMENT_ALIGN * SESSION_SEGMENT_ALIGN;
	if (size > session->reserved - offset)
		return -ENOSPC;
	error = reserve_place(session);
	if (error)
		return error;

	if (!__atomic_load_n(&session->anonymous, __ATOMIC_RELAXED)) {
		error = grow_file(session, offset, size);
		/* A trace is the one thing that may be as large as the disk: it ends here. */
		if (error && kind == SEGMENT_TRACE)
			return error;
		if (error) {
			session->anonymous = failed = true;
			session->file_error = error;
		}
	}
	if (session->anonymous) {
		error = map_anonymous(session, offset, size);
		if (error)
			return error;
	}
	segment_start(session, kind, offset, size);
	segment_place_add(session, offset, size, kind);
	session->size = offset + size;
	/* What is not in the file must not be looked for there. */
	if (!session->anonymous)
		__atomic_store_n(&header->file_size, session->size, __ATOMIC_RELEASE);
	if (failed)
		session_note(session,
			     "The profile %s could not grow (%s): what came later is in this "
			     "report only.",
			     session->path, strerror(-session->file_error));
	return 0;
}

void session_leave_file(struct session *session)
{
	/* The thread that adds a segment reads it once; either way is right. */
	__atomic_store_n(&session->anonymous, true, __ATOMIC_RELAXED);
}

/* Gives a filled trace segment's memory back; its records stay in the file. */
static void segment_unmap(struct session *session, struct segment_place *place)
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

	if (place->mapped && !(protection & PROT_WRITE && place->read_only))
		return 0;
	if (!session->writable) {
		error = read_place(session, place);
		place->mapped = !error;
		if (!error && session->corrects_trace && place->kind == SEGMENT_TRACE)
			correct_place(session, place);
		return error;
	}
	fd = session_descriptor(session, protection & PROT_WRITE ? O_RDWR : O_RDONLY, &opened);
	if (fd < 0)
		return fd;
	error = map_file(session, fd, protection, place->offset, place->size);
	if (opened)
		close(fd);
	if (!error) {
		place->mapped = true;
		place->read_only = !(protection & PROT_WRITE);
	}
	return error;
}

void segment_release(const struct session *session, struct segment_place *place)
{
	if (!place->of_file || !place->mapped)
		return;
	/* Where it fails, the memory is taken until the session is closed. */
	if (madvise(session->base + place->offset, place->size, MADV_DONTNEED) == 0)
		place->mapped = false;
}

/* Takes the records of a full trace segment away, and leaves it mapped. 0 or -errno. */
static int empty_segment(struct session *session, struct segment_place *place)
{
	uint64_t *counters = session_header(session)->counters;
	struct segment *segment = (struct segment *)(session->base + place->offset);
	uint64_t records = (place->size - sizeof(*segment)) / sizeof(struct trace_record);
	int error = segment_map(session, place, PROT_READ | PROT_WRITE);

	if (error || place->emptied)
		return error;
	__atomic_store_n(&segment->used, sizeof(*segment), __ATOMIC_RELEASE);
	counters[COUNTER_trace_records] -= records;
	counters[COUNTER_trace_lost] += records;
	place->emptied = true;
	session->trace_emptied++;
	return 0;
}

/* Empties what ended too long ago. The segment to fill next: one that is empty, else the oldest. */
static struct segment_place *oldest_segment(struct session *session)
{
	struct segment_place *oldest = NULL, *end = session->places + session->place_count;

	for (struct segment_place *place = session->places; place < end; place++) {
		if (place->kind != SEGMENT_TRACE)
			continue;
		if (!place->emptied && place->newest < session->trace_newest &&
		    session->trace_newest - place->newest > session->trace_ns &&
		    !empty_segment(session, place))
			segment_unmap(session, place);
		if (!oldest || place->emptied > oldest->emptied ||
		    (place->emptied == oldest->emptied && place->filled < oldest->filled))
			oldest = place;
	}
	return oldest;
}

static int reuse_segment(struct session *session, struct segment_place *place)
{
	int error = empty_segment(session, place);

	if (error)
		return error;
	place->emptied = false;
	session->current[SEGMENT_TRACE] = (struct segment_end){session->base + place->offset,
							       place->size, sizeof(struct segment)};
	return 0;
}

/* The next segment of the trace: a new one, or one whose records are lost. */
static int next_trace_segment(struct session *session)
{
	const bool full = session->trace_segments >= session->trace_segments_most;
	char *last = session->current[SEGMENT_TRACE].segment;
	struct segment_place *oldest = NULL, *place;
	int error;

	if (last) {
		place = segment_find(session, session_offset(session, last));
		place->newest = session->trace_newest;
		place->filled = ++session->trace_filled;
	}
	if (session->trace_reuses)
		oldest = oldest_segment(session);
	if (oldest && (full || oldest->emptied)) {
		error = reuse_segment(session, oldest);
	} else {
		error = segment_add(session, SEGMENT_TRACE,
				    session->trace_segment - sizeof(struct segment));
		session->trace_segments += !error;
	}
	if (error)
		return error;
	((struct segment *)session->current[SEGMENT_TRACE].segment)->process =
		session->trace_process;
	session->trace_newest = 0;
	if (last)
		segment_unmap(session, segment_find(session, session_offset(session, last)));
	return 0;
}

int session_trace(struct session *session, const struct trace_record *record)
{
	struct segment_end *end = &session->current[SEGMENT_TRACE];
	int error;

	if (session->trace_ended)
		goto lost;
	if (end->size - end->used < sizeof(*record)) {
		error = next_trace_segment(session);
		if (error) {
			session->trace_ended = true;
			session_note(session, "The trace ended early (%s): %llu records were kept.",
				     strerror(-error),
				     (unsigned long long)session_header(session)
					     ->counters[COUNTER_trace_records]);
			goto lost;
		}
	}
	memcpy(end->segment + end->used, record, sizeof(*record));
	RAISE(session->trace_newest, record->end);
	items_publish(session, SEGMENT_TRACE, sizeof(*record));
	session_count(session, COUNTER_trace_records, 1);
	return 0;
lost:
	session_count(session, COUNTER_trace_lost, 1);
	return -ENOSPC;
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

	RAISE(segment, SESSION_SEGMENT_ALIGN);
	session->trace_segment = segment < TRACE_SEGMENT ? segment : TRACE_SEGMENT;
	session->trace_segments_most = bytes / session->trace_segment;
	RAISE(session->trace_segments_most, 2);
	session->trace_ns = nanoseconds;
	session->trace_reuses = bytes != UINT64_MAX || nanoseconds != UINT64_MAX;
}

void session_restart_trace(struct session *session, uint64_t bytes)
{
	uint64_t *counters = session_header(session)->counters;

	if (session->trace_segments == 0)
		session_limit_trace(session, bytes, UINT64_MAX);
	for (size_t i = 0; i < session->place_count; i++)
		if (session->places[i].kind == SEGMENT_TRACE &&
		    !empty_segment(session, &session->places[i]))
			segment_unmap(session, &session->places[i]);
	session->current[SEGMENT_TRACE] = (struct segment_end){.segment = NULL};
	session->trace_reuses = true;
	session->trace_ended = false;
	session->trace_newest = 0;
	session->trace_emptied++;
	counters[COUNTER_trace_records] = counters[COUNTER_trace_lost] = 0;
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
		if (used < sizeof(struct trace_record))
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

void header_write(const struct session *session, uint64_t file_size)
{
	struct session_header *header = session_header(session);
	const struct layout_table *table = layout_own();

	header->version = SESSION_VERSION;
	header->header_size = HEADER_BYTES;
	header->control = CONTROL_PLACE;
	header->layout = LAYOUT_PLACE;
	header->layout_lines = table->count;
	header->layout_sum = table->sum;
	memcpy(session->base + LAYOUT_PLACE, table->lines, table->count * sizeof(table->lines[0]));
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

/* The first 64 KiB. */
static void begin(struct session *session)
{
	header_begin(session);
	segment_start(session, SEGMENT_STRINGS, HEADER_BYTES, SESSION_SEGMENT_ALIGN - HEADER_BYTES);
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
	begin(session);
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
	if (!error && !segment_place_add(session, HEADER_BYTES,
					 SESSION_SEGMENT_ALIGN - HEADER_BYTES, SEGMENT_STRINGS))
		error = -ENOMEM;
	if (!error)
		error = path ? create_file(session, path)
			     : map_anonymous(session, 0, SESSION_SEGMENT_ALIGN);
	if (!error && !path)
		begin(session);
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
