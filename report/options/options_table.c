/* SPDX-License-Identifier: MIT */
#include "report/options/options.h"

#define COUNTERS "ktime times, it does not count: use `ncu --metrics`"
#define SAMPLES	 "ktime does not sample instructions: use `ncu --section SourceCounters`"
#define CPU	 "ktime profiles the GPU: use `perf record` or `nsys profile --sample=cpu`"
#define OPENACC	 "ktime shows the kernels and copies that OpenACC starts, not its constructs"
#define OPENMP	 "ktime shows the kernels and copies that OpenMP starts, not its constructs"
#define TOPOLOGY "use `nvidia-smi topo -m`"
#define BUFFERS	 "ktime's buffers need no size"

/* X(kind, field, name, letter, argument, section, help) */
#define OPTIONS(X)                                                                                 \
	X(CHOICE, timer, "timer", 0, "auto|cupti|events|both", COLLECT,                            \
	  "the clock of the rows: activity records, event pairs, or both")                         \
	X(EVENTS, events, "events", 0, "auto|all|off|1/N", COLLECT,                                \
	  "which calls get an event pair: by the budget, every one, none, one in N")               \
	X(NUMBER, budget, "budget", 0, "PERCENT", COLLECT,                                         \
	  "what ktime may add to the run's wall time (5)")                                         \
	X(DEVICES, devices, "devices", 0, "IDS|all", COLLECT,                                      \
	  "the devices to profile, by ordinal, separated by commas")                               \
	X(SET, trace, "trace", 0, "gpu|api", COLLECT,                                              \
	  "what to time: GPU operations, API calls, or both (gpu,api)")                            \
	X(CHOICE, api_trace, "profile-api-trace", 0, "none|runtime|driver|all", COLLECT,           \
	  "the API calls to time (all)")                                                           \
	X(CHOICE, graph, "graph", 0, "node|graph", COLLECT,                                        \
	  "CUDA graphs: time every node, or each launch as a whole")                               \
	X(ON_OFF, concurrent_kernels, "concurrent-kernels", 0, "on|off", COLLECT,                  \
	  "let kernels overlap while they are timed (on)")                                         \
	X(ON_OFF, profile_from_start, "profile-from-start", 0, "on|off", COLLECT,                  \
	  "off: collect only between cudaProfilerStart and cudaProfilerStop")                      \
	X(FLAG, profile_children, "profile-child-processes", 0, "", COLLECT,                       \
	  "profile the processes that the program starts too")                                     \
	X(NUMBER, timeout, "timeout", 't', "SECONDS", COLLECT,                                     \
	  "stop collecting this long after the driver was initialised; the program runs on")       \
	X(PID, only_process, "only-process", 0, "PID", HIDDEN, "profile this process alone")       \
	X(FLAG, print_summary, "print-summary", 's', "", PRINT,                                    \
	  "a summary of GPU activities and API calls (the default)")                               \
	X(FLAG, print_gpu_summary, "print-gpu-summary", 0, "", PRINT,                              \
	  "a summary of GPU activities alone")                                                     \
	X(FLAG, print_api_summary, "print-api-summary", 0, "", PRINT,                              \
	  "a summary of API calls alone")                                                          \
	X(FLAG, print_summary_per_gpu, "print-summary-per-gpu", 0, "", PRINT,                      \
	  "a summary of each GPU's activities")                                                    \
	X(FLAG, print_gpu_trace, "print-gpu-trace", 0, "", PRINT,                                  \
	  "every GPU operation, in the order of time")                                             \
	X(FLAG, print_api_trace, "print-api-trace", 0, "", PRINT,                                  \
	  "every API call, in the order of time")                                                  \
	X(FLAG, csv, "csv", 0, "", PRINT, "comma-separated values")                                \
	X(CHOICE, unit, "normalized-time-unit", 'u', "s|ms|us|ns|col|auto", PRINT,                 \
	  "the unit of times; col: one for each column (auto)")                                    \
	X(ON_OFF, demangling, "demangling", 0, "on|off", PRINT, "C++ names as in the source (on)") \
	X(CHOICE, format, "format", 0, "nvprof|nsys", PRINT,                                       \
	  "the shape of the report: nvprof's, or that of `nsys stats`")                            \
	X(FLAG, percentiles, "percentiles", 0, "", PRINT,                                          \
	  "add the columns Med, p95, p99 and StdDev")                                              \
	X(FLAG, histogram, "histogram", 0, "", PRINT, "a histogram of each row's times")           \
	X(FLAG, cross_check, "cross-check", 0, "", PRINT, "compare the two clocks row by row")     \
	X(COUNT, top, "top", 0, "N", PRINT, "only the first N rows of each section")               \
	X(CHOICE, sort, "sort", 0, "time|calls|avg|min|max|name", PRINT,                           \
	  "the order of the rows (time)")                                                          \
	X(REGEX, kernels, "kernels", 0, "REGEX", PRINT, "only the kernels whose name matches")     \
	X(REGEX, exclude_kernels, "exclude-kernels", 0, "REGEX", PRINT,                            \
	  "leave out the kernels whose name matches")                                              \
	X(TEXT, context_name, "context-name", 0, "NAME", PRINT,                                    \
	  "name contexts in traces (%i: id, %p: process, %h: host, %q{ENV}, %%)")                  \
	X(TEXT, process_name, "process-name", 0, "NAME", PRINT,                                    \
	  "name the process in the heading (%p, %h, %q{ENV}, %%)")                                 \
	X(TEXT, stream_name, "stream-name", 0, "NAME", PRINT,                                      \
	  "name streams in traces (%i: id, %p: process, %h: host, %q{ENV}, %%)")                   \
	X(FLAG, quiet, "quiet", 0, "", PRINT, "the tables alone, without headings and remarks")    \
	X(FILE, log_file, "log-file", 0, "FILE", FILE,                                             \
	  "write the report there (%p: process, %h: host, %q{ENV}, %%; %1, %2: the streams)")      \
	X(FILE, export_profile, "export-profile", 'o', "FILE", FILE,                               \
	  "keep the session in a file (%p: process); no summary unless asked for")                 \
	X(FLAG, force_overwrite, "force-overwrite", 'f', "", FILE,                                 \
	  "let -o replace a file that exists")                                                     \
	X(FILE, import_profile, "import-profile", 'i', "FILE", FILE,                               \
	  "print the report of a session file")                                                    \
	X(TEXT, completion, "completion", 0, "bash|zsh", HIDDEN, "print a shell's completion")     \
	X(FLAG, help, "help", 'h', "", FILE, "this help")                                          \
	X(FLAG, version, "version", 'V', "", FILE, "the version")                                  \
	X(UNSERVED_VALUE, help, "aggregate-mode", 0, "on|off", UNSERVED, COUNTERS)                 \
	X(UNSERVED, help, "analysis-metrics", 0, "", UNSERVED, COUNTERS)                           \
	X(UNSERVED_VALUE, help, "annotate-mpi", 0, "off|openmpi|mpich", UNSERVED,                  \
	  "ktime does not mark MPI calls: use `nsys profile --trace=mpi`")                         \
	X(UNSERVED_VALUE, help, "continuous-sampling-interval", 0, "MS", UNSERVED, COUNTERS)       \
	X(UNSERVED_VALUE, help, "cpu-thread-tracing", 0, "on|off", UNSERVED,                       \
	  "ktime does not trace threads: use `nsys profile --trace=osrt`")                         \
	X(UNSERVED, help, "dependency-analysis", 0, "", UNSERVED,                                  \
	  "ktime does not analyse dependencies: use `nsys profile`")                               \
	X(UNSERVED_VALUE, help, "device-buffer-size", 0, "MB", UNSERVED, BUFFERS)                  \
	X(UNSERVED_VALUE, help, "device-cdp-buffer-size", 0, "MB", UNSERVED, BUFFERS)              \
	X(UNSERVED_VALUE, help, "event-collection-mode", 0, "kernel|continuous", UNSERVED,         \
	  COUNTERS)                                                                                \
	X(UNSERVED_VALUE, help, "kernel-latency-timestamps", 0, "on|off", UNSERVED,                \
	  "ktime does not split launches: use `nsys stats -r cuda_kern_exec_sum`")                 \
	X(UNSERVED_VALUE, help, "metrics", 'm', "METRICS", UNSERVED, COUNTERS)                     \
	X(UNSERVED_VALUE, help, "pc-sampling-period", 0, "PERIOD", UNSERVED, SAMPLES)              \
	X(UNSERVED, help, "profile-all-processes", 0, "", UNSERVED,                                \
	  "set LD_PRELOAD to libktime.so in the environment that starts them")                     \
	X(UNSERVED_VALUE, help, "profiling-semaphore-pool-size", 0, "N", UNSERVED, BUFFERS)        \
	X(UNSERVED, help, "query-events", 0, "", UNSERVED,                                         \
	  "ktime times, it does not count: use `ncu --query-metrics`")                             \
	X(UNSERVED, help, "query-metrics", 0, "", UNSERVED,                                        \
	  "ktime times, it does not count: use `ncu --query-metrics`")                             \
	X(UNSERVED_VALUE, help, "replay-mode", 0, "disabled|kernel|application", UNSERVED,         \
	  COUNTERS)                                                                                \
	X(UNSERVED_VALUE, help, "skip-kernel-replay-save-restore", 0, "on|off", UNSERVED,          \
	  COUNTERS)                                                                                \
	X(UNSERVED_VALUE, help, "source-level-analysis", 'a', "LIST", UNSERVED, SAMPLES)           \
	X(UNSERVED_VALUE, help, "system-profiling", 0, "on|off", UNSERVED,                         \
	  "ktime does not read clocks and power: use `nvidia-smi dmon`")                           \
	X(UNSERVED_VALUE, help, "track-memory-allocations", 0, "on|off", UNSERVED,                 \
	  "ktime shows allocations as API calls: use `nsys profile --cuda-memory-usage=true`")     \
	X(UNSERVED_VALUE, help, "unified-memory-profiling", 0, "per-process-device|off", UNSERVED, \
	  "ktime shows migrations as rows: use `nsys profile --cuda-um-gpu-page-faults=true`")     \
	X(UNSERVED_VALUE, help, "cpu-profiling", 0, "on|off", UNSERVED, CPU)                       \
	X(UNSERVED_VALUE, help, "cpu-profiling-explain-ccff", 0, "FILE", UNSERVED, CPU)            \
	X(UNSERVED_VALUE, help, "cpu-profiling-frequency", 0, "HZ", UNSERVED, CPU)                 \
	X(UNSERVED_VALUE, help, "cpu-profiling-max-depth", 0, "N", UNSERVED, CPU)                  \
	X(UNSERVED_VALUE, help, "cpu-profiling-mode", 0, "flat|top-down|bottom-up", UNSERVED, CPU) \
	X(UNSERVED_VALUE, help, "cpu-profiling-percentage-threshold", 0, "PERCENT", UNSERVED, CPU) \
	X(UNSERVED_VALUE, help, "cpu-profiling-scope", 0, "function|instruction", UNSERVED, CPU)   \
	X(UNSERVED_VALUE, help, "cpu-profiling-show-ccff", 0, "on|off", UNSERVED, CPU)             \
	X(UNSERVED_VALUE, help, "cpu-profiling-show-library", 0, "on|off", UNSERVED, CPU)          \
	X(UNSERVED_VALUE, help, "cpu-profiling-thread-mode", 0, "separated|aggregated", UNSERVED,  \
	  CPU)                                                                                     \
	X(UNSERVED_VALUE, help, "cpu-profiling-unwind-stack", 0, "on|off", UNSERVED, CPU)          \
	X(UNSERVED_VALUE, help, "openacc-profiling", 0, "on|off", UNSERVED, OPENACC)               \
	X(UNSERVED_VALUE, help, "openacc-summary-mode", 0, "exclusive|inclusive", UNSERVED,        \
	  OPENACC)                                                                                 \
	X(UNSERVED, help, "print-openacc-constructs", 0, "", UNSERVED, OPENACC)                    \
	X(UNSERVED, help, "print-openacc-summary", 0, "", UNSERVED, OPENACC)                       \
	X(UNSERVED, help, "print-openacc-trace", 0, "", UNSERVED, OPENACC)                         \
	X(UNSERVED_VALUE, help, "openmp-profiling", 0, "on|off", UNSERVED, OPENMP)                 \
	X(UNSERVED, help, "print-openmp-summary", 0, "", UNSERVED, OPENMP)                         \
	X(UNSERVED, help, "print-dependency-analysis-trace", 0, "", UNSERVED,                      \
	  "ktime does not analyse dependencies: use `nsys profile`")                               \
	X(UNSERVED, help, "print-nvlink-topology", 0, "", UNSERVED, TOPOLOGY)                      \
	X(UNSERVED, help, "print-pci-topology", 0, "", UNSERVED, TOPOLOGY)

#define OPTION_ENTRY(kind, field, name, letter, argument, section, help)                           \
	{                                                                                          \
		name,	       letter,                                                             \
		OPTION_##kind, offsetof(struct options, field),                                    \
		argument,      SECTION_##section,                                                  \
		help},

const struct option_entry option_table[] = {OPTIONS(OPTION_ENTRY)};
const size_t option_table_size = sizeof(option_table) / sizeof(option_table[0]);

void options_defaults(struct options *options)
{
	*options = (struct options){
		.timer = TIMER_AUTO,
		.events = EVENTS_AUTO,
		.budget = 5,
		.devices = UINT64_MAX,
		.trace = TRACE_GPU | TRACE_API,
		.api_trace = API_TRACE_ALL,
		.concurrent_kernels = true,
		.profile_from_start = true,
		.unit = UNIT_AUTO,
		.demangling = true,
	};
}
