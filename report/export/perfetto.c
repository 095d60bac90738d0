/* SPDX-License-Identifier: MIT */
#include "report/export/perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/export_json_row.h"
#include "report/export/json.h"

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

uint64_t perfetto_unique(const struct perfetto *perfetto, enum unique what, uint64_t of)
{
	return mix(mix(perfetto->unique, what), of);
}

uint64_t perfetto_track_uuid(const struct perfetto *perfetto, const struct track *track)
{
	const struct track_key *key = &track->key;
	uint64_t uuid = perfetto_unique(perfetto, UNIQUE_TRACK, key->kind);

	uuid = mix(uuid, (uint64_t)(uint32_t)key->device << 32 | key->context);
	return mix(uuid, (uint64_t)track->lane << 32 | key->id);
}

static size_t packet_begin(struct perfetto *perfetto, uint64_t flags)
{
	size_t begun = protobuf_begin(&perfetto->packet, TRACE_PACKET);

	protobuf_unsigned(&perfetto->packet, PACKET_SEQUENCE, perfetto->sequence);
	protobuf_unsigned(&perfetto->packet, PACKET_SEQUENCE_FLAGS, flags);
	return begun;
}

static int packet_end(struct perfetto *perfetto, size_t begun)
{
	protobuf_end(&perfetto->packet, begun);
	return protobuf_write(&perfetto->packet, perfetto->file);
}

/* A text that may be of a file, which the format wants to be UTF-8. */
static void add_text(struct protobuf *message, uint32_t field, const char *text)
{
	char *valid = json_valid_text(text);

	if (valid)
		protobuf_text(message, field, valid);
	else
		message->failed = true;
	free(valid);
}

static void add_interned(struct protobuf *message, uint32_t index, uint64_t number,
			 const char *text)
{
	size_t begun = protobuf_begin(message, index);

	protobuf_unsigned(message, INTERNED_NUMBER, number);
	protobuf_text(message, INTERNED_TEXT, text);
	protobuf_end(message, begun);
}

/* The first packet of a process: from here on its numbers are its own. */
static int write_sequence(struct perfetto *perfetto)
{
	static const char *const arguments[] = {
#define ARGUMENT_TEXT_OF(name, text) text,
		ARGUMENTS(ARGUMENT_TEXT_OF)
#undef ARGUMENT_TEXT_OF
	};
	struct protobuf *packet = &perfetto->packet;
	size_t begun = packet_begin(perfetto, SEQUENCE_BEGINS);
	size_t interned = protobuf_begin(packet, PACKET_INTERNED);

	for (unsigned kind = 0; kind < ROW_KINDS; kind++)
		add_interned(packet, INTERNED_CATEGORIES, kind + 1, json_kind_name(kind));
	for (unsigned i = 0; i < ARGUMENT_COUNT - 1; i++)
		add_interned(packet, INTERNED_ARGUMENT_NAMES, i + 1, arguments[i]);
	for (unsigned kind = 0; kind < MEMORY_KINDS; kind++)
		add_interned(packet, INTERNED_ARGUMENT_TEXTS, TEXT_MEMORY + kind,
			     memory_kind_name(kind));
	add_interned(packet, INTERNED_ARGUMENT_TEXTS, TEXT_EVENTS, "events");
	protobuf_end(packet, interned);
	return packet_end(perfetto, begun);
}

/* The number of a name in one of the two indexes, which gets it if it has it not yet. */
int perfetto_intern(struct perfetto *perfetto, struct trace_name *name, uint32_t index)
{
	struct protobuf *packet = &perfetto->packet;
	size_t begun, interned;

	if (!name)
		return -ENOMEM;
	if (!name->number)
		name->number = TEXT_NAMES + perfetto->name_count++;
	if (name->process != perfetto->process)
		name->defined = 0;
	name->process = perfetto->process;
	if (name->defined & index)
		return 0;
	if (!name->written)
		name->written = json_valid_text(name->text);
	if (!name->written)
		return -ENOMEM;
	name->defined |= index;
	begun = packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED);
	interned = protobuf_begin(packet, PACKET_INTERNED);
	add_interned(packet,
		     index == DEFINED_EVENT ? INTERNED_EVENT_NAMES : INTERNED_ARGUMENT_TEXTS,
		     name->number, name->written);
	protobuf_end(packet, interned);
	return packet_end(perfetto, begun);
}

/* Begins the description of a track; the caller adds what it is, and ends both. */
static size_t descriptor_begin(struct perfetto *perfetto, uint64_t uuid, uint64_t parent,
			       const char *name, size_t *packet)
{
	size_t descriptor;

	*packet = packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED);
	descriptor = protobuf_begin(&perfetto->packet, PACKET_TRACK_DESCRIPTOR);
	protobuf_unsigned(&perfetto->packet, DESCRIPTOR_UUID, uuid);
	if (parent)
		protobuf_unsigned(&perfetto->packet, DESCRIPTOR_PARENT, parent);
	add_text(&perfetto->packet, DESCRIPTOR_NAME, name);
	return descriptor;
}

static int descriptor_end(struct perfetto *perfetto, size_t descriptor, size_t packet)
{
	protobuf_end(&perfetto->packet, descriptor);
	return packet_end(perfetto, packet);
}

/* All that is told of one process: nothing that another could have too. */
static void set_process(struct perfetto *perfetto)
{
	const struct session_header *header = session_header(perfetto->session);
	const struct job_process *owner = perfetto->owner;
	const struct process_rank *rank = owner ? &owner->rank : &header->rank;
	const char *hostname =
		session_string(perfetto->session, owner ? owner->hostname : header->hostname);
	int32_t pid = owner ? owner->pid : header->pid;
	uint32_t place = perfetto->process ? perfetto->process - 1 : 0;

	/* Processes of several nodes may have one number. */
	if (rank->rank >= 0)
		place = (uint32_t)rank->rank;
	perfetto->pid = place % RANK_LIMIT * PID_LIMIT + (uint32_t)pid % PID_LIMIT;
	perfetto->unique =
		mix((uint32_t)pid, owner ? owner->start_realtime : header->start_realtime);
	for (; *hostname; hostname++)
		perfetto->unique = mix(perfetto->unique, (unsigned char)*hostname);
	perfetto->sequence = (uint32_t)(perfetto->unique >> 32) | 1;
	perfetto->devices = perfetto->copied = perfetto->held = 0;
}

/* "rank 3 on node7: train": of the files of several ranks each has to say whose it is. */
static void process_label(const struct perfetto *perfetto, char *label, size_t size)
{
	const struct session_header *header = session_header(perfetto->session);
	char owner[200] = "", name[256];

	trace_process_name(perfetto->session, name, sizeof(name));
	trace_owner_name(perfetto->session, perfetto->owner, owner, sizeof(owner));
	if (!perfetto->owner && header->rank.rank >= 0)
		snprintf(owner, sizeof(owner), "rank %d on %.100s: ", header->rank.rank,
			 session_string(perfetto->session, header->hostname));
	snprintf(label, size, "%s%s", owner, name);
}

int perfetto_process(struct perfetto *perfetto, const struct job_process *owner, uint32_t process)
{
	const char *command =
		session_string(perfetto->session,
			       owner ? owner->command : session_header(perfetto->session)->command);
	struct protobuf *packet = &perfetto->packet;
	char label[512];
	size_t begun, descriptor, inner;
	int error;

	perfetto->owner = owner;
	perfetto->process = process;
	set_process(perfetto);
	error = write_sequence(perfetto);
	if (error)
		return error;
	process_label(perfetto, label, sizeof(label));
	descriptor = descriptor_begin(perfetto, perfetto_unique(perfetto, UNIQUE_PROCESS, 0), 0,
				      label, &begun);
	inner = protobuf_begin(packet, DESCRIPTOR_PROCESS);
	protobuf_unsigned(packet, PROCESS_PID, perfetto->pid);
	if (*command)
		add_text(packet, PROCESS_COMMAND, command);
	add_text(packet, PROCESS_NAME, label);
	if (*perfetto->clocks)
		add_text(packet, PROCESS_LABELS, perfetto->clocks);
	protobuf_end(packet, inner);
	return descriptor_end(perfetto, descriptor, begun);
}

static bool is_device(int32_t device)
{
	return device >= 0 && device < SESSION_DEVICES;
}

/* The track that a device's streams and counters are under: of a damaged profile, the process's. */
static int write_device(struct perfetto *perfetto, int32_t device, uint64_t *uuid)
{
	char label[128];
	size_t begun, descriptor;

	*uuid = perfetto_unique(perfetto, UNIQUE_PROCESS, 0);
	if (!is_device(device))
		return 0;
	*uuid = perfetto_unique(perfetto, UNIQUE_DEVICE, (uint32_t)device);
	if (perfetto->devices & 1ULL << device)
		return 0;
	perfetto->devices |= 1ULL << device;
	snprintf(label, sizeof(label), "GPU %d: %.64s", device,
		 session_header(perfetto->session)->devices[device].name);
	descriptor = descriptor_begin(perfetto, *uuid, perfetto_unique(perfetto, UNIQUE_PROCESS, 0),
				      label, &begun);
	return descriptor_end(perfetto, descriptor, begun);
}

/* Lanes of one stream have one name: Perfetto shows tracks of one name as one. */
int perfetto_track(struct perfetto *perfetto, const struct track *track)
{
	const struct track_key *key = &track->key;
	uint64_t parent = perfetto_unique(perfetto, UNIQUE_PROCESS, 0);
	uint64_t uuid = perfetto_track_uuid(perfetto, track);
	/* Of thread 0 it is not known which one it was. */
	bool thread = key->kind == TRACK_THREAD && !track->lane && key->id;
	size_t begun, descriptor;
	char label[80];
	int error = 0;

	snprintf(label, sizeof(label),
		 key->kind == TRACK_STARTED ? "Start/end ranges of thread %u"
		 : track->lane		    ? "Thread %u, overlapping"
					    : "Thread %u",
		 key->id);
	if (key->kind == TRACK_STREAM) {
		snprintf(label, sizeof(label), "Stream %u (context %u)", key->id, key->context);
		error = write_device(perfetto, key->device, &parent);
	}
	if (error)
		return error;
	descriptor = descriptor_begin(perfetto, uuid, thread ? 0 : parent, label, &begun);
	if (thread) {
		size_t inner = protobuf_begin(&perfetto->packet, DESCRIPTOR_THREAD);

		protobuf_unsigned(&perfetto->packet, THREAD_PID, perfetto->pid);
		protobuf_unsigned(&perfetto->packet, THREAD_TID, key->id & INT32_MAX);
		protobuf_text(&perfetto->packet, THREAD_NAME, label);
		protobuf_end(&perfetto->packet, inner);
	}
	return descriptor_end(perfetto, descriptor, begun);
}

static int describe_counter(struct perfetto *perfetto, enum unique what, int32_t device)
{
	uint64_t *described = what == UNIQUE_HELD ? &perfetto->held : &perfetto->copied;
	size_t begun, descriptor, counter;
	uint64_t parent;
	int error;

	if (*described & 1ULL << device)
		return 0;
	*described |= 1ULL << device;
	error = write_device(perfetto, device, &parent);
	if (error)
		return error;
	descriptor = descriptor_begin(
		perfetto, perfetto_unique(perfetto, what, (uint32_t)device), parent,
		what == UNIQUE_HELD ? "Memory held" : "Bytes in flight", &begun);
	counter = protobuf_begin(&perfetto->packet, DESCRIPTOR_COUNTER);
	protobuf_unsigned(&perfetto->packet, COUNTER_UNIT, UNIT_BYTES);
	protobuf_end(&perfetto->packet, counter);
	return descriptor_end(perfetto, descriptor, begun);
}

/* Begins an event; the caller adds what it has, and ends both. */
size_t perfetto_event_begin(struct perfetto *perfetto, uint64_t time, uint64_t type, uint64_t uuid,
			    size_t *packet)
{
	size_t event;

	*packet = packet_begin(perfetto, SEQUENCE_NEEDS_INTERNED);
	protobuf_unsigned(&perfetto->packet, PACKET_TIMESTAMP, time);
	event = protobuf_begin(&perfetto->packet, PACKET_TRACK_EVENT);
	protobuf_unsigned(&perfetto->packet, EVENT_TYPE, type);
	protobuf_unsigned(&perfetto->packet, EVENT_TRACK, uuid);
	return event;
}

int perfetto_event_end(struct perfetto *perfetto, size_t event, size_t packet)
{
	protobuf_end(&perfetto->packet, event);
	return packet_end(perfetto, packet);
}

int perfetto_counter(struct perfetto *perfetto, enum unique counter, int32_t device, uint64_t time,
		     uint64_t value)
{
	size_t packet, event;
	int error = describe_counter(perfetto, counter, device);

	if (error)
		return error;
	event = perfetto_event_begin(perfetto, time, TYPE_COUNTER,
				     perfetto_unique(perfetto, counter, (uint32_t)device), &packet);
	protobuf_unsigned(&perfetto->packet, EVENT_COUNTER_VALUE, value);
	return perfetto_event_end(perfetto, event, packet);
}
