/* SPDX-License-Identifier: MIT */
/* What the session holds stands in the JSON export under its own name: no two figures are equal. */
#include "report/export/export.h"
#include "tests/unit/test.h"

static char *exported(struct session *session)
{
	char *text = NULL, message[256] = "";
	size_t size;
	struct options options;
	FILE *file = open_memstream(&text, &size);

	options_defaults(&options);
	assert_non_null(file);
	assert_int_equal(export_json(session, &options, file, message, sizeof(message)), 0);
	fclose(file);
	return text;
}

/* Fails with the whole text, unless the part is in it. */
static void holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		assert_string_equal(text, part);
}

static struct session *new_session(void)
{
	struct session *session;

	assert_int_equal(session_create(&session, NULL, true), 0);
	return session;
}

static void add_samples(struct session *session, struct figures *figures, unsigned scale)
{
	static const struct {
		unsigned calls, nanoseconds;
	} samples[] = {{500, 10}, {420, 20}, {40, 40}, {30, 80}, {9, 160}, {1, 320}};

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		for (unsigned call = 0; call < samples[i].calls; call++)
			session_add_sample(session, figures, samples[i].nanoseconds * scale);
}

TEST(each_figure_of_a_row_has_its_name)
{
	struct session *session = new_session();
	struct row *row = session_row(session, ROW_KERNEL, "_Z1kv", 2);
	char *text;

	session_header(session)->cupti_active = 1;
	add_samples(session, &row->cupti, 1);
	add_samples(session, &row->events, 3);
	row->calls = 2001;
	row->failed = 3;
	session_add_bytes(row, 30);
	session_add_bytes(row, 10);
	row->untimed[UNTIMED_SAMPLED_OUT] = 11;
	row->untimed[UNTIMED_RING_FULL] = 12;
	row->untimed[UNTIMED_FIRST_LAUNCH] = 13;
	row->graph_records = 4;
	row->host_included = 5;
	row->may_wait = 6;
	row->beside = 7;
	row->queued = 8;
	row->checked = 21;
	row->checked_cupti = 22;
	row->checked_events = 23;
	row->checked_raw = 24;
	row->checked_overlapped = 25;
	row->waited = 26;
	row->unmatched = 27;
	for (int i = 1; i <= 20; i++)
		session_add_difference(session, row, i < 19 ? 7 : 9);
	text = exported(session);
	holds(text,
	      "{\"kind\":\"kernel\",\"name\":\"k()\",\"mangled\":\"_Z1kv\",\"device\":2,"
	      "\"calls\":2001,\"seen_by_hooks\":2001,\"failed\":3,\"graph_records\":4,"
	      "\"host_included\":5,\"may_wait\":6,\"beside\":7,\"queued\":8,\"clock\":\"cupti\","
	      "\"bytes\":{\"total\":40,\"minimum\":10,\"maximum\":30,");
	holds(text, "\"cupti\":{\"count\":1000,\"total\":19160,\"average\":19.16,\"minimum\":10,"
		    "\"maximum\":320,");
	holds(text, "\"median\":10,\"p90\":20,\"p95\":40,\"p99\":80,\"p99.9\":161,");
	holds(text, "\"events\":{\"count\":1000,\"total\":57480,\"average\":57.48,\"minimum\":30,"
		    "\"maximum\":960,");
	holds(text, "\"check\":{\"calls\":21,\"cupti\":22,\"events\":23,\"events_as_read\":24,"
		    "\"overlapped\":25,\"waited\":26,\"unmatched\":27,"
		    "\"median_difference\":7}");
	holds(text, "\"untimed\":{\"left out by sampling\":11,\"ring full\":12,"
		    "\"first launch of a kernel\":13}");
	free(text);
	session_close(session);
}

TEST(each_figure_of_a_record_has_its_name)
{
	struct session *session = new_session();
	struct trace_record record = {
		.start = 101,
		.end = 102,
		.name = session_intern(session, "k"),
		.bytes = 103,
		.device = 4,
		.kind = ROW_KERNEL,
		.context = 105,
		.stream = 106,
		.correlation = 107,
		.thread = 108,
		.grid = {109, 110, 111},
		.block = {112, 113, 114},
		.registers = 115,
		.static_shared = 116,
		.dynamic_shared = 117,
		.source_kind = MEMORY_PINNED,
		.destination_kind = MEMORY_DEVICE,
		.clock = CLOCK_EVENTS,
		.result = 118,
		.graph = 119,
		.graph_node = 120,
	};
	char *text;

	assert_int_equal(session_trace(session, &record), 0);
	record.kind = ROW_RUNTIME_API;
	record.name = session_intern(session, "cudaLaunchKernel");
	record.kernel = session_intern(session, "_Z1kv");
	assert_int_equal(session_trace(session, &record), 0);
	text = exported(session);
	holds(text, "{\"kind\":\"kernel\",\"name\":\"k\",\"start\":101,\"end\":102,"
		    "\"correlation\":107,\"device\":4,\"context\":105,\"stream\":106,\"bytes\":103,"
		    "\"grid\":[109,110,111],\"block\":[112,113,114],\"registers\":115,"
		    "\"static_shared\":116,\"dynamic_shared\":117,\"from\":\"pinned\","
		    "\"to\":\"device\",\"clock\":\"events\",\"graph\":119,\"graph_node\":120}");
	holds(text, "{\"kind\":\"runtime\",\"name\":\"cudaLaunchKernel\",\"start\":101,\"end\":102,"
		    "\"correlation\":107,\"thread\":108,\"result\":118,\"kernel\":\"_Z1kv\"}");
	free(text);
	session_close(session);
}

TEST(each_figure_of_the_session_has_its_name)
{
	struct session *session = new_session();
	struct session_header *header = session_header(session);
	struct row *row;
	char *text, part[128];

	header->pid = 201;
	header->command = session_intern(session, "./program");
	header->hostname = session_intern(session, "host");
	header->start_realtime = 202;
	header->trace_start = 203;
	header->finished = 1;
	header->driver_version = 204;
	header->cupti_version = 205;
	header->timer = TIMER_BOTH;
	header->cupti_active = 0;
	header->events_active = 1;
	header->events_fraction = 206;
	header->budget_percent = 2.5;
	strcpy(header->devices[3].name, "GPU");
	header->devices[3].used = 1;
	header->devices[3].compute_capability = 90;
	header->devices[3].memory = 207;
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		header->counters[i] = 300 + i;
	for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
		header->overheads[i] = (struct event_overhead){400 + i, 500 + i, 600 + i};
	header->queued = (struct event_overhead){700, 701, 702};
	/* Sums over two rows. */
	for (int device = 0; device < 2; device++) {
		row = session_row(session, ROW_KERNEL, "k", device);
		for (unsigned i = 0; i < UNTIMED_COUNT; i++)
			row->untimed[i] = device ? 1000 : i + 1;
	}
	session_note(session, "a note");
	text = exported(session);
	holds(text, "\"session\":{\"pid\":201,\"command\":\"./program\",\"hostname\":\"host\","
		    "\"start_realtime\":202,\"trace_start\":203,\"finished\":true,"
		    "\"driver_version\":204,\"cupti_version\":205,\"timer\":\"both\","
		    "\"cupti_active\":false,\"events_active\":true,\"events_fraction\":206,"
		    "\"budget_percent\":2.5,\"budget_given\":false}");
	holds(text, "\"ordinal\":3,\"name\":\"GPU\",");
	holds(text, "\"compute_capability\":90,\"memory\":207,\"multiprocessors\":null,");
#define COUNTER(name, unit, merge, difference, description)                                        \
	snprintf(part, sizeof(part), "\"%s\":%d", #name, 300 + COUNTER_##name);                    \
	holds(text, part);
	SESSION_COUNTERS(COUNTER)
#define UNTIMED(name, description)                                                                 \
	snprintf(part, sizeof(part), "\"%s\":%d", description, 1001 + UNTIMED_##name);             \
	holds(text, part);
	UNTIMED_REASONS(UNTIMED)
	for (unsigned i = 0; i < OVERHEAD_KINDS; i++) {
		snprintf(part, sizeof(part), "\"overhead\":%d,\"pairs\":%d,\"standard_error\":%d",
			 400 + i, 500 + i, 600 + i);
		holds(text, part);
	}
	holds(text, "\"queued\":{\"overhead\":700,\"pairs\":701,\"standard_error\":702}}");
	holds(text, "\"notes\":[\"a note\"]");
	free(text);
	session_close(session);
}

TEST(what_was_not_queued_or_not_measured_is_absent)
{
	struct session *session = new_session();
	char *text;

	session_row(session, ROW_KERNEL, "k", 0)->calls = 1;
	session_header(session)->queued = (struct event_overhead){700, 0, 702};
	text = exported(session);
	assert_null(strstr(text, "queued"));
	free(text);
	session_close(session);
}
