/* SPDX-License-Identifier: MIT */
/*
 * A session's trace for Perfetto: the threads of a process with their calls and ranges, its devices
 * with their streams, arrows from calls to operations, and the bytes that copies move.
 */
#include <errno.h>
#include <string.h>

#include "report/export/export.h"
#include "report/export/perfetto.h"
#include "report/merge/progress.h"
#include "report/session/session_nvtx.h"
#include "report/timeline/held_memory.h"
#include "report/timeline/running_copies.h"
#include "report/timeline/launches.h"
#include "report/timeline/order.h"

struct writer {
	struct perfetto perfetto;
	struct trace_name *names, *raw; /* to read, and as the session has them */
	struct tracks tracks;
	struct launches launches;
	struct running_copies running[SESSION_DEVICES];
	struct held_memory held;
};

static void add_number(struct writer *writer, enum argument argument, uint64_t value)
{
	struct protobuf *packet = &writer->perfetto.packet;
	size_t begun = protobuf_begin(packet, EVENT_ARGUMENT);

	protobuf_unsigned(packet, ARGUMENT_NAME, argument);
	protobuf_unsigned(packet, ARGUMENT_UNSIGNED, value);
	protobuf_end(packet, begun);
}

/* A text by its number among those that are interned. */
static void add_text(struct writer *writer, enum argument argument, uint64_t text)
{
	struct protobuf *packet = &writer->perfetto.packet;
	size_t begun = protobuf_begin(packet, EVENT_ARGUMENT);

	protobuf_unsigned(packet, ARGUMENT_NAME, argument);
	protobuf_unsigned(packet, ARGUMENT_TEXT_NUMBER, text);
	protobuf_end(packet, begun);
}

static void add_extent(struct writer *writer, enum argument argument, const uint32_t extent[3])
{
	struct protobuf *packet = &writer->perfetto.packet;
	size_t begun = protobuf_begin(packet, EVENT_ARGUMENT);
	char text[40];

	snprintf(text, sizeof(text), "%ux%ux%u", extent[0], extent[1], extent[2]);
	protobuf_unsigned(packet, ARGUMENT_NAME, argument);
	protobuf_text(packet, ARGUMENT_TEXT, text);
	protobuf_end(packet, begun);
}

static uint64_t memory_text(unsigned kind)
{
	return TEXT_MEMORY + (kind < MEMORY_KINDS ? kind : MEMORY_UNKNOWN);
}

/* `other`: the mangled name, a launch's kernel, or a range's domain; NULL if there is none. */
static void add_arguments(struct writer *writer, const struct trace_record *record,
			  const struct trace_name *other)
{
	if (record->correlation)
		add_number(writer, ARGUMENT_CORRELATION, record->correlation);
	switch (record->kind) {
	case ROW_KERNEL:
		add_extent(writer, ARGUMENT_GRID, record->grid);
		add_extent(writer, ARGUMENT_BLOCK, record->block);
		add_number(writer, ARGUMENT_REGISTERS, record->registers);
		add_number(writer, ARGUMENT_STATIC_SHARED, record->static_shared);
		add_number(writer, ARGUMENT_DYNAMIC_SHARED, record->dynamic_shared);
		add_text(writer, ARGUMENT_MANGLED, other->number);
		break;
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		add_text(writer, ARGUMENT_FROM, memory_text(record->source_kind));
		add_text(writer, ARGUMENT_TO, memory_text(record->destination_kind));
		/* fall through */
	case ROW_MEMSET:
		add_number(writer, ARGUMENT_BYTES, record->bytes);
		break;
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		add_number(writer, ARGUMENT_RESULT, record->result);
		if (other)
			add_text(writer, ARGUMENT_KERNEL, other->number);
		break;
	case ROW_RANGE:
		if (other)
			add_text(writer, ARGUMENT_DOMAIN, other->number);
		break;
	default:
		break;
	}
	if (record->graph)
		add_number(writer, ARGUMENT_GRAPH, record->graph);
	if (record->graph_node)
		add_number(writer, ARGUMENT_GRAPH_NODE, record->graph_node);
	if (record->clock == CLOCK_EVENTS)
		add_text(writer, ARGUMENT_CLOCK, TEXT_EVENTS);
}

/* Interns the record's second name, if it has one: see add_arguments(). */
static int other_name(struct writer *writer, const struct trace_record *record,
		      struct trace_name **other)
{
	if (!trace_other_name(&writer->names, &writer->raw, writer->perfetto.session, record,
			      other))
		return 0;
	return perfetto_intern(&writer->perfetto, *other, DEFINED_TEXT);
}

/* A call may start an operation; of what it started, the first operation ends the arrow. */
static int add_flow(struct writer *writer, const struct trace_record *record)
{
	struct perfetto *perfetto = &writer->perfetto;
	const uint64_t flow = perfetto_unique(perfetto, UNIQUE_FLOW, record->correlation);
	struct launch *launch;

	if (row_is_api(record->kind) && record->correlation) {
		protobuf_fixed64(&perfetto->packet, EVENT_FLOW, flow);
		return launches_note(&writer->launches, record, perfetto->process);
	}
	launch = row_is_gpu(record->kind)
			 ? launches_find(&writer->launches, record, perfetto->process)
			 : NULL;
	if (launch && !launch->used) {
		launch->used = true;
		protobuf_fixed64(&perfetto->packet, EVENT_FLOW_END, flow);
	}
	return 0;
}

/* Ends what ended on a track by `time`. */
static int write_ends(struct writer *writer, struct track *track, uint64_t time)
{
	uint64_t uuid = perfetto_track_uuid(&writer->perfetto, track), end;
	int error = 0;

	while (!error && track_close(track, time, &end)) {
		size_t packet, event = perfetto_event_begin(&writer->perfetto, end, TYPE_END, uuid,
							    &packet);

		error = perfetto_event_end(&writer->perfetto, event, packet);
	}
	return error;
}

static int write_copied(struct writer *writer, int32_t device, uint64_t time)
{
	return perfetto_counter(&writer->perfetto, UNIQUE_COPIED, device, time,
				writer->running[device].bytes);
}

/* What copies that ended by `time` no longer move. */
static int write_landed(struct writer *writer, int32_t device, uint64_t time)
{
	uint64_t end;
	int error = 0;

	while (!error && running_copies_end(&writer->running[device], time, &end))
		error = write_copied(writer, device, end);
	return error;
}

static int write_copy(struct writer *writer, const struct trace_record *record)
{
	int error;

	if ((record->kind != ROW_MEMCPY && record->kind != ROW_MOVEMENT) || !record->bytes ||
	    record->device < 0 || record->device >= SESSION_DEVICES)
		return 0;
	error = write_landed(writer, record->device, record->start);
	if (!error)
		error = running_copies_begin(&writer->running[record->device], record_end(record),
					     record->bytes);
	return error ? error : write_copied(writer, record->device, record->start);
}

static int write_begin(struct writer *writer, const struct trace_record *record,
		       const struct track *track)
{
	struct perfetto *perfetto = &writer->perfetto;
	struct trace_name *name, *other;
	size_t packet, event;
	int error;

	name = trace_name_get(&writer->names, perfetto->session, record->kind, record->name);
	error = perfetto_intern(perfetto, name, DEFINED_EVENT);
	if (!error)
		error = other_name(writer, record, &other);
	if (error)
		return error;
	event = perfetto_event_begin(perfetto, record->start, TYPE_BEGIN,
				     perfetto_track_uuid(perfetto, track), &packet);
	protobuf_unsigned(&perfetto->packet, EVENT_CATEGORY, record->kind + 1);
	protobuf_unsigned(&perfetto->packet, EVENT_NAME, name->number);
	error = add_flow(writer, record);
	add_arguments(writer, record, other);
	return error ? error : perfetto_event_end(perfetto, event, packet);
}

static int write_record(struct writer *writer, const struct trace_record *record)
{
	struct track *track;
	bool added;
	int error = tracks_place(&writer->tracks, record, writer->perfetto.process, &track, &added);

	if (!error && added)
		error = perfetto_track(&writer->perfetto, track);
	if (!error)
		error = write_ends(writer, track, record->start);
	if (!error)
		error = track_open(track, record_end(record));
	if (!error)
		error = write_begin(writer, record, track);
	return error ? error : write_copy(writer, record);
}

/* What the devices hold; `record` is the next one, NULL behind a process's last. */
static int write_held(struct writer *writer, const struct trace_record *record)
{
	struct held_value value;
	int error = 0;

	while (!error && held_memory_next(&writer->held, record, &value))
		error = perfetto_counter(&writer->perfetto, UNIQUE_HELD, value.device, value.time,
					 value.bytes);
	return error;
}

/* Ends all that is still open, when the last record of a process was written. */
static int write_rest(struct writer *writer)
{
	int error = 0;

	tracks_for_each (&writer->tracks, track) {
		if (!error)
			error = write_ends(writer, track, UINT64_MAX);
	}
	for (int32_t device = 0; device < SESSION_DEVICES && !error; device++)
		error = write_landed(writer, device, UINT64_MAX);
	return error ? error : write_held(writer, NULL);
}

static int write_records(struct writer *writer, struct trace_order *order)
{
	struct progress progress = {.what = "Exporting", .least = TRACE_BAR_LEAST};
	const struct job_process *owner;
	const struct trace_record *record;
	uint32_t process, last = UINT32_MAX;
	int error;

	while (!(error = trace_order_next(order, &record)) && record &&
	       !ferror(writer->perfetto.file)) {
		progress_show(&progress, trace_order_done(order), trace_order_count(order));
		process = trace_order_process(order, &owner);
		if (process != last) {
			error = write_rest(writer);
			if (!error)
				error = perfetto_process(&writer->perfetto, owner, process);
		}
		last = process;
		if (!error)
			error = write_held(writer, record);
		if (!error && record->kind != TRACE_HELD)
			error = write_record(writer, record);
		if (error)
			break;
	}
	progress_wipe(&progress);
	return error ? error : write_rest(writer);
}

int export_perfetto(struct session *session, const struct options *options, FILE *file,
		    char *message, size_t size)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	const struct trace_window window = trace_window(session, options);
	struct trace_order *order = NULL;
	char clocks[JOB_CLOCKS_SIZE];
	int error = writer ? trace_order_open(&order, session, window.from, window.to) : -ENOMEM;

	if (!error)
		error = trace_clocks(session, clocks);
	if (error)
		goto out;
	writer->perfetto.clocks = clocks;
	writer->perfetto.session = session;
	writer->perfetto.file = file;
	writer->held.from = window.from > window.zero ? window.from : window.zero;
	error = write_records(writer, order);
	tracks_free(&writer->tracks);
	launches_free(&writer->launches);
	for (int32_t device = 0; device < SESSION_DEVICES; device++)
		running_copies_free(&writer->running[device]);
	trace_names_free(&writer->names);
	trace_names_free(&writer->raw);
	protobuf_free(&writer->perfetto.packet);
out:
	if (error)
		trace_error(error, message, size);
	trace_order_close(order);
	free(writer);
	return error;
}
