/* SPDX-License-Identifier: MIT */
/*
 * Who wrote a profile: a process, and its place in a job of several; and what a profile that others
 * were merged into knows of each of these processes. Part of session.h.
 */
#ifndef KTIME_REPORT_SESSION_PROCESS_H
#define KTIME_REPORT_SESSION_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/idle.h"

struct session;
struct trace_record;

/* The process that writes a profile: its number alone may be another process's by now. */
struct session_owner {
	char boot[40];	  /* boot id of the kernel, as text; "" where it is not known */
	uint64_t started; /* clock ticks since boot: proc_pid_stat(5), field 22; 0: not known */
	uint64_t pid_namespace; /* inode: containers share folders and not process numbers */
};

/* The process's place in its job, as the launcher tells it; -1: not known. */
struct process_rank {
	int32_t rank;
	int32_t local_rank; /* among those of the node */
	int32_t world_size; /* how many ranks the job has */
	uint32_t reserved0;
	char launcher[24]; /* "" if the process has no rank */
	char job[72];	   /* what tells the job from others; "" where the launcher does not */
};

/* A process whose profile was merged into this one; times are nanoseconds. */
struct job_process {
	uint32_t committed;
	int32_t pid;
	struct session_owner owner;
	struct process_rank rank;
	uint64_t hostname, command; /* offsets of strings */
	uint64_t start_realtime;
	uint64_t clock_offset;	/* of the clock that its records are on: as in the header */
	uint64_t clock_moved;	/* as in the header */
	uint64_t records_moved; /* by how much its records were, onto that clock */
	uint32_t finished;	/* 0: it was killed, or still ran */
	uint32_t timed;		/* 0: it counted its operations, and timed none */
	uint64_t operations;
	uint64_t gpu;		/* of its GPU operations, by the rows */
	uint64_t collectives;	/* of these, of collectives */
	uint64_t wall;		/* since its first GPU work */
	uint64_t device_time;	/* its devices', from their first to their last operation */
	uint64_t busy;		/* of that */
	uint64_t trace_records; /* 0: none, or some are lost */
	uint64_t causes[IDLE_CAUSE_COUNT];
	/* Of its devices' memory, bytes: the most of one device's at once; of all, in the end. */
	uint64_t memory_peak, memory_held;
} __attribute__((aligned(64)));

/* What the rows of one name are in the processes: a process counts with the sum of its rows. */
#define JOB_ROW_FIGURES(X)                                                                         \
	X(job_row, U64, processes, COUNT, SUM, LATER, "that have it")                              \
	X(job_row, REAL, total, NS, SUM, LATER, "sum of the processes' times")                     \
	X(job_row, REAL, squares, NS_SQUARED, SUM, LATER, "sum of their squares")                  \
	X(job_row, U64, minimum, NS, LEAST, LATER, "the least of them",                            \
	  IF_KNOWN(job_row, MINIMUM))                                                              \
	X(job_row, U64, maximum, NS, OWN, LATER, "the most")

struct job_row {
	uint32_t committed;
	uint32_t kind; /* enum row_kind */
	uint64_t name; /* offset of a string */
	JOB_ROW_FIGURES(FIGURE_MEMBER)
	uint64_t slowest; /* offset of the process with the maximum */
	uint32_t known;	  /* enum figure_known */
} __attribute__((aligned(64)));

/* What one process has of a collective's rows. */
#define JOB_PART_FIGURES(X)                                                                        \
	X(job_part, U64, calls, COUNT, OWN, LATER, "of the collective")                            \
	X(job_part, REAL, total, NS, OWN, LATER, "their time")                                     \
	X(job_part, REAL, error, NS, OWN, LATER, "half its 95 % interval",                         \
	  IF_KNOWN(job_part, ERROR))

struct job_part {
	uint32_t committed;
	uint32_t known;	       /* enum figure_known */
	uint64_t process, row; /* offsets */
	JOB_PART_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/* Add one; NULL if there is no room. They look for no earlier one. For the writer. */
struct job_process *session_add_process(struct session *session, const struct job_process *process);
struct job_row *session_add_job_row(struct session *session, const struct job_row *row);
struct job_part *session_add_job_part(struct session *session, const struct job_part *part);

#define session_for_each_process(session, process)                                                 \
	session_for_each_item(session, SEGMENT_PROCESSES, process)
#define session_for_each_job_row(session, row) session_for_each_item(session, SEGMENT_JOB_ROWS, row)
#define session_for_each_job_part(session, part)                                                   \
	session_for_each_item(session, SEGMENT_JOB_PARTS, part)
/* The process at an offset; NULL if none is there. */
const struct job_process *session_process_at(const struct session *session, uint64_t offset);
/*
 * How many bytes a trace may take, 128 KiB at least, and how long before the newest its records may
 * have ended, ns: the oldest part gives way. Before the first record; without, and UINT64_MAX: any.
 */
void session_limit_trace(struct session *session, uint64_t bytes, uint64_t nanoseconds);
enum trace_state {
	TRACE_NONE,
	TRACE_GROWS, /* records are kept */
	TRACE_STAYS  /* those of a window are there, and are being copied: no more are taken */
};
/* Takes the overheads off the trace's records, in an opened session as they are read, before the
 * first of them. session_subtract_overheads() does it unless they are being copied. */
void session_correct_trace(struct session *session);
/* Forgets the trace's records, and begins anew; `bytes` limit it, unless there was one before. */
void session_restart_trace(struct session *session, uint64_t bytes);
/* How often records of the trace gave way, by its limit or by session_restart_trace(). */
uint64_t session_trace_emptied(const struct session *session);
/*
 * Says which process the next trace records belong to, by its offset, and how many there are. A
 * segment of the trace holds records of one process.
 */
void session_trace_of(struct session *session, uint64_t process, uint64_t records);
/* Whose trace a record is of; NULL in a profile of one process. */
const struct job_process *session_trace_process(const struct session *session,
						const struct trace_record *record);

/* Trace records that lie one after the other, all of one process's, in the order they were added.
 * Their kinds are as the file has them: a damaged one may hold any number. */
struct trace_part {
	const struct trace_record *records; /* NULL: before the first part */
	size_t count;
	const struct job_process *process; /* as session_trace_process() has it */
};
/* Goes on to the next part that has records; false past the last, which leaves it as it is. */
bool session_next_trace_part(const struct session *session, struct trace_part *part);
/*
 * Gives the memory of a part's records back until they are held again: a trace may be longer than
 * memory. Does nothing where the records are not read from a file. Another process may write to the
 * file, so the part, which goes on being there, may then hold anything else.
 */
void session_release_trace_part(const struct session *session, const struct trace_part *part);
void session_hold_trace_part(const struct session *session, const struct trace_part *part);

#endif
