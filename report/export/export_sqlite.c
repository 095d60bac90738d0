/* SPDX-License-Identifier: MIT */
/* A session's trace as an Nsight Systems SQLite export, which `nsys stats` reads. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "report/export/export.h"
#include "report/export/export_database.h"
#include "report/export/export_trace.h"
#include "report/names/nsys_names.h"
#include "report/session/session_nvtx.h"

/* nsys's event classes of API calls. */
#define EVENT_CLASS_RUNTIME  0
#define EVENT_CLASS_DRIVER   1

#define LAUNCH_TYPE_REGULAR  1

/* nsys's event types of NVTX. */
#define EVENT_TYPE_PUSH_POP  59
#define EVENT_TYPE_START_END 60
#define EVENT_TYPE_DOMAIN    75
/* NVTX domains in a session: as many as ktime tells apart. */
#define DOMAINS		     64

struct export
{
	struct session *session;
	struct database *database;
	struct trace_name *names;
	struct trace_window window; /* its zero is what an export's times count from */
	uint64_t domains[DOMAINS];  /* offsets of the names of those that are in the table */
	unsigned domain_count;
};

/* CUPTI's and nsys's process and thread ids in one number. */
static int64_t global_id(const struct export *export, uint32_t thread)
{
	uint64_t pid = (uint32_t)session_header(export->session)->pid;

	return (int64_t)(pid << 24 | (thread & 0xffffff));
}

#define PLACE(export, record)                                                                      \
	NUMBER((record)->start - (export)->window.zero),                                           \
		NUMBER((record)->end - (export)->window.zero), NUMBER((record)->device),           \
		NUMBER((record)->context), NUMBER((record)->stream),                               \
		NUMBER((record)->correlation), NUMBER(global_id(export, 0))

static int insert_kernel(struct export *export, const struct trace_record *record)
{
	const struct trace_name *name =
		trace_name_get(&export->names, export->session, ROW_KERNEL, record->name);
	int64_t demangled, base, mangled;

	if (!name)
		return -ENOMEM;
	mangled = database_string(export->database, session_string(export->session, record->name));
	demangled = database_string(export->database, name->text);
	base = database_string(export->database, name->base);
	if (mangled < 0 || demangled < 0 || base < 0)
		return mangled < 0 ? mangled : demangled < 0 ? demangled : base;
	return INSERT(export->database, NSYS_TABLE_KERNEL, PLACE(export, record), NUMBER(demangled),
		      NUMBER(base), NUMBER(mangled), NUMBER(LAUNCH_TYPE_REGULAR),
		      NUMBER(record->registers), NUMBER(record->grid[0]), NUMBER(record->grid[1]),
		      NUMBER(record->grid[2]), NUMBER(record->block[0]), NUMBER(record->block[1]),
		      NUMBER(record->block[2]), NUMBER(record->static_shared),
		      NUMBER(record->dynamic_shared), NUMBER(0), NUMBER(0), NUMBER(0),
		      NUMBER_OR_NULL(record->graph_node), NUMBER_OR_NULL(record->graph));
}

static int insert_copy(struct export *export, const struct trace_record *record)
{
	const char *name = session_string(export->session, record->name);

	if (!nsys_is_memory_operation(record->kind, name))
		return 0;
	return INSERT(export->database, NSYS_TABLE_MEMCPY, PLACE(export, record),
		      NUMBER(record->bytes), NUMBER(nsys_copy_kind(name)),
		      NUMBER(nsys_memory_kind(record->source_kind)),
		      NUMBER(nsys_memory_kind(record->destination_kind)),
		      NUMBER_OR_NULL(record->graph_node), NUMBER(1));
}

static int insert_memset(struct export *export, const struct trace_record *record)
{
	/* A memset's memory is what it writes to; some traces give it as the source. */
	enum memory_kind kind = record->destination_kind != MEMORY_UNKNOWN
					? record->destination_kind
					: record->source_kind;

	return INSERT(export->database, NSYS_TABLE_MEMSET, PLACE(export, record), NUMBER(0),
		      NUMBER(record->bytes), NUMBER_OR_NULL(record->graph_node),
		      NUMBER(nsys_memory_kind(kind)));
}

static int insert_graph(struct export *export, const struct trace_record *record)
{
	return INSERT(export->database, NSYS_TABLE_GRAPH_TRACE, PLACE(export, record),
		      NUMBER(record->graph), NUMBER(record->graph));
}

static int insert_api(struct export *export, const struct trace_record *record)
{
	int64_t name =
		database_string(export->database, session_string(export->session, record->name));

	if (name < 0)
		return name;
	return INSERT(
		export->database, NSYS_TABLE_RUNTIME, NUMBER(record->start - export->window.zero),
		NUMBER(record->end - export->window.zero),
		NUMBER(record->kind == ROW_DRIVER_API ? EVENT_CLASS_DRIVER : EVENT_CLASS_RUNTIME),
		NUMBER(global_id(export, record->thread)), NUMBER(record->correlation),
		NUMBER(name), NUMBER(record->result));
}

/* The number of a domain, which an event of its own names; 0: the default domain. Or -errno. */
static int64_t domain_id(struct export *export, const struct trace_record *record)
{
	const char *name = session_string(export->session, record->kernel);
	unsigned known = 0;
	int error;

	if (!*name)
		return 0;
	while (known < export->domain_count && export->domains[known] != record->kernel)
		known++;
	if (known < export->domain_count || known == DOMAINS)
		return (int64_t)known + 1;
	export->domains[export->domain_count++] = record->kernel;
	error = INSERT(export->database, NSYS_TABLE_NVTX,
		       NUMBER(record->start - export->window.zero), NUMBER_OR_NULL(0),
		       NUMBER(EVENT_TYPE_DOMAIN), NUMBER_OR_NULL(0), TEXT(name),
		       NUMBER(global_id(export, record->thread)), NUMBER_OR_NULL(0),
		       NUMBER_OR_NULL(0), NUMBER(known + 1));
	return error ? error : (int64_t)known + 1;
}

static int insert_range(struct export *export, const struct trace_record *record)
{
	bool started = record->result == RANGE_START_END;
	int64_t name =
		database_string(export->database, session_string(export->session, record->name));
	int64_t domain = domain_id(export, record), thread = global_id(export, record->thread);

	if (name < 0 || domain < 0)
		return (int)(name < 0 ? name : domain);
	/* No thread of the end: nsys names one only if it is another than the start's, and its
	 * reports leave such a range out. */
	return INSERT(export->database, NSYS_TABLE_NVTX,
		      NUMBER(record->start - export->window.zero),
		      NUMBER(record->end - export->window.zero),
		      NUMBER(started ? EVENT_TYPE_START_END : EVENT_TYPE_PUSH_POP),
		      NUMBER_OR_NULL(started ? record->correlation : 0), NUMBER_OR_NULL(0),
		      NUMBER(thread), NUMBER_OR_NULL(0), NUMBER(name), NUMBER(domain));
}

/* What nsys has a table for; the other kinds are left out. */
static int insert_record(struct export *export, const struct trace_record *record)
{
	switch (record->kind) {
	case ROW_KERNEL:
		return insert_kernel(export, record);
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		return insert_copy(export, record);
	case ROW_MEMSET:
		return insert_memset(export, record);
	case ROW_GRAPH:
		return insert_graph(export, record);
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		return insert_api(export, record);
	case ROW_RANGE:
		return insert_range(export, record);
	default:
		return 0;
	}
}

static int insert_enumerations(struct export *export)
{
	static const struct {
		enum nsys_sqlite_table table;
		int id;
		const char *name, *label;
	} entries[] = {
#define ENTRY(id, name, other, label) {NSYS_TABLE_COPY_KINDS, id, #name, label},
		NSYS_COPY_KINDS(ENTRY)
#undef ENTRY
#define ENTRY(id, name, other, label) {NSYS_TABLE_MEMORY_KINDS, id, #name, label},
			NSYS_MEMORY_KINDS(ENTRY)
#undef ENTRY
				{NSYS_TABLE_LAUNCH_TYPES, 0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN",
				 "Unknown"},
		{NSYS_TABLE_LAUNCH_TYPES, LAUNCH_TYPE_REGULAR, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR",
		 "Regular"},
		{NSYS_TABLE_EVENT_CLASSES, EVENT_CLASS_RUNTIME, "TRACE_PROCESS_EVENT_CUDA_RUNTIME",
		 "CUDA runtime"},
		{NSYS_TABLE_EVENT_CLASSES, EVENT_CLASS_DRIVER, "TRACE_PROCESS_EVENT_CUDA_DRIVER",
		 "CUDA driver"},
		{NSYS_TABLE_EVENT_TYPES, EVENT_TYPE_PUSH_POP, "NvtxPushPopRange",
		 "NVTX Push/Pop Range"},
		{NSYS_TABLE_EVENT_TYPES, EVENT_TYPE_START_END, "NvtxStartEndRange",
		 "NVTX Start/End Range"},
		{NSYS_TABLE_EVENT_TYPES, EVENT_TYPE_DOMAIN, "NvtxDomainCreate",
		 "NVTX Domain Create"},
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries) && !error; i++)
		error = INSERT(export->database, entries[i].table, NUMBER(entries[i].id),
			       TEXT(entries[i].name), TEXT(entries[i].label));
	return error;
}

static int insert_devices(struct export *export)
{
	const struct session_header *header = session_header(export->session);
	int error = 0;

	for (int device = 0; device < SESSION_DEVICES && !error; device++) {
		const struct device_info *info = &header->devices[device];
		char uuid[TRACE_UUID_SIZE], name[sizeof(info->name) + 1] = "";

		if (!info->used)
			continue;
		trace_uuid(info->uuid, uuid);
		memcpy(name, info->name, sizeof(info->name));
		error = INSERT(export->database, NSYS_TABLE_GPU, NUMBER(0), NUMBER(device),
			       TEXT(name), NUMBER_OR_NULL(info->memory), TEXT(uuid), NUMBER(device),
			       NUMBER(info->compute_capability / 10),
			       NUMBER(info->compute_capability % 10));
		if (!error)
			error = INSERT(export->database, NSYS_TABLE_CUDA_DEVICE, NUMBER(device),
				       NUMBER(device), NUMBER(header->pid), TEXT(uuid), NUMBER(0));
	}
	return error;
}

/* Every thread bears the program's name, as Linux has it for one that sets none. */
static int insert_threads(struct export *export, const char *name)
{
	int64_t id = database_string(export->database, name);
	char sql[160];
	int error;

	if (id < 0)
		return id;
	if (!database_has_table(export->database, NSYS_TABLE_RUNTIME))
		return 0;
	error = database_add_table(export->database, NSYS_TABLE_THREAD_NAMES);
	if (error)
		return error;
	snprintf(sql, sizeof(sql),
		 "INSERT INTO ThreadNames (nameId, priority, globalTid) SELECT DISTINCT %lld, 0, "
		 "globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME",
		 (long long)id);
	return database_run(export->database, sql);
}

static int insert_session(struct export *export)
{
	const struct session_header *header = session_header(export->session);
	time_t seconds = header->start_realtime / 1000000000;
	char utc[32], local[32], name[256];
	struct tm broken;
	int error;

	strftime(utc, sizeof(utc), "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &broken));
	strftime(local, sizeof(local), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &broken));
	trace_process_name(export->session, name, sizeof(name));
	error = INSERT(export->database, NSYS_TABLE_SESSION_START, NUMBER(header->start_realtime),
		       TEXT(utc), TEXT(local));
	if (!error)
		error = INSERT(export->database, NSYS_TABLE_ANALYSIS_DETAILS, NUMBER(0),
			       NUMBER(export->window.end - export->window.zero), NUMBER(0),
			       NUMBER(export->window.end - export->window.zero));
	if (!error)
		error = INSERT(export->database, NSYS_TABLE_PROCESSES, NUMBER(global_id(export, 0)),
			       NUMBER(header->pid), TEXT(name));
	if (!error)
		error = insert_threads(export, name);
	if (!error)
		error = INSERT(export->database, NSYS_TABLE_SYSTEM_ENV, NUMBER(0), TEXT(""),
			       TEXT("Hostname"), NUMBER(0),
			       TEXT(session_string(export->session, header->hostname)));
	if (!error)
		error = INSERT(export->database, NSYS_TABLE_CAPTURE, TEXT("PROCESS_0:COMMAND"),
			       TEXT(session_string(export->session, header->command)));
	return error;
}

static int insert_export_data(struct export *export)
{
	static const char *const data[][2] = {
		{"EXPORT_PRODUCT_NAME", "ktime"},
		{"EXPORT_PRODUCT_VERSION", KTIME_VERSION},
		{"EXPORT_SCHEMA_VERSION", NSYS_SCHEMA_VERSION},
		{"EXPORT_SCHEMA_VERSION_MAJOR", NSYS_SCHEMA_MAJOR},
		{"EXPORT_SCHEMA_VERSION_MINOR", NSYS_SCHEMA_MINOR},
		{"EXPORT_SCHEMA_VERSION_MICRO", NSYS_SCHEMA_MICRO},
		{"EXPORT_PARAM_LAZY", "true"},
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(data) / sizeof(*data) && !error; i++)
		error = INSERT(export->database, NSYS_TABLE_EXPORT, TEXT(data[i][0]),
			       TEXT(data[i][1]));
	return error;
}

static int export_insert(struct export *export)
{
	const struct trace_record *record;
	int error = insert_export_data(export);

	if (!error)
		error = insert_enumerations(export);
	if (!error)
		error = insert_devices(export);
	session_for_each_trace (export->session, record) {
		if (error)
			return error;
		if (!trace_is_in(&export->window, record))
			continue;
		error = insert_record(export, record);
	}
	return error ? error : insert_session(export);
}

int export_sqlite(struct session *session, const struct options *options, const char *path,
		  char *message, size_t size)
{
	struct export export = {.session = session, .database = database_open(path)};
	int error = -ENOMEM;

	if (!export.database)
		goto out;
	export.window = trace_window(session, options);
	error = export_insert(&export);
	if (!error)
		error = database_commit(export.database);
out:
	if (error == -ENOMEM)
		snprintf(message, size, "out of memory");
	else if (error)
		snprintf(message, size, "%s", database_error(export.database));
	database_close(export.database);
	trace_names_free(&export.names);
	return error;
}
