#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --metrics, with the simulated device's exact counters: each is so much a thread of the kernel.
load helper

ktime=$built/ktime

# read_counters OPTIONS [ARGUMENT…]: saxpy of 1024 threads in blocks of 256, ten times unless said
# otherwise.
read_counters()
{
	local options=$1
	shift
	KTIME_OPTIONS="-s -o session $options" same_as_alone "$built/workloads/saxpy" --n 1024 --repetitions 10 "$@"
}

# table [OPTION…]: the metric table of the profile, from its heading to its end.
table()
{
	"$ktime" show --verbose "$@" session | sed -n '/Metric result:/,/^======== Timing/p' | grep -v '^======== [TL]'
}

# not_read REASON: no counter was read, one line says why, and every launch is timed.
not_read()
{
	[ "$(report | grep -c "Counters were not read: .*$1")" -eq 1 ] || { report; return 1; }
	[ -z "$(table)" ]
	is 0 counter metric_launches
	is 10 timed
}

timed()
{
	"$ktime" export --json - session | jq '.rows[] | select(.kind == "kernel") | .cupti.count'
}

@test "metrics are printed as nvprof's table" {
	read_counters "--metrics dram_read_throughput,dram_write_bytes,flop_count_sp,achieved_occupancy"
	diff - <(table) <<'END'
======== Metric result:
Invocations                               Metric Name                            Metric Description         Min         Max         Avg
Device "Simulated GPU (0)"
    Kernel: saxpy(int, float, float*, float*)
          3                      dram_read_throughput                 Device Memory Read Throughput  8.1594GB/s  8.1594GB/s  8.1594GB/s
          3                          dram_write_bytes     Total bytes written from L2 cache to DRAM        4096        4096        4096
          3                             flop_count_sp   Floating Point Operations(Single Precision)        4096        4096        4096
          3                        achieved_occupancy                            Achieved Occupancy    0.500000    0.500000    0.500000
END
}

@test "metrics are printed as nvprof's CSV" {
	read_counters "--metrics dram_read_throughput,gld_efficiency,dram__bytes_read.sum"
	diff - <(table --csv) <<'END'
======== Metric result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"Simulated GPU (0)","saxpy(int, float, float*, float*)",3,"dram_read_throughput","Device Memory Read Throughput",8.159363GB/s,8.159363GB/s,8.159363GB/s
"Simulated GPU (0)","saxpy(int, float, float*, float*)",3,"gld_efficiency","Global Memory Load Efficiency",1024.000000%,1024.000000%,1024.000000%
"Simulated GPU (0)","saxpy(int, float, float*, float*)",3,"dram__bytes_read.sum","",8192,8192,8192
END
}

@test "each launch collects one pass, and is counted and not timed" {
	read_counters "--metrics dram_read_bytes,inst_fp_32 --metrics-launches 2"
	is 4 counter metric_launches
	is 6 timed
	is 10 eval "\"$ktime\" export --json - session | jq '.rows[] | select(.kind == \"kernel\") | .calls'"
	is 10 eval "\"$ktime\" export --json - session | jq '.rows[] | select(.name == \"cudaLaunchKernel\") | .calls'"
	is 0 counter unmatched_records
	says "Launches whose counters were read, and which are not timed: 4, in "
	says "The counters take 2 passes, one a launch: "
}

@test "metrics of one pass take one launch a value" {
	read_counters "--metrics dram_read_bytes --metrics-launches 4"
	is 4 counter metric_launches
	table | grep -q '^ *4 *dram_read_bytes'
}

@test "with --metrics-launches 0 all launches are read" {
	read_counters "--metrics dram_read_bytes,inst_fp_32 --metrics-launches 0"
	is 10 counter metric_launches
	table | grep -q '^ *5 *inst_fp_32'
}

@test "a kernel with fewer launches than passes has the values that it has" {
	read_counters "--metrics dram_read_bytes,inst_fp_32" --repetitions 1
	is 1 counter metric_launches
	table | grep -q '^ *1 *dram_read_bytes'
	run ! grep -q inst_fp_32 <(table)
}

@test "with --metrics-replay kernel one launch gives all metrics" {
	read_counters "--metrics dram_read_bytes,inst_fp_32 --metrics-replay kernel" --repetitions 1
	is 1 counter metric_launches
	table | grep -q '^ *1 *dram_read_bytes'
	table | grep -q '^ *1 *inst_fp_32'
	says "The counters take 2 passes: each launch whose counters were read was run again for each."
}

@test "counters are read where events are the clock" {
	read_counters "--timer events --metrics dram_read_bytes,inst_fp_32"
	is 6 counter metric_launches
	table | grep -q '^ *3 *inst_fp_32 .* 1024 '
}

@test "threads that launch at once read counters one after the other" {
	read_counters "--metrics dram_read_bytes" --threads 4
	is 3 counter metric_launches
	# 256 threads of each of the four slices.
	table | grep -q '^ *3 *dram_read_bytes .* 2048 '
}

# measured: the kernels that have values.
measured()
{
	table --csv | awk -F'"' '/Simulated/ { print $4 }' | sort -u
}

@test "what waits for others is left out: cooperative launches, NCCL's kernels, captures" {
	KTIME_OPTIONS="-o session --metrics dram_read_bytes" same_as_alone "$programs/measured"
	is fifth measured
	is 3 counter metric_launches
}

@test "programmatic dependent launches and graphs are left out" {
	KTIME_OPTIONS="-o session --metrics dram_read_bytes" same_as_alone "$programs/dependent"
	is first measured
	KTIME_OPTIONS="-f -o session --metrics dram_read_bytes" same_as_alone "$built/sim/programs/graph"
	[ -z "$(measured)" ]
}

@test "without the permission one line says what to set, and the times are complete" {
	SIM_FAULT=cuptiProfilerGetCounterAvailability:*:35 read_counters "--metrics all"
	not_read "ERR_NVGPUCTRPERM.*NVreg_RestrictProfilingToAdminUsers=0.*CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
}

@test "where another profiler holds the counters one line says what to stop, and the times are complete" {
	SIM_FAULT=cuptiRangeProfilerStart:*:26 read_counters "--metrics all"
	[ "$(report | grep -c 'Counters were not read: something else holds the counters: .*DCGM.*dcgmi')" -eq 1 ]
	[ -z "$(table)" ]
	is 10 timed
	is 0 counter unmatched_records
}

@test "without libnvperf_host beside libcupti one line says what to install" {
	mkdir -p cuda/lib64
	cp "$built/sim/toolkit/lib64/libcupti.so.13" cuda/lib64
	# A file that does not load hides those that the loader knows elsewhere.
	: >cuda/lib64/libnvperf_host.so
	SIM_NO_CUPTI=1 CUDA_HOME=$PWD/cuda LD_LIBRARY_PATH=$PWD/cuda/lib64 read_counters "--metrics all"
	not_read "libnvperf_host.so is not beside $PWD/cuda/lib64/libcupti.so.13: install"
}

@test "a libcupti without the functions is named" {
	SIM_FAULT=cuptiProfilerInitialize:*:999 read_counters "--metrics all"
	not_read "the counters of this device cannot be read (cuptiProfilerInitialize"
}

@test "a counter that the device does not have is named" {
	read_counters "--metrics dram_read_bytes,nvdec__reads.sum"
	not_read "GH100 has no counter nvdec__reads.sum"
}

@test "malformed metrics are refused, with the nearest name or what replaces them" {
	refused "no metric gld_eficiency; did you mean gld_efficiency?" --metrics dram_read_bytes,gld_eficiency
	refused "no metric warp_speed (ktime --query-metrics lists them; counters have names like dram__bytes_read.sum)" -m warp_speed
	refused "option --metrics: a name is missing" --metrics dram_read_bytes,
	refused "metric l2_utilization has no counter today: use lts__t_sectors.avg.pct_of_peak_sustained_elapsed" --metrics l2_utilization
	refused "no metric dram__bytes_read (ktime --query-metrics lists them; counters have names like dram__bytes_read.sum)" -m dram__bytes_read
	refused "option --metrics-launches: 'few' is not a valid N" --metrics-launches few
	refused "option --metrics-replay: 'all' is not one of launches|kernel" --metrics-replay all
	run --separate-stderr "$ktime" --metrics
	[ "$status" -eq 2 ]
}

@test "--query-metrics lists nvprof's names, their counters, and those that are gone" {
	run -0 "$ktime" --query-metrics
	[[ "$output" == *"flop_count_sp:  Floating Point Operations(Single Precision)"* ]]
	[[ "$output" == *"_op_fadd_pred_on.sum + smsp__sass_thread_inst_executed_op_fmul_pred_on.sum + 2 * smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"* ]]
	[[ "$output" == *"dram_utilization:  use dram__throughput"* ]]
}
