/* SPDX-License-Identifier: MIT */
/*
 * A session's trace for Perfetto: the threads of a process with their calls and ranges, its devices
 * with their streams, arrows from calls to operations, and the bytes that copies move.
 *
 * Packets of Perfetto's format, and the tracks in them. Source of the field numbers and of what
 * they mean: protos/perfetto/trace of the Perfetto project, and "Converting arbitrary timestamp
 * data to Perfetto" in its documentation.
 *
 * All numbers that have to be unique in a file are made from the process's own, so that files of
 * several processes can be put behind each other: uuids of tracks, ids of flows, the sequence that
 * interned texts belong to.
 */
#include <string.h>

#include "report/export/export.h"
#include "report/export/json.h"
#include "report/export/protobuf.h"
#include "report/export/timeline.h"

enum field {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,

	INTERNED_CATEGORIES = 1,
	INTERNED_EVENT_NAMES = 2,
	INTERNED_ARGUMENT_NAMES = 3,
	INTERNED_ARGUMENT_TEXTS = 29,
	INTERNED_NUMBER = 1,
	INTERNED_TEXT = 2,

	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,
	PROCESS_LABELS = 8,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,

	EVENT_CATEGORY = 3,
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,

	ARGUMENT_NAME = 1,
	ARGUMENT_FIELD_UNSIGNED = 3,
	ARGUMENT_FIELD_TEXT = 6,
	ARGUMENT_FIELD_TEXT_NUMBER = 17,
};

enum { SEQUENCE_BEGINS = 1, SEQUENCE_NEEDS_INTERNED = 2 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { UNIT_BYTES = 3 };

/* Texts of arguments: words, then names. */
enum { TEXT_WORDS = 1, TEXT_NAMES = TEXT_WORDS + WORD_COUNT };

/* Where a name is interned. */
enum { DEFINED_EVENT = 1, DEFINED_TEXT = 2 };

/* What a number is of, so that no two are the same. */
enum unique {
	UNIQUE_PROCESS,
	UNIQUE_DEVICE,
	UNIQUE_COPIED, /* a device's counter of bytes in flight */
	UNIQUE_FLOW,
	UNIQUE_TRACK,
	UNIQUE_HELD /* a device's counter of memory held */
};

struct perfetto {
	struct timeline timeline;
	struct protobuf packet;
	uint32_t name_count; /* names that have a number */
	uint64_t unique;     /* what all of a process's numbers are made of */
	uint32_t sequence, pid;
	uint64_t counters[TIMELINE_COUNTERS]; /* bit for each device whose counter was described */
};

static struct perfetto *perfetto_of(struct timeline *timeline)
{
	return (struct perfetto *)timeline;
}

/* A process number of Linux's is less than that; what is above tells ranks of one number apart. */
#define PID_LIMIT  (1U << 22)
#define RANK_LIMIT (1U << 9)

/* The finalizer of splitmix64: every bit of the result depends on every bit of both. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) + 0x9e3779b97f4a7c15ULL;
	a = (a ^ a >> 30) * 0xbf58476d1ce4e5b9ULL;
	a = (a ^ a >> 27) * 0x94d049bb133111ebULL;
	return a ^ a >> 31;
}

static uint64_t unique_number(const struct perfetto *perfetto, enum unique what, uint64_t of)
{
	return mix(mix(perfetto->unique, what), of);
}

static uint64_t track_uuid(const struct perfetto *perfetto, const struct track *track)
{
	const struct track_key *key = &track->key;
	uint64_t uuid = unique_number(perfetto, UNIQUE_TRACK, key->kind);

	uuid = mix(uuid, (uint64_t)(uint32_t)key->device << 32 | key->context);
	return mix(uuid, (uint64_t)track->lane << 32 | key->id);
}

static struct protobuf *packet_begin(struct perfetto *perfetto, uint64_t flags)
{
	struct protobuf *packet = &perfetto->packet;

	protobuf_begin(packet, TRACE_PACKET);
	protobuf_unsigned(packet, PACKET_SEQUENCE, perfetto->sequence);
	protobuf_unsigned(packet, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

/* Ends it with all that is open in it. */
static void packet_end(struct perfetto *perfetto)
{
	int error = protobuf_write(&perfetto->packet, perfetto->timeline.file);

	if (error)
		perfetto->timeline.error = error;
}

static void add_interned(struct protobuf *message, uint32_t index, uint64_t number,
			 const char *text)
{
	protobuf_begin(message, index);
	protobuf_unsigned(message, INTERNED_NUMBER, number);
	protobuf_text(message, INTERNED_TEXT, text);
	protobuf_end(message);
}

/* The first packet of a process: from here on its numbers are its own. */
static void write_sequence(struct perfetto *perfetto)
{
	struct protobuf *packet = packet_begin(perfetto, SEQUENCE_BEGINS);

	protobuf_begin(packet, PACKET_INTERNED);
	for (unsigned kind = 0; kind < ROW_KINDS; kind++)
		add_interned(packet, INTERNED_CATEGORIES, kind + 1, json_kind_names[kind]);
	for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
		add_interned(packet, INTERNED_ARGUMENT_NAMES, i + 1, argument_names[i]);
	for (unsigned i = 0; i < WORD_COUNT; i++)
		add_interned(packet, INTERNED_ARGUMENT_TEXTS, TEXT_WORDS + i, argument_word(i));
	packet_end(perfetto);
}

/* Gives a name its number in one of the two indexes, unless it has it. */
static void intern(struct perfetto *perfetto, struct trace_name *name, uint32_t index)
{
	if (!name->number)
		name->number = TEXT_NAMES + perfetto->name_count++;
	if (name->process != perfetto->timeline.process)
		name->defined = 0;
	name->process = perfetto->timeline.process;
	if (name->defined & index)
		return;
	name->defined |= index;
	protobuf_begin(packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED), PACKET_INTERNED);
	add_interned(&perfetto->packet,
		     index == DEFINED_EVENT ? INTERNED_EVENT_NAMES : INTERNED_ARGUMENT_TEXTS,
		     name->number, name->text);
	packet_end(perfetto);
}

/* Begins the description of a track; the caller adds what it is, and ends the packet. */
static struct protobuf *descriptor_begin(struct perfetto *perfetto, uint64_t uuid, uint64_t parent,
					 const char *name)
{
	struct protobuf *packet = packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED);

	protobuf_begin(packet, PACKET_TRACK_DESCRIPTOR);
	protobuf_unsigned(packet, DESCRIPTOR_UUID, uuid);
	if (parent)
		protobuf_unsigned(packet, DESCRIPTOR_PARENT, parent);
	protobuf_text(packet, DESCRIPTOR_NAME, name);
	return packet;
}

/* All that is told of one process: nothing that another could have too. */
static void set_process(struct perfetto *perfetto)
{
	const struct job_process *owner = perfetto->timeline.owner;
	const char *hostname = session_string(perfetto->timeline.session, owner->hostname);
	uint32_t place = perfetto->timeline.process ? perfetto->timeline.process - 1 : 0;

	/* Processes of several nodes may have one number. */
	if (owner->rank.rank >= 0)
		place = (uint32_t)owner->rank.rank;
	perfetto->pid = place % RANK_LIMIT * PID_LIMIT + (uint32_t)owner->pid % PID_LIMIT;
	perfetto->unique = mix((uint32_t)owner->pid, owner->start_realtime);
	for (; *hostname; hostname++)
		perfetto->unique = mix(perfetto->unique, (unsigned char)*hostname);
	perfetto->sequence = (uint32_t)(perfetto->unique >> 32) | 1;
	memset(perfetto->counters, 0, sizeof(perfetto->counters));
}

/* "rank 3 on node7: train": of the files of several ranks each has to say whose it is. */
static void process_label(const struct timeline *timeline, char *label, size_t size)
{
	const bool named = timeline->process || timeline->owner->rank.rank >= 0;
	char owner[200], name[256];

	trace_process_name(timeline->session, name, sizeof(name));
	trace_owner_name(timeline->session, named ? timeline->owner : NULL, owner, sizeof(owner));
	snprintf(label, size, "%s%s", owner, name);
}

static void write_process(struct timeline *timeline)
{
	const char *command = session_string(timeline->session, timeline->owner->command);
	struct perfetto *perfetto = perfetto_of(timeline);
	struct protobuf *packet;
	char label[512];

	set_process(perfetto);
	write_sequence(perfetto);
	process_label(timeline, label, sizeof(label));
	packet = descriptor_begin(perfetto, unique_number(perfetto, UNIQUE_PROCESS, 0), 0, label);
	protobuf_begin(packet, DESCRIPTOR_PROCESS);
	protobuf_unsigned(packet, PROCESS_PID, perfetto->pid);
	if (*command)
		protobuf_text(packet, PROCESS_COMMAND, command);
	protobuf_text(packet, PROCESS_NAME, label);
	if (*timeline->clocks)
		protobuf_text(packet, PROCESS_LABELS, timeline->clocks);
	packet_end(perfetto);
}

/* The track that a device's streams and counters are under: of a damaged profile, the process's. */
static uint64_t device_uuid(const struct perfetto *perfetto, int32_t device)
{
	return device >= 0 && device < SESSION_DEVICES
		       ? unique_number(perfetto, UNIQUE_DEVICE, (uint32_t)device)
		       : unique_number(perfetto, UNIQUE_PROCESS, 0);
}

static void write_device(struct timeline *timeline, int32_t device)
{
	struct perfetto *perfetto = perfetto_of(timeline);
	char label[128];

	snprintf(label, sizeof(label), "GPU %d: %.64s", device,
		 session_header(timeline->session)->devices[device].name);
	descriptor_begin(perfetto, device_uuid(perfetto, device),
			 unique_number(perfetto, UNIQUE_PROCESS, 0), label);
	packet_end(perfetto);
}

/* Lanes of one stream have one name: Perfetto shows tracks of one name as one. */
static void write_track(struct timeline *timeline, const struct track *track)
{
	struct perfetto *perfetto = perfetto_of(timeline);
	const struct track_key *key = &track->key;
	uint64_t parent = unique_number(perfetto, UNIQUE_PROCESS, 0);
	/* Of thread 0 it is not known which one it was. */
	bool thread = key->kind == TRACK_THREAD && !track->lane && key->id;
	struct protobuf *packet;
	char label[TRACK_LABEL_SIZE];

	timeline_track_label(track, label);
	if (key->kind == TRACK_STREAM)
		parent = device_uuid(perfetto, key->device);
	packet =
		descriptor_begin(perfetto, track_uuid(perfetto, track), thread ? 0 : parent, label);
	if (thread) {
		protobuf_begin(packet, DESCRIPTOR_THREAD);
		protobuf_unsigned(packet, THREAD_PID, perfetto->pid);
		protobuf_unsigned(packet, THREAD_TID, key->id & INT32_MAX);
		protobuf_text(packet, THREAD_NAME, label);
	}
	packet_end(perfetto);
}

/* Begins an event on a track; the caller adds what it has, and ends the packet. */
static struct protobuf *event_begin(struct perfetto *perfetto, uint64_t time, uint64_t type,
				    uint64_t uuid)
{
	struct protobuf *packet = packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED);

	protobuf_unsigned(packet, PACKET_TIMESTAMP, time);
	protobuf_begin(packet, PACKET_TRACK_EVENT);
	protobuf_unsigned(packet, EVENT_TYPE, type);
	protobuf_unsigned(packet, EVENT_TRACK, uuid);
	return packet;
}

static void write_counter(struct timeline *timeline, enum timeline_counter counter, int32_t device,
			  uint64_t time, uint64_t bytes)
{
	static const struct {
		enum unique unique;
		const char *name;
	} counters[] = {[COUNTER_COPIED] = {UNIQUE_COPIED, "Bytes in flight"},
			[COUNTER_HELD] = {UNIQUE_HELD, "Memory held"}};
	struct perfetto *perfetto = perfetto_of(timeline);
	uint64_t uuid = unique_number(perfetto, counters[counter].unique, (uint32_t)device);
	struct protobuf *packet;

	if (!(perfetto->counters[counter] & 1ULL << device)) {
		perfetto->counters[counter] |= 1ULL << device;
		packet = descriptor_begin(perfetto, uuid, device_uuid(perfetto, device),
					  counters[counter].name);
		protobuf_begin(packet, DESCRIPTOR_COUNTER);
		protobuf_unsigned(packet, COUNTER_UNIT, UNIT_BYTES);
		packet_end(perfetto);
	}
	packet = event_begin(perfetto, time, TYPE_COUNTER, uuid);
	protobuf_unsigned(packet, EVENT_COUNTER_VALUE, bytes);
	packet_end(perfetto);
}

static void add_argument(struct protobuf *packet, const struct argument *argument,
			 const struct timeline_slice *slice)
{
	protobuf_begin(packet, EVENT_ARGUMENT);
	protobuf_unsigned(packet, ARGUMENT_NAME, argument->name + 1);
	switch (argument->type) {
	case ARGUMENT_NUMBER:
		protobuf_unsigned(packet, ARGUMENT_FIELD_UNSIGNED, argument->number);
		break;
	case ARGUMENT_WORD:
		protobuf_unsigned(packet, ARGUMENT_FIELD_TEXT_NUMBER,
				  TEXT_WORDS + argument->number);
		break;
	case ARGUMENT_TEXT:
		protobuf_text(packet, ARGUMENT_FIELD_TEXT, argument->text);
		break;
	case ARGUMENT_OTHER:
		protobuf_unsigned(packet, ARGUMENT_FIELD_TEXT_NUMBER, slice->other->number);
		break;
	case ARGUMENT_IN_RANGE:
		protobuf_unsigned(packet, ARGUMENT_FIELD_TEXT_NUMBER, slice->range->number);
		break;
	}
	protobuf_end(packet);
}

/* A call may start an operation; of what it started, the first operation ends the arrow. */
static void add_flow(struct perfetto *perfetto, const struct timeline_slice *slice)
{
	const uint64_t flow = unique_number(perfetto, UNIQUE_FLOW, slice->record->correlation);

	if (row_is_api(slice->record->kind) && slice->record->correlation)
		protobuf_fixed64(&perfetto->packet, EVENT_FLOW, flow);
	if (slice->launch && !slice->launch->used) {
		slice->launch->used = true;
		protobuf_fixed64(&perfetto->packet, EVENT_FLOW_END, flow);
	}
}

static void begin_slice(struct timeline *timeline, const struct timeline_slice *slice)
{
	struct perfetto *perfetto = perfetto_of(timeline);
	const struct trace_record *record = slice->record;
	struct argument arguments[ARGUMENT_COUNT];
	unsigned count = record_arguments(slice->record, slice->other, arguments);
	struct protobuf *packet;

	intern(perfetto, slice->name, DEFINED_EVENT);
	if (slice->other)
		intern(perfetto, slice->other, DEFINED_TEXT);
	if (slice->range)
		intern(perfetto, slice->range, DEFINED_TEXT);
	packet = event_begin(perfetto, record->start, TYPE_BEGIN,
			     track_uuid(perfetto, slice->track));
	protobuf_unsigned(packet, EVENT_CATEGORY, record->kind + 1);
	protobuf_unsigned(packet, EVENT_NAME, slice->name->number);
	add_flow(perfetto, slice);
	for (unsigned i = 0; i < count; i++)
		add_argument(packet, &arguments[i], slice);
	packet_end(perfetto);
}

static void end_slice(struct timeline *timeline, const struct track *track, uint64_t time)
{
	struct perfetto *perfetto = perfetto_of(timeline);

	event_begin(perfetto, time, TYPE_END, track_uuid(perfetto, track));
	packet_end(perfetto);
}

int export_perfetto(struct session *session, const struct options *options, FILE *file,
		    char *message, size_t size)
{
	static const struct timeline_writer writer = {
		.process = write_process,
		.device = write_device,
		.track = write_track,
		.begin = begin_slice,
		.counter = write_counter,
		.end = end_slice,
	};
	struct perfetto perfetto = {.timeline.file = file};
	int error = timeline_walk(&perfetto.timeline, &writer, session, options, message, size);

	protobuf_free(&perfetto.packet);
	return error;
}
