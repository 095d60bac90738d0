#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The options that choose what is collected: when, from which devices, which calls.
load helper

# collects OPTIONS WAY ROWS: "CALLS NAME" of the GPU rows.
collects()
{
	export KTIME_OPTIONS=$1
	same_as_alone "$programs/collecting" "$2"
	[ "$status" -eq 0 ]
	is "$3" eval "gpu_rows | awk '{ print \$2, \$6 }'"
}

# Launches before a switch run after it: what counts is when they were launched.
@test "from the start: all until cuProfilerStop" {
	for timer in auto cupti events both; do
		collects "--timer $timer" windows $'5 second\n3 first'
		is '8 cuLaunchKernel' api_calls
		says "all 8 GPU operations timed"
	done
}

@test "--profile-from-start off: what cuProfilerStart and cuProfilerStop enclose" {
	for timer in auto cupti events both; do
		collects "--profile-from-start off --timer $timer" windows '5 second'
		is '5 cuLaunchKernel' api_calls
		says "all 5 GPU operations timed"
	done
}

@test "--timeout ends the collecting, and the report says so" {
	for timer in cupti events; do
		export KTIME_OPTIONS="--timeout 0.01 --timer $timer"
		same_as_alone "$programs/collecting" late
		[ -z "$(gpu_rows)$(api_calls)" ]
		says "Timing: no GPU operations."
		says "Profiling ended 0.01 s after the driver's initialisation (--timeout)."
	done
}

# outside OPTIONS WAY INSIDE OUTSIDE: "CALLS NAME" of the kernels launched inside the profiling window,
# and outside it.
outside()
{
	export KTIME_OPTIONS="-f -o session $1"
	same_as_alone "$programs/collecting" "$2"
	[ "$status" -eq 0 ]
	is "$3" echo "$(kernels calls)"
	is "$4" echo "$(kernels calls_outside)"
	is "$(awk '{ sum += $1 } END { print sum + 0 }' <<<"$4")" counter operations_outside
}

kernels()
{
	"$built/ktime" export --json - session |
		jq -r ".rows[] | select(.kind == \"kernel\" and .$1 > 0) | \"\(.$1) \(.name)\""
}

@test "launches outside cuProfilerStart and cuProfilerStop are counted" {
	for timer in auto events; do
		outside "--profile-from-start off --timer $timer" windows '5 second' '5 first'
		says "Outside the profiling window: 5 GPU operations, counted only."
	done
}

@test "--delay, --duration and --every say when to collect, and the rest is counted" {
	for plan in "--duration 0.1" "--delay 100" "--every 100 --duration 0.1" \
		"--every 100 --delay 0.01 --duration 0.1"; do
		outside "$plan" late '' '4 first'
	done
	for plan in "--delay 0.1" "--duration 100" "--every 0.2 --duration 100" \
		"--every 100 --delay 0.1 --duration 100"; do
		outside "$plan" late '4 first' ''
	done
	KTIME_OPTIONS="--every 0.2" under_ktime "$programs/collecting" late 2>report
	grep -q 'All is collected: each window is as long as the time from one to the next (--every 0.2); --duration makes them shorter.$' report
	KTIME_OPTIONS="--every 0.2 --duration 0.1" under_ktime "$programs/collecting" late 2>report
	! grep -q 'All is collected' report || false
}

@test "before the end of --delay there is no CUPTI and no event" {
	has_cupti() { jq .session.cupti_active <("$built/ktime" export --json - session); }
	for options in "" "--timer cupti" "--timer both" "--keep-trace all"; do
		outside "--delay 100 $options" late '' '4 first'
		[ "$(has_cupti)" = false ]
		outside "--delay 0.1 $options" late '4 first' ''
		[ "$(has_cupti)" = true ]
	done
	outside "--delay 0.2 --timeout 0.1" late '' '4 first'
	[ "$(has_cupti)" = false ]
}

@test "a thread that the program makes while CUPTI starts is the program's" {
	export SIM_CUPTI_AMID=20 KTIME_OPTIONS="-f -o session --delay 0.01"
	same_as_alone "$programs/collecting" outlived
	[ "$output" = done ]
	is "3 second" eval 'kernels calls | grep second'
	is true jq .session.cupti_active <("$built/ktime" export --json - session)
}

@test "a CUPTI that names its threads and starts amid the run keeps no process that has ended" {
	export KTIME_OPTIONS="-f -o session --delay 0.01"
	SIM_CUPTI_NAMED=1 KTIME_OPTIONS="--gate off $KTIME_OPTIONS" LD_PRELOAD=$built/libktime.so \
		run timeout 90 "$root/tests/sim/run" "$programs/collecting" outlived
	[ "$status" -eq 0 ]
	is "3 second" eval 'kernels calls | grep second'
	is true jq .session.cupti_active <("$built/ktime" export --json - session)
}

@test "--timeout 0 is no limit" {
	collects "--timeout 0" late '4 first'
	! report | grep -qF -- --timeout || false
}

@test "--devices leaves the others' operations out, and their calls in" {
	export SIM_DEVICES=2
	for timer in cupti events both; do
		collects "--devices 0 --timer $timer" devices '1 first'
		is '3 cuLaunchKernel' api_calls
		collects "--devices 1 --timer $timer" devices '2 second'
		collects "--devices 0,1 --timer $timer" devices $'2 second\n1 first'
		says "all 3 GPU operations timed"
	done
}

@test "a device that is not there is told when the program begins, which goes on" {
	export SIM_DEVICES=2
	collects "--devices 7,1" devices '2 second'
	[ "$(printf '%s\n' "$stderr" | sed -n '/--devices/{s/^==[0-9]*== //p;q}')" = "ktime: --devices 7: there are devices 0 to 1" ]
	[ "$(printf '%s\n' "$stderr" | grep -c -- --devices)" -eq 1 ]
	printf '%s\n' "$stderr" | sed -n 2p | grep -q -- --devices
	export SIM_DEVICES=1 KTIME_OPTIONS="--devices 3"
	same_as_alone "$programs/collecting" late
	says "ktime: --devices 3: there is only device 0; no GPU operation is profiled"
}

@test "--profile-api-trace: the runtime's calls, the driver's, or none" {
	export KTIME_OPTIONS
	for timer in auto events; do
		KTIME_OPTIONS="--timer $timer --profile-api-trace none"
		same_as_alone "$built/workloads/saxpy" --n 1024
		says "No API activities were profiled."
		KTIME_OPTIONS="--timer $timer --profile-api-trace runtime"
		same_as_alone "$built/workloads/saxpy_driver" --n 1024
		says "No API activities were profiled."
	done
	KTIME_OPTIONS="--profile-api-trace runtime"
	same_as_alone "$built/workloads/saxpy" --n 1024
	[ "$(api_calls | grep -c ' cuda')" -eq 12 ]
	[ "$(api_calls | wc -l)" -eq 12 ]
	KTIME_OPTIONS="--profile-api-trace driver"
	same_as_alone "$built/workloads/saxpy" --n 1024
	is $'1 cuLaunchKernel\n1 cuMemcpyDtoH\n2 cuMemAlloc\n2 cuMemFree\n2 cuMemcpyHtoD' \
		eval "api_calls | grep -E 'Launch(Kernel)|Mem' | sort"
	[ -z "$(api_calls | grep -E ' cuda|cuEventRecord|cuCtx')" ]
	says "Driver functions that ktime calls itself, on events and contexts, have no API rows: CUPTI does not tell whose call it was."
}

@test "--trace: operations without calls, and calls without operations" {
	export KTIME_OPTIONS
	for timer in auto events; do
		KTIME_OPTIONS="--trace gpu --timer $timer"
		same_as_alone "$built/workloads/saxpy" --n 1024
		says "all 4 GPU operations timed"
		[ -z "$(api_calls)" ]
		KTIME_OPTIONS="--trace api --timer $timer"
		same_as_alone "$built/workloads/saxpy" --n 1024
		says "Timing: no GPU operations."
		api_calls | grep -qx '1 cudaLaunchKernel'
	done
}

@test "--concurrent-kernels off: timed by CUPTI's serialising kind, or a line says that it cannot be" {
	export KTIME_OPTIONS="--concurrent-kernels off"
	same_as_alone "$built/workloads/saxpy" --n 1024
	says "Timing: CUPTI; all 4 GPU operations timed."
	KTIME_OPTIONS+=" --timer events"
	same_as_alone "$built/workloads/saxpy" --n 1024
	says "Kernels may overlap: --concurrent-kernels off needs CUPTI."
}

@test "--events off leaves the times to CUPTI; without it nothing is timed" {
	export KTIME_OPTIONS="--events off"
	same_as_alone "$built/workloads/saxpy" --n 1024
	says "Timing: CUPTI; all 4 GPU operations timed."
	KTIME_OPTIONS+=" --timer events"
	same_as_alone "$built/workloads/saxpy" --n 1024
	says "Timing: none of 4 GPU operations timed."
	says "Not timed: events off (4)."
}

@test "--quiet prints the table and nothing else" {
	export KTIME_OPTIONS="--quiet"
	same_as_alone "$programs/collecting" windows
	[ "$(printf '%s\n' "$stderr" | grep -c '^==')" -eq 0 ]
	is $'5 second\n3 first' eval "gpu_rows | awk '{ print \$2, \$6 }'"
}
