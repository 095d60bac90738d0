#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A driver call of ktime's own that fails changes nothing for the program; the report says what is
# missing.
load helper

# The driver functions that ktime calls, from the code; none is a mistake of this test's.
own_calls()
{
	{ x_macro COLLECTOR_CALLS "$root/preload/driver/driver.h" &&
		x_macro DRIVER_CALLS "$root/preload/driver/driver.h"; } |
		grep . || { echo "no driver call was found in preload/driver/driver.h" >&2; return 1; }
	# Called as the entries that they are.
	sed -n 's/.*driver_entry(ENTRY_\(cu[A-Za-z0-9_]*\)).*/\1/p' "$root"/preload/*/*.c | sort -u
}

# Between them they lead ktime to all of its calls: options, program and its arguments.
scenarios=("|$programs/endings return"
	"--timer events|$programs/endings return"
	"--metrics dram_read_bytes|$programs/endings return"
	"|$programs/contexts green"
	"|$programs/contexts primary"
	"|$programs/contexts primary_retained_unseen"
	"|$built/sim/programs/graph"
	"|$programs/graph_windows 20 3 mixed"
	"|$programs/node_ranges 2"
	"--timer events --gate auto|$programs/gates blocked"
	"--timer events --gate auto|env SIM_NO_HOLD=1 $programs/gates blocked")
# No sanitizer allows RTLD_DEEPBIND.
[ -n "${SANITIZE-}" ] || scenarios+=("|$programs/hidden_graphs $programs/libhidden.so 5 3")

# in_scenario SCENARIO FAULTS NAME [ALONE]: same_as_alone with these faults; the driver's calls are in
# NAME.alone and NAME.ktime, however they ended. ALONE: the name of the run alone to compare with, which is the
# same with faults of calls that the program does not make.
in_scenario()
{
	local with=${4:-$3}
	local -a command
	read -ra command <<<"${1#*|}"
	rm -f "$3.ktime"
	if [ $# -lt 4 ]; then
		rm -f "$3.alone"
		SIM_FAULT=$2 SIM_LOG=$PWD/$3.alone run --separate-stderr alone "${command[@]}"
		printf '%s\n' "$output" "$status" >"$3.out"
	fi
	KTIME_OPTIONS=${1%%|*} SIM_FAULT=$2 SIM_LOG=$PWD/$3.ktime run --separate-stderr under_ktime \
		"${command[@]}"
	printf '%s\n' "$output" "$status" | diff "$with.out" - || { echo "$1 with ${2:-no fault}"; return 1; }
}

# made CALL LOG [RESULT]: how often.
made()
{
	awk -v call="$1" -v result="$3" '$2 == call && (result == "" || $5 == result)' "$2" | wc -l
}

# one_is_not_the_programs CALL NUMBER: one of the calls under ktime in that scenario can fail
# without the program's doing anything else than without faults.
one_is_not_the_programs()
{
	local nth
	for nth in $(seq "$(made "$1" "$2.ktime")" -1 1); do
		if (in_scenario "${scenarios[$2]}" "$1:$nth:999" one) >/dev/null &&
			[ "$(made "$1" one.ktime 999)" -gt "$(made "$1" one.alone 999)" ]; then
			return 0
		fi
	done
	return 1
}

without_faults()
{
	local number
	for number in "${!scenarios[@]}"; do
		in_scenario "${scenarios[number]}" "" "$number"
	done
}

# In each scenario all at once of the calls that the program does not make.
all_fail()
{
	local call number all
	for number in "${!scenarios[@]}"; do
		all=
		for call in $calls; do
			[ "$(made "$call" "$number.alone")" -gt 0 ] || all+="$call:*:999,"
		done
		in_scenario "${scenarios[number]}" "${all%,}" all "$number"
	done
}

# fails_somewhere CALL: what the program does is the same, and ktime made the call, not the program
# alone. The program's doing something else is in $different.
fails_somewhere()
{
	local number
	for number in "${!scenarios[@]}"; do
		[ "$(made "$1" "$number.ktime")" -gt "$(made "$1" "$number.alone")" ] && break
	done
	if [ "$(made "$1" "$number.alone")" -eq 0 ]; then
		in_scenario "${scenarios[number]}" "$1:*:999" fault "$number" >different || return
		[ "$(made "$1" fault.ktime 999)" -gt 0 ] || return
		in_scenario "${scenarios[number]}" "$1:1:2" fault "$number" >different
	else
		in_scenario "${scenarios[number]}" "$1:*:999" fault >different || return
		one_is_not_the_programs "$1" "$number"
	fi
}

@test "each of ktime's driver calls fails once, every time, and all of them together" {
	local call calls try untested=
	calls=$(own_calls)
	without_faults
	all_fail
	for call in $calls; do
		fails_somewhere "$call" || untested+=" $call"
		[ ! -s different ] || { cat different; false; }
	done
	# On a busy machine a stream is let go on before ktime has asked for it: again.
	for ((try = 0; try < 10; try++)); do
		[ -n "$untested" ] || break
		without_faults
		calls=$untested untested=
		for call in $calls; do
			fails_somewhere "$call" || untested+=" $call"
		done
	done
	[ -z "$untested" ] || { cat different; echo "no test here leads ktime to:$untested"; false; }
}

# What the program does is the same with and without, whatever it meets itself.
fault()
{
	export SIM_FAULT=$1
	same_as_alone "$programs/endings" "${2:-return}" || { echo "with $1"; return 1; }
}

# The program prints errno after each of its calls.
@test "each of ktime's driver calls may fail and leave errno changed" {
	export KTIME_OPTIONS SIM_FAULT
	for call in $(own_calls); do
		SIM_FAULT="$call:*:999"
		run_alone "$programs/bad_input"
		for KTIME_OPTIONS in "" "--timer events"; do
			as_alone "$programs/bad_input"
		done
	done
}

# What ktime asks where contexts end; the program makes some of these calls itself.
@test "each of ktime's driver calls may fail where a context ends" {
	export KTIME_OPTIONS SIM_FAULT
	for call in cuCtxFromGreenCtx cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRetain \
		cuDevicePrimaryCtxRelease_v2 cuCtxPushCurrent_v2 cuCtxGetDevice; do
		SIM_FAULT="$call:*:999"
		for context in green created primary primary_retained_unseen; do
			run_alone "$programs/contexts" "$context"
			for KTIME_OPTIONS in "" "--timer events"; do
				as_alone "$programs/contexts" "$context"
			done
		done
	done
}

# Calls that the program itself does not make: the report is there, all operations in it.
@test "the report counts every operation whatever fails in ktime" {
	for call in cuEventCreate cuEventRecord cuEventQuery cuEventElapsedTime cuEventDestroy_v2 \
		cuStreamGetCtx cuStreamIsCapturing cuThreadExchangeStreamCaptureMode \
		cuPointerGetAttributes cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 cuCtxGetDevice \
		cuDeviceGetCount cuDeviceGetName cuDeviceGetUuid cuDeviceTotalMem_v2 \
		cuDeviceGetAttribute cuDriverGetVersion; do
		fault "$call:*:999"
		echo "$call"
		[ "$(reports)" -eq 1 ]
		says "all 12 GPU operations timed"
	done
}

# A launch that cannot ask whether the device is behind starts with an event of its own.
@test "events around every call are there whatever fails between them" {
	export KTIME_OPTIONS="--timer events --events all"
	for call in cuThreadExchangeStreamCaptureMode cuEventQuery; do
		fault "$call:*:999"
		says "all 12 GPU operations timed"
	done
}

@test "events that cannot be made, recorded or read are counted by their reason" {
	export KTIME_OPTIONS="--timer events"
	fault cuEventCreate:*:2
	says "Timing: none of 12 GPU operations timed."
	says "Not timed: no free event (12)."
	fault cuEventRecord:*:999
	says "Timing: none of 12 GPU operations timed."
	says "Not timed: event not recorded (12)."
	fault cuEventElapsedTime:*:999
	says "Timing: none of 12 GPU operations timed."
}

# The program makes no stream: the one in which ktime measures event pairs is its own.
@test "a stream that cannot be made to measure event pairs costs no operation its time" {
	export KTIME_OPTIONS="--timer events --gate off -f -o session"
	SIM_LOG=$PWD/calls fault cuStreamCreate:*:2
	is 1 grep -c ' cuStreamCreate .* 2$' calls
	is 12 counter timed_by_events
}

# Beside CUPTI and without gates ktime records no events of its own, so the fifth is one around a call.
@test "one event that cannot be recorded costs its own call's time and no other" {
	export KTIME_OPTIONS="--verbose --events 1/1 --gate off"
	fault cuEventRecord:5:999
	says "Timed by CUDA events too: 10 of 12 operations."
	says "Not timed by events: event not recorded (1), first launch of a kernel (1)."
	says "errors met by ktime's own driver calls (1)"
}

@test "a kernel that the driver has no name for has that of its look-up" {
	KTIME_OPTIONS="--timer events" fault cuFuncGetName:*:999
	says "all 12 GPU operations timed"
	gpu_rows | grep -qxF "10.010us 10 1.0010us 1.0010us 1.0010us first"
}

# The program's own calls: the same error with ktime as without, and no operation.
@test "calls of the program that fail are no operations, and counted as failed" {
	export KTIME_OPTIONS="-o session"
	SIM_FAULT=cuMemcpyDtoH_v2:1:700 same_as_alone "$programs/endings" return
	[ "$status" -eq 1 ]
	is $'driver cuMemcpyDtoH 1 1' rows cuMemcpyDtoH
	[ -z "$(rows "[CUDA memcpy DtoH]")" ]
	is 11 counter operations
	is 1 counter failed_calls
}

# With events alone such launches are only counted, and their wrapper has nothing around them.
@test "launches that fail have their row where launches are only counted" {
	export KTIME_OPTIONS="--timer events --events off -o session"
	same_as_alone "$programs/failed_launches"
	is $'runtime cudaLaunchKernel 100 100' rows cudaLaunchKernel
	is 2 counter operations
	rm session
	SIM_FAULT=cuLaunchKernel:40:1 same_as_alone "$built/workloads/saxpy_shared" --repetitions 100
	is $'runtime cudaLaunchKernel 40 1' rows cudaLaunchKernel
	is $'kernel saxpy(int, float, float *, float *) 39 0' rows "saxpy(int, float, float *, float *)"
}

# "KIND NAME CALLS FAILED"
rows()
{
	"$built/ktime" export --json - session | jq -r --arg name "$1" '.rows[] |
		select(.name == $name) | "\(.kind) \(.name) \(.seen_by_hooks) \(.failed)"'
}
