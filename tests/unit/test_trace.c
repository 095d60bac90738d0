/* SPDX-License-Identifier: MIT */
/* Traces in text and CSV, in each unit: every column has its own record's figure. */
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

static void add(struct trace_record record, const char *name)
{
	record.name = session_intern(session, name);
	record.clock = CLOCK_CUPTI;
	assert_int_equal(session_trace(session, &record), 0);
}

/* No two figures are equal. */
BEFORE_EACH
{
	header->trace_start = 1000;
	strcpy(header->devices[0].name, "NVIDIA H200");
	strcpy(header->devices[1].name, "NVIDIA H100 80GB HBM3");
	add((struct trace_record){.start = 5001000,
				  .end = 5012500,
				  .kind = ROW_KERNEL,
				  .correlation = 7,
				  .context = 3,
				  .stream = 14,
				  .grid = {1, 2, 3},
				  .block = {4, 5, 6},
				  .registers = 42,
				  .static_shared = 1536,
				  .dynamic_shared = 3 << 20},
	    "_Z1kv");
	add((struct trace_record){.start = 9001000,
				  .end = 9001000,
				  .kind = ROW_MEMCPY,
				  .device = 1,
				  .correlation = 9,
				  .context = 4,
				  .stream = 15,
				  .bytes = 8192,
				  .source_kind = MEMORY_PINNED,
				  .destination_kind = MEMORY_DEVICE},
	    "[CUDA memcpy HtoD]");
	add((struct trace_record){.start = 7001000,
				  .end = 7003000,
				  .kind = ROW_MEMCPY,
				  .device = 1,
				  .correlation = 8,
				  .context = 4,
				  .stream = 15,
				  .bytes = 5 << 20,
				  .source_kind = MEMORY_PAGEABLE,
				  .destination_kind = MEMORY_MANAGED},
	    "[CUDA memcpy HtoD]");
	add((struct trace_record){.start = 9001000,
				  .end = 9001250,
				  .kind = ROW_MEMSET,
				  .correlation = 10,
				  .context = 3,
				  .stream = 16,
				  .bytes = 100,
				  .destination_kind = MEMORY_ARRAY},
	    "[CUDA memset]");
	add((struct trace_record){.start = 4001000,
				  .end = 4701000,
				  .kind = ROW_RUNTIME_API,
				  .device = -1,
				  .correlation = 7,
				  .kernel = session_intern(session, "_Z1kv")},
	    "cudaLaunchKernel");
}

static void prints(const char *words, const char *expected)
{
	char *text = printed(session, words);

	assert_string_equal(text, expected);
	free(text);
}

TEST(csv_of_one_device_and_in_nanoseconds)
{
	prints("--quiet --csv --print-gpu-trace --devices 1 -u ns",
	       "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block "
	       "Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
	       "SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","
	       "\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n"
	       "ns,ns,,,,,,,,B,B,MB,GB/s,,,,,,,\n"
	       "7000000.000000,2000.000000,,,,,,,,,,5.000000,2441.406250,\"Pageable\",\"Managed\","
	       "\"NVIDIA H100 80GB HBM3 (1)\",\"4\",\"15\",\"[CUDA memcpy HtoD]\",8\n"
	       "9000000.000000,0,,,,,,,,,,0.007812,,\"Pinned\",\"Device\",\"NVIDIA H100 80GB HBM3 "
	       "(1)\",\"4\",\"15\",\"[CUDA memcpy HtoD]\",9\n");
}

TEST(a_trace_without_a_beginning_starts_with_its_first_record)
{
	static const char expected[] =
		"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block "
		"Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
		"SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","
		"\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n"
		"ms,us,,,,,,,,B,B,MB,GB/s,,,,,,,\n"
		"0.000000,2.000000,,,,,,,,,,5.000000,2441.406250,\"Pageable\",\"Managed\",\"NVIDIA "
		"H100 80GB HBM3 (1)\",\"4\",\"15\",\"[CUDA memcpy HtoD]\",8\n"
		"2.000000,0.000000,,,,,,,,,,0.007812,,\"Pinned\",\"Device\",\"NVIDIA H100 80GB "
		"HBM3 "
		"(1)\",\"4\",\"15\",\"[CUDA memcpy HtoD]\",9\n";

	session_header(session)->trace_start = 0;
	prints("--quiet --csv --print-gpu-trace --devices 1", expected);
	session_header(session)->trace_start = 8001000;
	prints("--quiet --csv --print-gpu-trace --devices 1", expected);
}
