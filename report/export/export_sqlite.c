/* SPDX-License-Identifier: MIT */
/* A session's trace as an Nsight Systems SQLite export, which `nsys stats` reads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "report/devices/describe.h"
#include "report/export/export.h"
#include "report/names/call_names.h"
#include "report/names/demangle.h"
#include "report/names/nsys_names.h"
#include "report/session/items.h"

#define NSYS_SCHEMA_MAJOR   "3"
#define NSYS_SCHEMA_MINOR   "24"
#define NSYS_SCHEMA_MICRO   "14"
#define NSYS_SCHEMA_VERSION NSYS_SCHEMA_MAJOR "." NSYS_SCHEMA_MINOR "." NSYS_SCHEMA_MICRO

/*
 * The tables that a session can fill, with the columns of a current export. Source: the schema in
 * the Nsight Systems user guide ("SQLite Schema Reference") and that of exports of the releases
 * 2024.6 to 2026.1. '*' stands before a column that ktime has values for, in the order of INSERT().
 * Behind it stands '$' for texts and '%' for real numbers, as all else is integers; then '!' for
 * what is never NULL, '#' for the primary key. One column is ktime's: `range`, a text of StringIds,
 * is the NVTX range that a graph's node was made in.
 */
#define PLACE_COLUMNS                                                                              \
	"*start! *end! *deviceId! *contextId! greenContextId *streamId! *correlationId "           \
	"*globalPid "
#define ENUMERATION "*id# *name$ *label$"
#define TABLES(X)                                                                                  \
	X(STRINGS, "StringIds", "*id# *value$!")                                                   \
	X(KERNEL, "CUPTI_ACTIVITY_KIND_KERNEL",                                                    \
	  PLACE_COLUMNS                                                                            \
	  "*demangledName! *shortName! *mangledName *launchType cacheConfig "                      \
	  "*registersPerThread! *gridX! *gridY! *gridZ! *blockX! *blockY! *blockZ! "               \
	  "*staticSharedMemory! *dynamicSharedMemory! *localMemoryPerThread! "                     \
	  "*localMemoryTotal! *gridId! sharedMemoryExecuted *graphNodeId "                         \
	  "sharedMemoryLimitConfig qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone "              \
	  "*graphId clusterX clusterY clusterZ clusterSchedulingPolicy "                           \
	  "maxPotentialClusterSize maxActiveClusters *range")                                      \
	X(MEMCPY, "CUPTI_ACTIVITY_KIND_MEMCPY",                                                    \
	  PLACE_COLUMNS "*bytes! *copyKind! deprecatedSrcId *srcKind *dstKind srcDeviceId "        \
			"srcContextId dstDeviceId dstContextId migrationCause *graphNodeId "       \
			"virtualAddress *copyCount *range")                                        \
	X(MEMSET, "CUPTI_ACTIVITY_KIND_MEMSET",                                                    \
	  PLACE_COLUMNS "*value! *bytes! *graphNodeId *memKind *range")                            \
	X(RUNTIME, "CUPTI_ACTIVITY_KIND_RUNTIME",                                                  \
	  "*start! *end! *eventClass! *globalTid *correlationId *nameId! *returnValue! "           \
	  "callchainId")                                                                           \
	X(GRAPH_TRACE, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", PLACE_COLUMNS "*graphId! *graphExecId!") \
	X(NVTX, "NVTX_EVENTS",                                                                     \
	  "*start! *end *eventType! *rangeId category color *text$ *globalTid "                    \
	  "*endGlobalTid textId *domainId uint64Value int64Value doubleValue% "                    \
	  "uint32Value int32Value floatValue% jsonTextId jsonText$ binaryData$")                   \
	X(GPU, "TARGET_INFO_GPU",                                                                  \
	  "*vmId! *id! *name$ busLocation$ isDiscrete l2CacheSize *totalMemory "                   \
	  "memoryBandwidth clockRate smCount pwGpuId *uuid$ luid chipName$ *cuDevice "             \
	  "ctxswDevPath$ ctrlDevPath$ revision nodeMask constantMemory maxIPC "                    \
	  "maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm "             \
	  "maxRegistersPerSm threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm "            \
	  "maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX "                 \
	  "maxGridDimY maxGridDimZ *computeMajor *computeMinor smMajor smMinor")                   \
	X(CUDA_DEVICE, "TARGET_INFO_CUDA_DEVICE",                                                  \
	  "*gpuId! *cudaId! *pid! *uuid$! *numMultiprocessors!")                                   \
	X(SYSTEM_ENV, "TARGET_INFO_SYSTEM_ENV",                                                    \
	  "*globalVid *devStateName$! *name$! *nameEnum! *value$!")                                \
	X(SESSION_START, "TARGET_INFO_SESSION_START_TIME", "*utcEpochNs *utcTime$ *localTime$")    \
	X(ANALYSIS_DETAILS, "ANALYSIS_DETAILS", "*globalVid! *duration! *startTime! *stopTime!")   \
	X(PROCESSES, "PROCESSES", "*globalPid *pid *name$")                                        \
	X(THREAD_NAMES, "ThreadNames", "*nameId! *priority *globalTid")                            \
	X(CAPTURE, "META_DATA_CAPTURE", "*name$! *value$")                                         \
	X(EXPORT, "META_DATA_EXPORT", "*name$! *value$")                                           \
	X(COPY_KINDS, "ENUM_CUDA_MEMCPY_OPER", ENUMERATION)                                        \
	X(MEMORY_KINDS, "ENUM_CUDA_MEM_KIND", ENUMERATION)                                         \
	X(LAUNCH_TYPES, "ENUM_CUDA_KERNEL_LAUNCH_TYPE", ENUMERATION)                               \
	X(EVENT_CLASSES, "ENUM_NSYS_EVENT_CLASS", ENUMERATION)                                     \
	X(EVENT_TYPES, "ENUM_NSYS_EVENT_TYPE", ENUMERATION)
#define TABLE_ENUM(table, name, columns) TABLE_##table,
enum table { TABLES(TABLE_ENUM) TABLE_COUNT };
#define TABLE_TEXTS(table, name, columns) {name, columns},
static const struct {
	const char *name, *columns;
} tables[TABLE_COUNT] = {TABLES(TABLE_TEXTS)};

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

struct string_id {
	struct text_entry entry;
	int64_t id;
};

/* The texts of StringIds that a kernel's or a call's name is as nsys has it; found once. */
struct name_ids {
	struct entry entry; /* by the name's offset in the session, and the kind of record */
	int64_t id;
	int64_t base, mangled; /* a kernel's: without its scopes and arguments, and as it is */
};

struct export
{
	struct session *session;
	sqlite3 *database;
	int error;			    /* the first one: nothing is done from then on */
	sqlite3_stmt *inserts[TABLE_COUNT]; /* NULL: the table is not there yet */
	struct text_entry *strings;
	struct entry *names;	    /* struct name_ids */
	struct trace_window window; /* its zero is what an export's times count from */
	uint64_t domains[DOMAINS];  /* offsets of the names of those that are in the table */
	unsigned domain_count;
};

/* What a row of a table is given, column by column. */
struct sql_value {
	enum { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT } type;
	int64_t number;
	const char *text;
};
#define NUMBER(value)	      ((struct sql_value){VALUE_NUMBER, (int64_t)(value), NULL})
#define NO_VALUE	      ((struct sql_value){VALUE_NULL, 0, NULL})
#define NUMBER_OR_NULL(value) ((value) ? NUMBER(value) : NO_VALUE)
#define TEXT(value)	      ((struct sql_value){VALUE_TEXT, 0, value})

/* Notes what a function of SQLite's returned. */
static void check(struct export *export, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE && !export->error)
		export->error = code == SQLITE_NOMEM  ? -ENOMEM
				: code == SQLITE_FULL ? -ENOSPC
						      : -EIO;
}

static void run(struct export *export, const char *sql)
{
	if (!export->error)
		check(export, sqlite3_exec(export->database, sql, NULL, NULL, NULL));
}

/* Creates a table, unless it is there. nsys takes an absent table for absent data. */
static void add_table(struct export *export, enum table table)
{
	sqlite3_str *create, *insert, *marks;
	const char *at = tables[table].columns, *comma = "", *filled_comma = "";
	char *create_text, *insert_text, *marks_text;

	if (export->inserts[table] || export->error)
		return;
	create = sqlite3_str_new(NULL);
	insert = sqlite3_str_new(NULL);
	marks = sqlite3_str_new(NULL);
	sqlite3_str_appendf(create, "CREATE TABLE %s (", tables[table].name);
	sqlite3_str_appendf(insert, "INSERT INTO %s (", tables[table].name);
	while (*at) {
		bool filled = *at == '*';
		const char *name = at + filled;
		int length = (int)strcspn(name, "$%!# ");
		const char *type = name + length, *end = type + strcspn(type, " ");

		sqlite3_str_appendf(create, "%s%.*s %s%s", comma, length, name,
				    *type == '$'   ? "TEXT"
				    : *type == '%' ? "REAL"
						   : "INTEGER",
				    end == type	     ? ""
				    : end[-1] == '!' ? " NOT NULL"
				    : end[-1] == '#' ? " NOT NULL PRIMARY KEY"
						     : "");
		comma = ", ";
		at = end + (*end == ' ');
		if (!filled)
			continue;
		sqlite3_str_appendf(insert, "%s%.*s", filled_comma, length, name);
		sqlite3_str_appendf(marks, "%s?", filled_comma);
		filled_comma = ", ";
	}
	sqlite3_str_appendall(create, ")");
	marks_text = sqlite3_str_finish(marks);
	sqlite3_str_appendf(insert, ") VALUES (%s)", marks_text);
	create_text = sqlite3_str_finish(create);
	insert_text = sqlite3_str_finish(insert);
	if (!marks_text || !create_text || !insert_text)
		check(export, SQLITE_NOMEM);
	run(export, create_text);
	if (!export->error)
		check(export, sqlite3_prepare_v2(export->database, insert_text, -1,
						 &export->inserts[table], NULL));
	sqlite3_free(marks_text);
	sqlite3_free(create_text);
	sqlite3_free(insert_text);
}

static void insert_row(struct export *export, enum table table, const struct sql_value *values,
		       int count)
{
	sqlite3_stmt *insert;

	add_table(export, table);
	if (export->error)
		return;
	insert = export->inserts[table];
	for (int i = 0; i < count; i++) {
		if (values[i].type == VALUE_TEXT)
			sqlite3_bind_text(insert, i + 1, values[i].text, -1, SQLITE_STATIC);
		else if (values[i].type == VALUE_NUMBER)
			sqlite3_bind_int64(insert, i + 1, values[i].number);
		else
			sqlite3_bind_null(insert, i + 1);
	}
	check(export, sqlite3_step(insert));
	sqlite3_reset(insert);
}

/* Inserts a row, the values in the order of the table's filled columns. */
#define INSERT(export, table, ...)                                                                 \
	insert_row(export, table, (const struct sql_value[]){__VA_ARGS__},                         \
		   sizeof((const struct sql_value[]){__VA_ARGS__}) / sizeof(struct sql_value))

/* The id of a text in StringIds. */
static int64_t string_id(struct export *export, const char *text)
{
	struct string_id *string = text_entry_of(&export->strings, text, sizeof(*string));

	if (!string) {
		check(export, SQLITE_NOMEM);
		return 0;
	}
	if (!string->id) {
		string->id = HASH_COUNT(export->strings);
		INSERT(export, TABLE_STRINGS, NUMBER(string->id), TEXT(text));
	}
	return string->id;
}

/* Frees it. What was not committed is lost. */
static void close_database(struct export *export)
{
	text_entries_free(&export->strings);
	entries_free(&export->names);
	for (int i = 0; i < TABLE_COUNT; i++)
		sqlite3_finalize(export->inserts[i]);
	sqlite3_close(export->database);
}

/* CUPTI's and nsys's process and thread ids in one number. */
static int64_t global_id(const struct export *export, uint32_t thread)
{
	uint64_t pid = (uint32_t)session_header(export->session)->pid;

	return (int64_t)(pid << 24 | (thread & 0xffffff));
}

#define TIMES(export, record)                                                                      \
	NUMBER((record)->start - (export)->window.zero),                                           \
		NUMBER((record)->end - (export)->window.zero)
#define PLACE(export, record)                                                                      \
	TIMES(export, record), NUMBER((record)->device), NUMBER((record)->context),                \
		NUMBER((record)->stream), NUMBER((record)->correlation),                           \
		NUMBER(global_id(export, 0))

static struct sql_value range_of(struct export *export, const struct trace_record *record)
{
	return record->kernel
		       ? NUMBER(string_id(export, session_string(export->session, record->kernel)))
		       : NO_VALUE;
}

static void find_kernel(struct export *export, struct name_ids *ids, const char *mangled)
{
	char *name = nsys_demangle(mangled), *base = nsys_demangle_base(mangled);

	ids->mangled = string_id(export, mangled);
	if (name && base) {
		ids->id = string_id(export, name);
		ids->base = string_id(export, base);
	} else {
		check(export, SQLITE_NOMEM);
	}
	free(name);
	free(base);
}

/* After an error they are zeros. */
static struct name_ids name_ids(struct export *export, const struct trace_record *record)
{
	const uint64_t key[ENTRY_NUMBERS] = {record->name, record->kind};
	struct name_ids *ids = entry_of(&export->names, key, sizeof(*ids));
	const char *name = session_string(export->session, record->name);

	if (!ids)
		check(export, SQLITE_NOMEM);
	else if (!ids->id && record->kind == ROW_KERNEL)
		find_kernel(export, ids, name);
	else if (!ids->id)
		ids->id = string_id(export,
				    call_name_with_version(record->kind == ROW_DRIVER_API, name));
	return ids ? *ids : (struct name_ids){.id = 0};
}

static void insert_kernel(struct export *export, const struct trace_record *record)
{
	const struct name_ids name = name_ids(export, record);

	INSERT(export, TABLE_KERNEL, PLACE(export, record), NUMBER(name.id), NUMBER(name.base),
	       NUMBER(name.mangled), NUMBER(LAUNCH_TYPE_REGULAR), NUMBER(record->registers),
	       NUMBER(record->grid[0]), NUMBER(record->grid[1]), NUMBER(record->grid[2]),
	       NUMBER(record->block[0]), NUMBER(record->block[1]), NUMBER(record->block[2]),
	       NUMBER(record->static_shared), NUMBER(record->dynamic_shared), NUMBER(0), NUMBER(0),
	       NUMBER(0), NUMBER_OR_NULL(record->graph_node), NUMBER_OR_NULL(record->graph),
	       range_of(export, record));
}

static void insert_copy(struct export *export, const struct trace_record *record)
{
	const char *name = session_string(export->session, record->name);

	if (nsys_is_memory_operation(record->kind, name))
		INSERT(export, TABLE_MEMCPY, PLACE(export, record), NUMBER(record->bytes),
		       NUMBER(nsys_copy_kind(name)), NUMBER(nsys_memory_kind(record->source_kind)),
		       NUMBER(nsys_memory_kind(record->destination_kind)),
		       NUMBER_OR_NULL(record->graph_node), NUMBER(1), range_of(export, record));
}

static void insert_memset(struct export *export, const struct trace_record *record)
{
	/* A memset's memory is what it writes to; some traces give it as the source. */
	enum memory_kind kind = record->destination_kind != MEMORY_UNKNOWN
					? record->destination_kind
					: record->source_kind;

	INSERT(export, TABLE_MEMSET, PLACE(export, record), NUMBER(0), NUMBER(record->bytes),
	       NUMBER_OR_NULL(record->graph_node), NUMBER(nsys_memory_kind(kind)),
	       range_of(export, record));
}

static void insert_api(struct export *export, const struct trace_record *record)
{
	INSERT(export, TABLE_RUNTIME, TIMES(export, record),
	       NUMBER(record->kind == ROW_DRIVER_API ? EVENT_CLASS_DRIVER : EVENT_CLASS_RUNTIME),
	       NUMBER(global_id(export, record->thread)), NUMBER(record->correlation),
	       NUMBER(name_ids(export, record).id), NUMBER(record->result));
}

/* The number of a domain, which an event of its own names; 0: the default domain. */
static unsigned domain_id(struct export *export, const struct trace_record *record)
{
	const char *name = session_string(export->session, record->kernel);
	unsigned known = 0;

	if (!*name)
		return 0;
	while (known < export->domain_count && export->domains[known] != record->kernel)
		known++;
	if (known < export->domain_count || known == DOMAINS)
		return known + 1;
	export->domains[export->domain_count++] = record->kernel;
	INSERT(export, TABLE_NVTX, NUMBER(record->start - export->window.zero), NO_VALUE,
	       NUMBER(EVENT_TYPE_DOMAIN), NO_VALUE, TEXT(name),
	       NUMBER(global_id(export, record->thread)), NO_VALUE, NUMBER(known + 1));
	return known + 1;
}

static void insert_range(struct export *export, const struct trace_record *record)
{
	bool started = record->result == RANGE_START_END;
	unsigned domain = domain_id(export, record);

	/* The name is a text, as nsys has ids only for strings that the program registered. No
	 * thread of the end: nsys names one only if it is another than the start's, and its reports
	 * leave such a range out. */
	INSERT(export, TABLE_NVTX, TIMES(export, record),
	       NUMBER(started ? EVENT_TYPE_START_END : EVENT_TYPE_PUSH_POP),
	       NUMBER_OR_NULL(started ? record->correlation : 0),
	       TEXT(session_string(export->session, record->name)),
	       NUMBER(global_id(export, record->thread)), NO_VALUE, NUMBER(domain));
}

/* What nsys has a table for; the other kinds are left out. */
static void insert_record(struct export *export, const struct trace_record *record)
{
	switch (record->kind) {
	case ROW_KERNEL:
		insert_kernel(export, record);
		break;
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		insert_copy(export, record);
		break;
	case ROW_MEMSET:
		insert_memset(export, record);
		break;
	case ROW_GRAPH:
		INSERT(export, TABLE_GRAPH_TRACE, PLACE(export, record), NUMBER(record->graph),
		       NUMBER(record->graph));
		break;
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		insert_api(export, record);
		break;
	case ROW_RANGE:
		insert_range(export, record);
		break;
	default:
		break;
	}
}

static void insert_enumerations(struct export *export)
{
	static const struct {
		enum table table;
		int id;
		const char *name, *label;
	} entries[] = {
#define ENTRY(id, name, other, label) {TABLE_COPY_KINDS, id, #name, label},
		NSYS_COPY_KINDS(ENTRY)
#undef ENTRY
#define ENTRY(id, name, other, label) {TABLE_MEMORY_KINDS, id, #name, label},
			NSYS_MEMORY_KINDS(ENTRY)
#undef ENTRY
				{TABLE_LAUNCH_TYPES, 0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN",
				 "Unknown"},
		{TABLE_LAUNCH_TYPES, LAUNCH_TYPE_REGULAR, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR",
		 "Regular"},
		{TABLE_EVENT_CLASSES, EVENT_CLASS_RUNTIME, "TRACE_PROCESS_EVENT_CUDA_RUNTIME",
		 "CUDA runtime"},
		{TABLE_EVENT_CLASSES, EVENT_CLASS_DRIVER, "TRACE_PROCESS_EVENT_CUDA_DRIVER",
		 "CUDA driver"},
		{TABLE_EVENT_TYPES, EVENT_TYPE_PUSH_POP, "NvtxPushPopRange", "NVTX Push/Pop Range"},
		{TABLE_EVENT_TYPES, EVENT_TYPE_START_END, "NvtxStartEndRange",
		 "NVTX Start/End Range"},
		{TABLE_EVENT_TYPES, EVENT_TYPE_DOMAIN, "NvtxDomainCreate", "NVTX Domain Create"},
	};

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		INSERT(export, entries[i].table, NUMBER(entries[i].id), TEXT(entries[i].name),
		       TEXT(entries[i].label));
}

static void insert_devices(struct export *export)
{
	const struct session_header *header = session_header(export->session);

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_info *info = &header->devices[device];
		char uuid[DEVICE_UUID_SIZE];

		if (!info->used)
			continue;
		device_uuid(uuid, "", info->uuid);
		INSERT(export, TABLE_GPU, NUMBER(0), NUMBER(device), TEXT(info->name),
		       NUMBER_OR_NULL(info->memory), TEXT(uuid), NUMBER(device),
		       NUMBER(info->compute_capability / 10),
		       NUMBER(info->compute_capability % 10));
		INSERT(export, TABLE_CUDA_DEVICE, NUMBER(device), NUMBER(device),
		       NUMBER(header->pid), TEXT(uuid), NUMBER(0));
	}
}

/* Every thread bears the program's name, as Linux has it for one that sets none. */
static void insert_threads(struct export *export, const char *name)
{
	int64_t id = string_id(export, name);
	char sql[160];

	if (!export->inserts[TABLE_RUNTIME])
		return;
	add_table(export, TABLE_THREAD_NAMES);
	snprintf(sql, sizeof(sql),
		 "INSERT INTO ThreadNames (nameId, priority, globalTid) SELECT DISTINCT %lld, 0, "
		 "globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME",
		 (long long)id);
	run(export, sql);
}

static void insert_session(struct export *export)
{
	const struct session_header *header = session_header(export->session);
	const uint64_t duration = export->window.end - export->window.zero;
	time_t seconds = header->start_realtime / 1000000000;
	char utc[32], local[32], name[256];
	struct tm broken;

	strftime(utc, sizeof(utc), "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &broken));
	strftime(local, sizeof(local), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &broken));
	trace_process_name(export->session, name, sizeof(name));
	INSERT(export, TABLE_SESSION_START, NUMBER(header->start_realtime), TEXT(utc), TEXT(local));
	INSERT(export, TABLE_ANALYSIS_DETAILS, NUMBER(0), NUMBER(duration), NUMBER(0),
	       NUMBER(duration));
	INSERT(export, TABLE_PROCESSES, NUMBER(global_id(export, 0)), NUMBER(header->pid),
	       TEXT(name));
	insert_threads(export, name);
	INSERT(export, TABLE_SYSTEM_ENV, NUMBER(0), TEXT(""), TEXT("Hostname"), NUMBER(0),
	       TEXT(session_string(export->session, header->hostname)));
	INSERT(export, TABLE_CAPTURE, TEXT("PROCESS_0:COMMAND"),
	       TEXT(session_string(export->session, header->command)));
}

static void insert_export_data(struct export *export)
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

	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		INSERT(export, TABLE_EXPORT, TEXT(data[i][0]), TEXT(data[i][1]));
}

int export_sqlite(struct session *session, const struct options *options, const char *path,
		  char *message, size_t size)
{
	struct export export = {.session = session, .window = trace_window(session, options)};
	const struct trace_record *record;

	check(&export, sqlite3_open(path, &export.database));
	/* The file is renamed into place once it is whole, so no journal need protect it. */
	run(&export, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN TRANSACTION");
	insert_export_data(&export);
	insert_enumerations(&export);
	insert_devices(&export);
	session_for_each_trace (session, record) {
		if (export.error)
			break;
		if (trace_is_in(&export.window, record))
			insert_record(&export, record);
	}
	insert_session(&export);
	run(&export, "COMMIT");
	if (export.error == -ENOMEM)
		snprintf(message, size, "out of memory");
	else if (export.error)
		snprintf(message, size, "%s", sqlite3_errmsg(export.database));
	close_database(&export);
	return export.error;
}
