/* SPDX-License-Identifier: MIT */
/* An SQLite export holds every record, in the tables and with the codes that nsys reads. */
#include <unistd.h>

#include <sqlite3.h>

#include "report/export/export.h"
#include "tests/unit/one_folder.h"
#include "tests/unit/one_trace.h"

static sqlite3 *database;

BEFORE_EACH
{
	header->pid = 321;
	header->start_realtime = 1700000000123456789;
	header->trace_start = 1000;
	header->command = session_intern(session, "./build/saxpy 100");
	header->hostname = session_intern(session, "node7");
	header->devices[1].used = 1;
	strcpy(header->devices[1].name, "NVIDIA H200");
	memset(header->devices[1].uuid, 0xab, 16);
	header->devices[1].compute_capability = 90;
	header->devices[1].memory = 150000000000;
}

AFTER_EACH
{
	sqlite3_close(database);
	database = NULL;
}

static void export(void)
{
	char message[256] = "";
	struct options options;

	options_defaults(&options);

	assert_int_equal(export_sqlite(session, &options, path, message, sizeof(message)), 0);
	assert_string_equal(message, "");
	assert_int_equal(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* The columns of the only row that a query gives, separated by "|". */
static void check(const char *query, const char *expected)
{
	sqlite3_stmt *statement;
	char text[512] = "";
	int column;

	assert_int_equal(sqlite3_prepare_v2(database, query, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	for (column = 0; column < sqlite3_column_count(statement); column++) {
		const char *value = (const char *)sqlite3_column_text(statement, column);

		if (column)
			strcat(text, "|");
		strcat(text, value ? value : "NULL");
	}
	assert_string_equal(text, expected);
	assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
}

TEST(a_kernel_has_its_three_names_and_its_launch)
{
	record(ROW_KERNEL, "_ZN1n3addIiEEvPT_", 2000, 4500,
	       (struct trace_record){.device = 1,
				     .context = 2,
				     .stream = 13,
				     .correlation = 5,
				     .grid = {8, 2, 1},
				     .block = {256, 1, 1},
				     .registers = 32,
				     .static_shared = 16,
				     .dynamic_shared = 64,
				     .graph = 3,
				     .graph_node = 9,
				     .kernel = session_intern(session, "layer/mlp")});
	export();
	check("SELECT start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, "
	      "gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
	      "staticSharedMemory, dynamicSharedMemory, graphId, graphNodeId, launchType, range "
	      "FROM CUPTI_ACTIVITY_KIND_KERNEL",
	      "1000|3500|1|2|13|5|5385486336|8|2|1|256|1|1|32|16|64|3|9|1|4");
	check("SELECT d.value, s.value, m.value, r.value FROM CUPTI_ACTIVITY_KIND_KERNEL "
	      "JOIN StringIds d ON d.id = demangledName JOIN StringIds s ON s.id = shortName "
	      "JOIN StringIds m ON m.id = mangledName JOIN StringIds r ON r.id = range",
	      "void n::add<int>(T1 *)|add|_ZN1n3addIiEEvPT_|layer/mlp");
}

TEST(copies_and_memsets_have_the_codes_of_nsys)
{
	record(ROW_MEMCPY, "[CUDA memcpy DtoH]", 3000, 3250,
	       (struct trace_record){.bytes = 4096,
				     .source_kind = MEMORY_DEVICE,
				     .destination_kind = MEMORY_PAGEABLE});
	record(ROW_MEMSET, "[CUDA memset]", 5000, 5001,
	       (struct trace_record){.bytes = 64, .source_kind = MEMORY_MANAGED});
	export();
	check("SELECT bytes, copyKind, o.name, o.label, srcKind, s.label, dstKind, d.label "
	      "FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind "
	      "JOIN ENUM_CUDA_MEM_KIND s ON s.id = srcKind "
	      "JOIN ENUM_CUDA_MEM_KIND d ON d.id = dstKind",
	      "4096|2|CUDA_MEMCPY_KIND_DTOH|Device-to-Host|2|Device|0|Pageable");
	check("SELECT bytes, value, m.label, graphNodeId, range FROM CUPTI_ACTIVITY_KIND_MEMSET "
	      "JOIN ENUM_CUDA_MEM_KIND m ON m.id = memKind",
	      "64|0|Managed|NULL|NULL");
}

/* nsys has CUPTI's names, with versions. */
TEST(calls_are_named_as_nsys_names_them)
{
	static const char *const names[][2] = {
		{"cudaLaunchKernel", "cudaLaunchKernel_v7000"},
		{"cudaGraphInstantiate", "cudaGraphInstantiate_v12000"},
		{"cudaGetDeviceProperties", "cudaGetDeviceProperties_v12000"},
		{"cudaMemcpyAsync_ptsz", "cudaMemcpyAsync_ptsz_v7000"},
		{"cudaMalloc_v3020", "cudaMalloc_v3020"},
		{"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2"},
		{"cuLaunchKernel", "cuLaunchKernel"},
		{"my_call", "my_call"},
	};
	const int count = sizeof(names) / sizeof(*names);

	for (int i = 0; i < count; i++)
		for (uint64_t twice = 0; twice < 2; twice++)
			record(names[i][0][2] == 'd' ? ROW_RUNTIME_API : ROW_DRIVER_API,
			       names[i][0], 100 * (uint64_t)i + 10 * twice,
			       100 * (uint64_t)i + 10 * twice + 5,
			       (struct trace_record){.correlation = (uint32_t)i + 1});
	export();
	for (int i = 0; i < count; i++) {
		char query[256], expected[128];

		snprintf(query, sizeof(query),
			 "SELECT min(value), max(value), count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME "
			 "JOIN StringIds ON id = nameId WHERE correlationId = %d",
			 i + 1);
		snprintf(expected, sizeof(expected), "%s|%s|2", names[i][1], names[i][1]);
		check(query, expected);
	}
}

TEST(calls_stand_on_their_threads)
{
	record(ROW_DRIVER_API, "cuLaunchKernel", 1500, 1600,
	       (struct trace_record){.device = -1, .thread = 322, .correlation = 5, .result = 700});
	record(ROW_DRIVER_API, "cuLaunchKernel", 1700, 1800,
	       (struct trace_record){.device = -1, .thread = 322, .correlation = 6});
	export();
	check("SELECT start, \"end\", eventClass, globalTid, s.value, returnValue "
	      "FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds s ON s.id = nameId "
	      "WHERE correlationId = 5",
	      "500|600|1|5385486658|cuLaunchKernel|700");
	check("SELECT s.value, globalTid FROM ThreadNames JOIN StringIds s ON s.id = nameId",
	      "saxpy|5385486658");
}

TEST(graphs_are_traced_as_a_whole)
{
	record(ROW_GRAPH, "[CUDA graph 4]", 2000, 9000, (struct trace_record){.graph = 4});
	export();
	check("SELECT start, \"end\", graphId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "1000|8000|4");
}

TEST(the_file_says_whose_it_is)
{
	record(ROW_KERNEL, "k", 900, 1100, (struct trace_record){.device = 1});
	export();
	/* The record began before the session's zero, which it is then itself. */
	check("SELECT start, \"end\" FROM CUPTI_ACTIVITY_KIND_KERNEL", "0|200");
	check("SELECT id, name, uuid, totalMemory, computeMajor, computeMinor FROM TARGET_INFO_GPU",
	      "1|NVIDIA H200|abababab-abab-abab-abab-abababababab|150000000000|9|0");
	check("SELECT gpuId, cudaId, pid FROM TARGET_INFO_CUDA_DEVICE", "1|1|321");
	check("SELECT utcEpochNs, utcTime FROM TARGET_INFO_SESSION_START_TIME",
	      "1700000000123456789|2023-11-14 22:13:20");
	check("SELECT pid, name FROM PROCESSES", "321|saxpy");
	check("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'", "3.24.14");
	check("SELECT value FROM META_DATA_CAPTURE", "./build/saxpy 100");
	check("PRAGMA integrity_check", "ok");
}

/* To nsys an empty table is data that a program had none of, an absent one data not collected. */
TEST(no_table_is_empty)
{
	record(ROW_KERNEL, "k", 1000, 1100, (struct trace_record){.device = 1});
	export();
	check("SELECT group_concat(name) FROM sqlite_master WHERE name LIKE 'CUPTI%'",
	      "CUPTI_ACTIVITY_KIND_KERNEL");
}

TEST(one_text_is_stored_once)
{
	record(ROW_KERNEL, "k", 1000, 1100, (struct trace_record){0});
	record(ROW_KERNEL, "k", 1200, 1300, (struct trace_record){0});
	export();
	check("SELECT count(*), count(DISTINCT value) FROM StringIds WHERE value = 'k'", "1|1");
	check("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName = shortName",
	      "2");
}
