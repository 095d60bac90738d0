/* SPDX-License-Identifier: MIT */
/*
 * How a session lies in its file and in memory; for the session's own sources and those of its
 * segments.
 *
 * The file is a header and then segments, one after the other. A writer reserves a range of
 * addresses that no session outgrows and maps every segment at base + its offset in the file, so
 * an offset and a pointer differ by the base in the writer as in a reader, and no pointer ever
 * moves.
 */
#ifndef KTIME_REPORT_SESSION_SESSION_INTERNAL_H
#define KTIME_REPORT_SESSION_SESSION_INTERNAL_H

#include <sys/types.h>

#include "report/session/session.h"

#define SEGMENT_MAGIC 0x6d676573U /* "segm" */
/* The segments of a trace with a limit may be smaller. */
#define TRACE_SEGMENT (1UL << 20)

/* What a segment begins with; its items follow. */
struct segment {
	uint32_t magic;
	uint32_t kind;	  /* enum segment_kind */
	uint64_t size;	  /* bytes, this header among them */
	uint64_t used;	  /* bytes, this header among them; stored with release order */
	uint64_t process; /* trace records of a merged profile: offset of their process */
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct segment) == 64, "items are aligned to cache lines");

/* Where a segment lies: enough to find one without touching its pages. */
struct segment_place {
	uint64_t offset, size;
	uint64_t source, source_size; /* where it lies in the file that is read */
	enum segment_kind kind;
	bool mapped;	 /* in memory: mapped by the writer, or read in an opened session */
	bool read_only;	 /* the writer's */
	bool of_file;	 /* in an opened session: read from the file when it is needed */
	bool emptied;	 /* of the writer's trace: a segment that was full, to be filled again */
	uint64_t newest; /* when the last of its records ended */
	uint64_t filled; /* the how manieth it was to become full */
};

/*
 * Where the next item of a kind goes. The writer never reads this from the file: another process
 * may have written there.
 */
struct segment_end {
	char *segment; /* NULL before the first one */
	uint64_t size, used;
};

struct session {
	char *base;
	uint64_t reserved; /* bytes of address space at base */
	uint64_t size;	   /* bytes in use, those in anonymous memory among them */
	int fd; /* kept open for a trace, or to read more; may be -1, or the program's by now */
	dev_t device; /* of the file, if one is kept open or written */
	ino_t inode;
	/* While the writer adds one, the reporter of the same process may read them: see
	 * segment_places(). */
	struct segment_place *places;
	size_t place_count, place_capacity;
	struct place_array *place_arrays;

	/* A reader's part. */
	bool corrects_trace;   /* see session_correct_trace() */
	struct layout *layout; /* of a file whose structures are not this version's; or NULL */

	/* A writer's part. */
	bool writable;
	unsigned flags; /* SESSION_TRACE, SESSION_KEPT */
	struct session_owner owner;
	bool anonymous; /* segments come from anonymous memory from now on */
	int file_error; /* why they do: the file could not grow; 0: it could, or there is none */
	bool trace_ended;
	uint64_t trace_segment;	    /* bytes of each of its segments */
	size_t trace_segments_most; /* before the oldest is used again */
	bool trace_reuses;	    /* its segments: it has a limit, or was begun anew */
	uint64_t trace_ns;	    /* how old its records may be; UINT64_MAX: any age */
	uint64_t trace_filled;	    /* segments that became full */
	uint64_t trace_emptied;	    /* segments that were emptied, and times it was begun anew */
	uint64_t trace_newest;	    /* the end of the last record in the current segment */
	size_t trace_segments;
	uint64_t trace_process; /* whose records come next; 0: this process's */
	char *path;		/* absolute; NULL: in memory alone */
	struct segment_end current[SEGMENT_KINDS];
	struct entry *rows;	      /* hash index by kind, name and device */
	struct entry *idle;	      /* hash index by cause, name, device and thread */
	struct string_entry *strings; /* hash index by text */
};

/* Whether the rows of an opened session are as a writer leaves them: nobody wrote over them. True
 * of one that still writes, which may be between two stores. */
bool session_is_whole(const struct session *session);
/* Writes what every version reads of a header, and the table; the magic number last. */
void header_write(const struct session *session, uint64_t file_size);

/* Whether a descriptor is of the session's file. */
bool is_session_file(const struct session *session, int fd);
/* Writes a segment's header; it becomes session->current[kind]. */
void segment_start(struct session *session, enum segment_kind kind, uint64_t offset, uint64_t size);

/* Adds a segment of at least `payload` bytes; it becomes session->current[kind]. 0 or -errno. */
int segment_add(struct session *session, enum segment_kind kind, uint64_t payload);
/* Notes a segment's place in session->places, once the segment can be read; NULL if memory is out.
 */
struct segment_place *segment_place_add(struct session *session, uint64_t offset, uint64_t size,
					enum segment_kind kind);
/* The places of a moment, and how many; any thread, without memory or a lock. */
size_t segment_places(const struct session *session, struct segment_place **places);
/* The place that holds an offset, NULL where none does. */
struct segment_place *segment_find(const struct session *session, uint64_t offset);
struct segment_place *segment_find_among(struct segment_place *places, size_t count,
					 uint64_t offset);
/* The place that holds an item of a kind, of `size` bytes, at an offset; NULL if none does. */
struct segment_place *segment_item(const struct session *session, uint64_t offset,
				   enum segment_kind kind, uint64_t size);
/* Maps such a segment again, by mmap's protection, or reads one of an opened session, if it was not
 * read yet. 0 or -errno. */
int segment_map(const struct session *session, struct segment_place *place, int protection);

/* Gives the memory of a segment back that can be read again. */
void segment_release(const struct session *session, struct segment_place *place);
/* Takes the overheads off the records of a trace's segment. */
void correct_place(const struct session *session, struct segment_place *place);
/* Reads a segment of an opened session from its file. What cannot be read stays zeros. -ENOMEM. */
int read_place(const struct session *session, const struct segment_place *place);
void items_publish(struct session *session, enum segment_kind kind, uint64_t size);
/* Bytes of a segment that hold items; a file may claim more than the segment has. */
uint64_t segment_used(const struct session *session, const struct segment_place *place);

/* The histogram at *offset, made at the first use; NULL if there is no room for it. */
struct histogram *session_make_histogram(struct session *session, uint64_t *offset);
/* Frees the hash indexes. */
void session_index_free(struct session *session);

static inline uint64_t session_offset(const struct session *session, const void *pointer)
{
	return (uint64_t)((const char *)pointer - session->base);
}

#endif
