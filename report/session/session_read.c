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

#include "report/session/items.h"
#include "report/session/layout.h"
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

	header_write(session, session->size);
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

#define UNTIMED_TEXT(name, text) text,
const char *const untimed_texts[UNTIMED_COUNT] = {UNTIMED_REASONS(UNTIMED_TEXT)};
#undef UNTIMED_TEXT

const char *memory_kind_name(enum memory_kind kind)
{
	static const char *const names[MEMORY_KINDS] = {"unknown", "pageable", "pinned",
							"device",  "array",    "managed"};

	return kind < MEMORY_KINDS ? names[kind] : names[MEMORY_UNKNOWN];
}

static ssize_t read_at(int fd, void *to, size_t size, uint64_t offset)
{
	ssize_t length;

	do {
		length = pread(fd, to, size, (off_t)offset);
	} while (length < 0 && errno == EINTR);
	return length;
}

/*
 * But for its holes. Nothing of a file that is read is mapped: whoever may write to it could cut
 * it, which takes even private copies of mapped pages away, or change an offset between its check
 * and its use.
 */
static void read_part(int fd, char *to, uint64_t offset, uint64_t size)
{
	const uint64_t start = offset, end = offset + size;

	while (offset < end) {
		off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
		ssize_t length;

		if (data > (off_t)offset)
			offset = (uint64_t)data;
		if ((data < 0 && errno == ENXIO) || offset >= end)
			return;
		length = read_at(fd, to + (offset - start), end - offset, offset);
		if (length <= 0)
			return;
		offset += (uint64_t)length;
	}
}

/* A table that is not this version's, and by it the header. */
static int read_layout(struct session_header *header, int fd, struct layout **layout)
{
	const uint32_t size = header->header_size;
	char *front = malloc(size);

	if (!front)
		return -ENOMEM;
	if (read_at(fd, front, size, 0) == (ssize_t)size)
		return layout_read(layout, header, front);
	free(front);
	return -EBADMSG;
}

/* `layout`: NULL where the profile's is this version's. */
static int read_header(struct session_header *header, int fd, struct layout **layout)
{
	const size_t front = offsetof(struct session_header, pid);
	ssize_t length = read_at(fd, header, front, 0);

	*layout = NULL;
	if (length < (ssize_t)sizeof(header->magic) || header->magic != SESSION_MAGIC)
		return -EINVAL;
	if (length < (ssize_t)offsetof(struct session_header, header_size))
		return -ENODATA;
	if (header->version < SESSION_OLDEST)
		return -EPROTONOSUPPORT;
	if (length < (ssize_t)front)
		return -ENODATA;
	if (header->version > SESSION_VERSION || header->histogram_version != HISTOGRAM_VERSION ||
	    header->estimate_version != ESTIMATE_VERSION)
		return -EPROTO;
	if (header->header_size < front || header->header_size % sizeof(struct segment) ||
	    header->header_size > SESSION_SEGMENT_ALIGN ||
	    header->file_size < header->header_size || header->layout > header->header_size ||
	    header->layout % sizeof(uint64_t) ||
	    header->layout_lines >
		    (header->header_size - header->layout) / sizeof(struct layout_line))
		return -EBADMSG;
	if (header->layout_sum != layout_own()->sum || header->header_size != HEADER_BYTES)
		return read_layout(header, fd, layout);
	length = read_at(fd, (char *)header + front, sizeof(*header) - front, front);
	return length == (ssize_t)(sizeof(*header) - front) ? 0 : -ENODATA;
}

int session_read_header(struct session_header **result, int fd)
{
	struct session_header *header = calloc(1, sizeof(*header));
	struct layout *layout = NULL;
	int error = header ? read_header(header, fd, &layout) : -ENOMEM;

	layout_free(layout);
	if (error)
		free(header);
	*result = error ? NULL : header;
	return error;
}

/*
 * What is read from the file when it is needed: a trace, which may be longer than memory, and
 * histograms, of which most are never looked at, where no one writes them any more. Neither holds
 * offsets that are trusted.
 */
static bool is_of_file(const struct segment_place *place, bool finished)
{
	return (place->kind == SEGMENT_TRACE || (place->kind == SEGMENT_HISTOGRAMS && finished)) &&
	       place->offset % PAGE == 0 && place->size % PAGE == 0;
}

/* Where a reference of a file that another version wrote leads now. */
static uint64_t moved(const void *context, uint64_t reference)
{
	const struct session *session = context;
	const struct segment_place *places = session->places, *place;
	const size_t count = session->place_count;
	const size_t found =
		FIRST_NOT(i, 0, count, places[i].source + places[i].source_size <= reference);
	uint64_t within, theirs;

	/* What lies behind the file's end does here too. */
	if (found == count)
		return UINT64_MAX;
	place = &places[found];
	if (reference < place->source)
		return 0;
	within = reference - place->source;
	theirs = layout_item_size(session->layout, place->kind);
	if (within < sizeof(struct segment) || (within - sizeof(struct segment)) % theirs)
		return 0;
	return place->offset + sizeof(struct segment) +
	       (within - sizeof(struct segment)) / theirs * item_size(place->kind);
}

/* The items of a segment that another version wrote, `used` bytes. How many bytes they are now. */
static int read_items(const struct session *session, const struct segment_place *place,
		      uint64_t *used)
{
	const uint64_t theirs = layout_item_size(session->layout, place->kind);
	const uint64_t own = item_size(place->kind), count = *used / theirs;
	char *to = session->base + place->offset + sizeof(struct segment);
	char *items = calloc(count + 1, theirs);

	if (!items)
		return -ENOMEM;
	read_part(session->fd, items, place->source + sizeof(struct segment), count * theirs);
	for (uint64_t i = 0; i < count; i++)
		layout_item(session->layout, place->kind, to + i * own, items + i * theirs, moved,
			    session);
	free(items);
	*used = count * own;
	return 0;
}

int read_place(const struct session *session, const struct segment_place *place)
{
	struct segment *to = (struct segment *)(session->base + place->offset), segment;
	uint64_t used;

	/* A program closes descriptors that it does not know. */
	if (!is_session_file(session, session->fd) ||
	    read_at(session->fd, &segment, sizeof(segment), place->source) != sizeof(segment))
		memset(&segment, 0, sizeof(segment));
	used = segment.used < place->source_size ? segment.used : place->source_size;
	used = used > sizeof(segment) ? used - sizeof(segment) : 0;
	if (session->layout && item_size(place->kind) > 1) {
		int error = read_items(session, place, &used);

		if (error)
			return error;
		segment.process = moved(session, segment.process);
	} else {
		read_part(session->fd, (char *)(to + 1), place->source + sizeof(segment), used);
	}
	/* As it was checked: it may be another in the file by now. */
	segment.magic = SEGMENT_MAGIC;
	segment.kind = place->kind;
	segment.size = place->size;
	segment.used = sizeof(segment) + used;
	*to = segment;
	return 0;
}

/* Bytes of a segment of the file where it lies in memory: as many items, of this version's size. */
static uint64_t size_here(const struct session *session, uint64_t size, enum segment_kind kind)
{
	const uint64_t step = size % PAGE ? sizeof(struct segment) : PAGE;
	uint64_t items = size - sizeof(struct segment);

	if (!session->layout)
		return size;
	items = items / layout_item_size(session->layout, kind) * item_size(kind);
	return (sizeof(struct segment) + items + step - 1) / step * step;
}

static int find_segments(struct session *session, const struct session_header *header)
{
	uint64_t source = header->header_size, next;

	for (; source < header->file_size; source = next) {
		struct segment_place *place;
		struct segment segment;
		int kind;

		if (read_at(session->fd, &segment, sizeof(segment), source) != sizeof(segment) ||
		    segment.magic != SEGMENT_MAGIC || segment.size < sizeof(segment) ||
		    segment.size > header->file_size - source || segment.size % sizeof(segment))
			return -EBADMSG;
		next = source + segment.size;
		kind = session->layout ? layout_kind(session->layout, segment.kind)
				       : (int)segment.kind;
		if (!session->layout && segment.kind >= SEGMENT_KINDS)
			return -EBADMSG;
		if (kind < 0)
			continue;
		place = segment_place_add(session, session->size,
					  size_here(session, segment.size, (enum segment_kind)kind),
					  (enum segment_kind)kind);
		if (!place)
			return -ENOMEM;
		place->source = source;
		place->source_size = segment.size;
		place->of_file = is_of_file(place, header->finished);
		place->mapped = !place->of_file;
		session->size += place->size;
	}
	return 0;
}

uint64_t segment_used(const struct session *session, const struct segment_place *place)
{
	const struct segment *segment = (const struct segment *)(session->base + place->offset);
	uint64_t used = __atomic_load_n(&segment->used, __ATOMIC_ACQUIRE);

	if (used < sizeof(*segment))
		return sizeof(*segment);
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

static bool reads_more(const struct session *session)
{
	for (size_t i = 0; i < session->place_count; i++)
		if (session->places[i].of_file)
			return true;
	return false;
}

/* Room at the end for one more note: what this version does not know of the file. */
static int make_room_for_note(struct session *session, uint64_t file_size)
{
	struct segment_place *place =
		segment_place_add(session, session->size, PAGE, SEGMENT_STRINGS);

	if (!place)
		return -ENOMEM;
	place->source = file_size;
	session->size += PAGE;
	return 0;
}

static void note_unknown(struct session *session)
{
	const struct segment_place *place = &session->places[session->place_count - 1];
	char names[700];
	unsigned count = layout_unknown(session->layout, names, sizeof(names));

	segment_start(session, SEGMENT_STRINGS, place->offset, place->size);
	if (count)
		session_note(session,
			     "Written by another version of ktime: %u figure%s not shown: %s%s.",
			     count, count == 1 ? " is" : "s are", names,
			     strlen(names) + 1 == sizeof(names) ? "..." : "");
}

/* The header's references lead where this version has what they led to. */
static void move_references(const struct session *session, struct session_header *header)
{
	LOWER(header->note_count, SESSION_NOTES);
	for (uint32_t i = 0; i < header->note_count; i++)
		header->notes[i] = moved(session, header->notes[i]);
	header->command = moved(session, header->command);
	header->hostname = moved(session, header->hostname);
}

int session_open_file(struct session **result, int fd)
{
	struct session *session = calloc(1, sizeof(*session));
	struct session_header *header = calloc(1, sizeof(*header));
	struct stat status;
	void *map;
	int error = 0;

	*result = NULL;
	if (!session || !header) {
		error = -ENOMEM;
		goto out;
	}
	/* A writer may add to the file from here on; this session ends where it ended now. */
	error = read_header(header, fd, &session->layout);
	session->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (session->fd < 0 || fstat(fd, &status) < 0) {
		error = -errno;
		goto out;
	}
	session->device = status.st_dev;
	session->inode = status.st_ino;
	if (!S_ISREG(status.st_mode))
		error = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	else if (!error && header->file_size > (uint64_t)status.st_size)
		error = -ENODATA;
	if (error)
		goto out;
	session->size = HEADER_BYTES;
	error = find_segments(session, header);
	if (!error && session->layout)
		error = make_room_for_note(session, header->file_size);
	if (error)
		goto out;
	if (session->layout)
		move_references(session, header);
	map = mmap(NULL, session->size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		error = -errno;
		goto out;
	}
	session->base = map;
	session->reserved = session->size;
	memcpy(session->base, header, sizeof(*header));
	for (size_t i = 0; i < session->place_count && !error; i++)
		if (!session->places[i].of_file && session->places[i].source_size)
			error = read_place(session, &session->places[i]);
	if (error)
		goto out;
	if (session->layout)
		note_unknown(session);
	clean_texts(session_header(session));
	if (!header->finished)
		session_subtract_overheads(session);
	if (!reads_more(session)) {
		close(session->fd);
		session->fd = -1;
	}
out:
	free(header);
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
	if (error)
		snprintf(message, size, "%s: %s", path, session_error(error));
	return error;
}

const char *session_error(int error)
{
	switch (error) {
	case -EBADMSG:
		return "a ktime profile that is damaged";
	case -EINVAL:
		return "not a ktime profile";
	case -ENODATA:
		return "a ktime profile that is cut short";
	case -EPROTO:
		return "a profile of another version of ktime";
	case -EPROTONOSUPPORT:
		return "made by ktime before 0.2: show it with that version, or export it there";
	default:
		return strerror(-error);
	}
}

/* The item after `previous` among those of a kind, in the order of their creation. */
static void *item_next(const struct session *session, enum segment_kind kind, uint64_t size,
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

static uint32_t is_committed(const void *item)
{
	return __atomic_load_n((const uint32_t *)item, __ATOMIC_ACQUIRE);
}

/* The item at an offset, if one of the kind is there. */
static const void *at(const struct session *session, uint64_t offset, enum segment_kind kind)
{
	const size_t alignment = kind == SEGMENT_ROWS ? _Alignof(struct row) : 64;

	return offset % alignment || !segment_item(session, offset, kind, item_size(kind))
		       ? NULL
		       : session->base + offset;
}

const struct job_process *session_process_at(const struct session *session, uint64_t offset)
{
	const struct job_process *process = at(session, offset, SEGMENT_PROCESSES);

	return process && is_committed(process) ? process : NULL;
}

const struct nvtx_range *session_nvtx_range_at(const struct session *session, uint64_t offset)
{
	return at(session, offset, SEGMENT_RANGES);
}

const struct row *session_row_at(const struct session *session, uint64_t offset)
{
	const struct row *row = at(session, offset, SEGMENT_ROWS);

	return row && row->kind < ROW_KINDS ? row : NULL;
}

/* In a damaged file the members may be anything. */
static bool is_place(uint32_t kind, int32_t device)
{
	return kind < ALLOCATION_KIND_COUNT && device >= -1 && device < SESSION_DEVICES;
}

/* In a damaged file a range could be inside of itself; those that are shown come after the range
 * that they are in. */
static bool is_sound_range(const struct session *session, const struct nvtx_range *range)
{
	return range->style <= RANGE_START_END &&
	       (!range->parent || (session_nvtx_range_at(session, range->parent) &&
				   range->parent < session_offset(session, range)));
}

/* Whether what an item refers to is there. */
static bool is_sound(const struct session *session, enum segment_kind kind, const void *item)
{
	const struct nvtx_part *nvtx_part = item;
	const struct memory_use *use = item;
	const struct memory_site *site = item;
	const struct energy_curve *curve = item;
	const struct idle_row *idle = item;
	const struct job_row *row = item;
	const struct job_part *part = item;
	const struct metric_values *metric = item;

	switch (kind) {
	case SEGMENT_ROWS:
		/* One whose name came after the file was opened cannot be shown. */
		return ((const struct row *)item)->kind < ROW_KINDS &&
		       *session_string(session, ((const struct row *)item)->name);
	case SEGMENT_RANGES:
		return is_sound_range(session, item);
	case SEGMENT_RANGE_PARTS:
		return session_nvtx_range_at(session, nvtx_part->range) &&
		       session_row_at(session, nvtx_part->row);
	case SEGMENT_MEMORY:
		return is_place(use->kind, use->device);
	case SEGMENT_MEMORY_SITES:
		return is_place(site->kind, site->device);
	case SEGMENT_ENERGY:
		return curve->device >= 0 && curve->device < SESSION_DEVICES;
	case SEGMENT_IDLE:
		return idle->cause < IDLE_CAUSE_COUNT && idle->device >= 0 &&
		       idle->device < SESSION_DEVICES;
	case SEGMENT_JOB_ROWS:
		return row->kind < ROW_KINDS && row->processes &&
		       *session_string(session, row->name) &&
		       session_process_at(session, row->slowest);
	case SEGMENT_JOB_PARTS:
		return session_process_at(session, part->process) &&
		       at(session, part->row, SEGMENT_JOB_ROWS);
	case SEGMENT_METRICS:
		return session_row_at(session, metric->row);
	default:
		return true;
	}
}

void *session_next_item(const struct session *session, enum segment_kind kind, const void *previous)
{
	void *item = (void *)previous;

	do {
		item = item_next(session, kind, item_size(kind), item);
	} while (item && (!is_committed(item) || !is_sound(session, kind, item)));
	return item;
}

void *session_items(const struct session *session, enum segment_kind kind, size_t *count)
{
	const void *item, **items;
	size_t all = 0;

	*count = 0;
	session_for_each_item (session, kind, item)
		all++;
	items = calloc(all + 1, sizeof(*items));
	/* Some may come while they are listed. */
	session_for_each_item (session, kind, item)
		if (items && *count < all)
			items[(*count)++] = item;
	return items;
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

#define KEY(name, key, text)  key,
#define TEXT(name, key, text) text,
const char *const allocation_keys[ALLOCATION_KIND_COUNT] = {ALLOCATION_KINDS(KEY)};
const char *const allocation_texts[ALLOCATION_KIND_COUNT] = {ALLOCATION_KINDS(TEXT)};
const char *const idle_cause_keys[IDLE_CAUSE_COUNT] = {IDLE_CAUSES(KEY)};
const char *const idle_cause_texts[IDLE_CAUSE_COUNT] = {IDLE_CAUSES(TEXT)};

bool row_is_collective(enum row_kind kind, const char *name)
{
	return kind == ROW_KERNEL &&
	       (strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel")) &&
	       !strstr(name, "SendRecv");
}

uint64_t use_time(const struct device_use *use)
{
	/* A damaged file may hold anything. */
	uint64_t time = use->last > use->first ? use->last - use->first : 0;

	return time > use->excluded ? time - use->excluded : 0;
}

uint64_t idle_time(const struct device_use *use, uint64_t *whole)
{
	*whole = use_time(use);
	return *whole > use->busy ? *whole - use->busy : 0;
}

uint64_t busy_with_both(const struct device_use *use)
{
	return use->kernels + use->copies > use->busy ? use->kernels + use->copies - use->busy : 0;
}

void idle_totals(const struct session *session, int device, uint64_t totals[IDLE_CAUSE_COUNT])
{
	const struct idle_row *row;

	memset(totals, 0, IDLE_CAUSE_COUNT * sizeof(*totals));
	if (!session)
		return;
	session_for_each_idle (session, row)
		if (row->device == device && row->cause < IDLE_CAUSE_COUNT)
			totals[row->cause] += row->total;
}

void program_name(const char *command, char *name, size_t size)
{
	size_t length = 0;
	bool quoted = false;

	for (; *command && (quoted || *command != ' '); command++) {
		bool quote = *command == '\'';

		/* The mark itself is \' between quotes. */
		if (!quoted && command[0] == '\\' && command[1] == '\'')
			command++;
		if (quote)
			quoted = !quoted;
		else if (*command == '/')
			length = 0;
		else if (length + 1 < size)
			name[length++] = *command;
	}
	name[length] = '\0';
}

/* A wider interval says too little, as a part of the device's time. Chosen. */
#define WIDEST_ERROR 0.1

/* A profile from before there were estimates has no error. */
static bool is_told(const struct device_use *use)
{
	return use->error > 0 && use->error < WIDEST_ERROR * (double)use_time(use);
}

const struct device_use *session_use(const struct session *session, int device)
{
	const struct session_header *header = session_header(session);

	return header->uses[device].last &&
			       (!session_estimates_use(session) || is_told(&header->uses[device]))
		       ? &header->uses[device]
		       : NULL;
}

const struct device_use *session_next_use(const struct session *session, uint64_t devices,
					  int *device)
{
	const struct device_use *use = NULL;

	while (!use && ++*device < SESSION_DEVICES)
		use = devices >> *device & 1 ? session_use(session, *device) : NULL;
	return use;
}

bool session_estimates_use(const struct session *session)
{
	return session_header(session)->counters[COUNTER_windows] > 0;
}

bool session_knows_cause(const struct session *session, const struct idle_row *row)
{
	/* A damaged file may hold any number. */
	return row->device >= 0 && row->device < SESSION_DEVICES && row->cause < IDLE_CAUSE_COUNT &&
	       session_use(session, row->device);
}

bool session_knows_use(const struct session *session)
{
	int device = -1;

	return (!session_estimates_use(session) ||
		session_next_use(session, UINT64_MAX, &device)) &&
	       session_header(session)->counters[COUNTER_cupti_late_ns] == 0;
}

/* What did not fit on the disk lies behind the file's end. */
static bool row_is_whole(const struct session *session, const struct row *row)
{
	return row->committed == 1 && row->kind < ROW_KINDS && row->device >= -1 &&
	       row->device < SESSION_DEVICES &&
	       (row->name >= session->size || segment_item(session, row->name, SEGMENT_STRINGS, 1));
}

bool session_is_whole(const struct session *session)
{
	const struct row *row = NULL;

	if (!session_header(session)->finished)
		return true;
	while ((row = item_next(session, SEGMENT_ROWS, sizeof(*row), row)))
		if (!row_is_whole(session, row))
			return false;
	return true;
}
