#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# saxpy in its three builds: the table, on both clocks, with the simulated device's exact times.
load helper

columns='            Type  Time(%)      Time     Calls       Avg       Min       Max  Name'
kernel='saxpy(int, float, float*, float*)'
# 80 MiB from and to pageable memory at 20000 bytes per us; 20 Mi threads at 256 per ns; each after
# 1000 ns.
by_cupti="$columns
 GPU activities:   66.23%  8.3906ms         2  4.1953ms  4.1953ms  4.1953ms  [CUDA memcpy HtoD]
                   33.12%  4.1953ms         1  4.1953ms  4.1953ms  4.1953ms  [CUDA memcpy DtoH]
                    0.65%  82.920us         1  82.920us  82.920us  82.920us  $kernel"
# Without a bias taken off copies: a pair around a pageable one holds the host's staging.
by_events="$columns
 GPU activities:   66.45%  16.784ms         2  8.3920ms  8.3920ms  8.3920ms  [CUDA memcpy HtoD]
                   33.22%  8.3920ms         1  8.3920ms  8.3920ms  8.3920ms  [CUDA memcpy DtoH]
                    0.33%  82.920us         1  82.920us  82.920us  82.920us  $kernel"

runtime_calls='2 cudaEventCreate
1 cudaEventCreateWithFlags
3 cudaEventDestroy
1 cudaEventElapsedTime
2 cudaEventRecord
1 cudaEventSynchronize
2 cudaFree
1 cudaFuncGetAttributes
1 cudaLaunchHostFunc
1 cudaLaunchKernel
2 cudaMalloc
3 cudaMemcpy'

gpu_table()
{
	report | sed -n '/^ *Type /,/^ *API calls:/p' | grep -v 'API calls:' |
		sed 's/≤/ /; /^Timing: /,$d'
}

events_alone="CUDA events"

# table OPTIONS TABLE CLOCK: the table, the clock named below it, and the output of the program, which ran alone.
table()
{
	export KTIME_OPTIONS=$1
	as_alone "$program"
	[ "$status" -eq 0 ]
	is "$2" gpu_table
	says "Timing: $3; all 4 GPU operations timed."
	[ "$3" = CUPTI ] || says "Event-pair overhead taken off: kernels, memsets and device copies 2.40 ± 1.13 us."
	# Every call has its time, the only launch too.
	is 0 eval 'report | grep -cE " - .* cuda?[A-Z]"'
	[ "$(reports)" -eq 1 ]
}

# By activity records without options and with each of these, and by events.
tables()
{
	program=$built/workloads/$1
	run_alone "$program"
	table "" "$by_cupti" "CUPTI"
	table "--timer cupti" "$by_cupti" "CUPTI"
	table "--timer events" "$by_events" "$events_alone"
	table "--timer both" "$by_cupti" "CUPTI"
}

@test "saxpy, cudart linked statically: the table by each clock" {
	tables saxpy
}

@test "saxpy_shared: the table by each clock" {
	tables saxpy_shared
}

@test "saxpy_driver: the table by each clock" {
	tables saxpy_driver
}

@test "without CUPTI the events give the times, and the report says why" {
	program=$built/workloads/saxpy
	run_alone "$program"
	SIM_NO_CUPTI=1 table "" "$by_events" "$events_alone"
}

@test "API calls carry the runtime's names in a program with a static cudart" {
	run --separate-stderr under_ktime "$built/workloads/saxpy"
	[ "$status" -eq 0 ]
	is "$runtime_calls" api_calls
}

@test "API calls carry the runtime's names in a program with a shared cudart" {
	run --separate-stderr under_ktime "$built/workloads/saxpy_shared"
	[ "$status" -eq 0 ]
	is "$runtime_calls" api_calls
}

@test "the driver's calls carry their own names in a program without the runtime" {
	run --separate-stderr under_ktime "$built/workloads/saxpy_driver"
	[ "$status" -eq 0 ]
	is $'1 cuLaunchHostFunc\n1 cuLaunchKernel\n1 cuMemcpyDtoH\n2 cuMemcpyHtoD' api_calls
}

# The kernels and copies of a session, by what the hooks saw and by their records.
counted()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.kind == "kernel" or .kind == "memcpy") |
		"\(.name): \(.seen_by_hooks) \(.cupti.count) \(.cupti.total)"'
}

# Four threads with four streams each; each launch and copy a thousand ns long at least.
thousand()
{
	not_under_sanitizers "records that come before their launch returns"
	export KTIME_OPTIONS="-o session --timer both --events all"
	same_as_alone "$built/workloads/$1" --n 1024 --repetitions 1000 --streams 4 --threads 4
	[ "$status" -eq 0 ]
	is "[CUDA memcpy HtoD]: 2 2 2408
saxpy(int, float, float *, float *): 4000 4000 4004000
[CUDA memcpy DtoH]: 1 1 1204" counted
	is 4003 counter operations
	is 0 counter unmatched_records
	is 0 counter cupti_invalid
}

@test "saxpy: a thousand launches on four streams of each of four threads are all counted" {
	thousand saxpy
}

@test "saxpy_shared: a thousand launches on four streams of each of four threads are all counted" {
	thousand saxpy_shared
}

@test "saxpy_driver: a thousand launches on four streams of each of four threads are all counted" {
	thousand saxpy_driver
}

@test "each of more threads than there are large buffers has its records" {
	export KTIME_OPTIONS="-o session --timer cupti"
	same_as_alone "$built/workloads/saxpy" --n 65536 --repetitions 50 --threads 64 --streams 1
	[ "$status" -eq 0 ]
	is "[CUDA memcpy HtoD]: 2 2 28214
saxpy(int, float, float *, float *): 3200 3200 3212800
[CUDA memcpy DtoH]: 1 1 14107" counted
	is 0 counter cupti_dropped
}
