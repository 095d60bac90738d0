#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What CUPTI does wrong or cannot do: each is reported, and nothing is lost or counted twice.
load helper

# 2000 launches and three copies; what the hooks saw does not depend on CUPTI.
launch()
{
	export KTIME_OPTIONS="-o session --timer both --events ${events:-all} $1"
	same_as_alone "$built/workloads/saxpy" --n 1024 --repetitions 2000
	[ "$status" -eq 0 ]
	is 2003 counter operations
	is $'[CUDA memcpy DtoH] 1\n[CUDA memcpy HtoD] 2\nsaxpy(int, float, float *, float *) 2000' calls
}

calls()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.kind == "kernel" or .kind == "memcpy") | "\(.name) \(.calls)"' | sort
}

recorded()
{
	"$built/ktime" export --json - session |
		jq '[.rows[] | select(.kind == "kernel" or .kind == "memcpy") | .cupti.count] | add'
}

# Falls back to events and says why in one line, once.
without_cupti()
{
	launch
	is 0 counter cupti_records
	is false eval "\"$built/ktime\" export --json - session | jq .session.cupti_active"
	[ "$(report | grep -v ^Overhead | grep -c "$1")" -eq 1 ]
	says "Timing: CUDA events"
}

@test "dropped records are counted, and their calls are there all the same" {
	# Without events, as the dropped ones would be of ktime's own operations too.
	events=off SIM_CUPTI_DROP=10 launch
	is 1803 recorded
	is 200 counter cupti_dropped
	says "activity records dropped by CUPTI (200)"
}

@test "records that come late are matched like others" {
	SIM_CUPTI_LATE=16 launch
	is 2003 recorded
	is 0 counter cupti_dropped
	is 0 counter unmatched_records
}

@test "buffers that come in the wrong order lose nothing" {
	SIM_CUPTI_REVERSE=1 launch
	is 2003 recorded
	is 0 counter cupti_dropped
}

@test "a libcupti that is not there is named, and the events give the times" {
	SIM_NO_CUPTI=1 without_cupti "libcupti"
}

@test "a libcupti that is too old is named, and the events give the times" {
	SIM_CUPTI_VERSION=10 without_cupti "CUPTI"
}

@test "a libcupti that another tool holds is named, and the events give the times" {
	SIM_CUPTI_REFUSE=39 without_cupti "CUPTI"
}

@test "a libcupti that lacks the privileges is named, and the events give the times" {
	SIM_CUPTI_REFUSE=35 without_cupti "CUPTI"
}

@test "under nsys ktime leaves CUPTI alone and says so" {
	CUDA_INJECTION64_PATH=/opt/nvidia/libToolsInjection64.so without_cupti "a profiler is attached"
}

@test "where no thread can be started ktime leaves neither a file nor CUPTI behind" {
	LD_PRELOAD=$built/libktime.so:$programs/libno_threads.so LD_DEBUG=files LD_DEBUG_OUTPUT=opened run --separate-stderr \
		"$root/tests/sim/run" "$built/workloads/saxpy_driver"
	[ "$status" -eq 0 ]
	says "cannot start the collector thread"
	[ "$(reports)" -eq 0 ]
	[ -z "$(ls run)" ]
	grep -q libcuda.so.1 opened.*
	run ! grep -q libcupti opened.*
}

# Options, program. ktime uses CUPTI itself in the first, and hands the program's calls on in the
# second. The further ones are for what neither of the two leads to.
# The first makes no such calls itself, the second does.
cupti_scenario="--verbose --metrics inst_fp_32|$built/sim/workloads/saxpy --n 1024"
cupti_scenario_of_calls="--timer events|$programs/cupti_calls"
cupti_scenario_of_graphs="|$programs/graph_windows 5 1 makes"
cupti_scenario_of_ranges="--graph node|$programs/node_ranges 2"

# with FAULTS same_as_alone|as_alone SCENARIO CALL: the program sees its own calls fail, as alone, and no others.
with()
{
	export SIM_FAULT=$1 SIM_LOG=$PWD/log KTIME_OPTIONS=${3%%|*}
	# Asked for once another one has failed.
	[ "$4" != cuptiGetResultString ] || SIM_FAULT+=,cuptiActivityEnable:*:39
	rm -f log
	"$2" ${3#*|} || { echo "$SIM_FAULT"; return 1; }
	[ "$(reports)" -eq 1 ]
	grep -s " $4 .* 999$" log >>"failed.$4" || :
}

@test "each of the CUPTI calls that libktime.so makes fails every time, and once" {
	local call calls fault scenario untested=
	calls=$(x_macro CUPTI_FUNCTIONS "$root/cupti/library.h"; x_macro PROFILER_FUNCTIONS "$root/cupti/profiler/api.h")
	[[ "$calls" = *cuptiActivityEnable*cuptiRangeProfilerStop* ]] || { echo "no CUPTI call was found in cupti/library.h"; false; }
	run_alone ${cupti_scenario#*|}
	for call in $calls; do
		for fault in "$call:*:999" "$call:1:999"; do
			with "$fault" as_alone "$cupti_scenario" "$call"
		done
	done
	for call in $calls; do
		with "$call:*:999" same_as_alone "$cupti_scenario_of_calls" "$call"
		for scenario in "$cupti_scenario_of_graphs" "$cupti_scenario_of_ranges"; do
			[ -s "failed.$call" ] || with "$call:*:999" same_as_alone "$scenario" "$call"
		done
		[ -s "failed.$call" ] || untested+=" $call"
	done
	[ -z "$untested" ] || { echo "no test here leads ktime to:$untested"; false; }
}

@test "all of the CUPTI calls that libktime.so makes fail together" {
	local call all=
	for call in $(x_macro CUPTI_FUNCTIONS "$root/cupti/library.h"; x_macro PROFILER_FUNCTIONS "$root/cupti/profiler/api.h"); do
		all+="${all:+,}$call:*:999"
	done
	SIM_FAULT=$all launch
	is 0 counter cupti_records
}
