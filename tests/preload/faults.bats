#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A driver call of ktime's own that fails changes nothing for the program; the report says what is
# missing.
load helper

# The driver calls of ktime's that a program like this one leads to.
own_calls()
{
	grep -rh -A99 '^#define DRIVER_CALLS' "$root/preload" | sed '/^$/q' |
		sed -n 's/^\tX(\(cu[A-Za-z0-9_]*\),.*/\1/p'
}

@test "there are driver calls of ktime's to fail" {
	own_calls | grep -qx cuEventRecord
	[ "$(own_calls | wc -l)" -gt 30 ]
}

# What the program does is the same with and without, whatever it meets itself.
fault()
{
	export SIM_FAULT=$1
	same_as_alone "$programs/endings" "${2:-return}" || { echo "with $1"; return 1; }
}

@test "each of ktime's driver calls may fail every time" {
	for call in $(own_calls); do
		fault "$call:*:999"
	done
}

@test "each of ktime's driver calls may fail once" {
	for call in $(own_calls); do
		fault "$call:1:2"
		fault "$call:3:2"
	done
}

# The program prints errno after each of its calls.
@test "each of ktime's driver calls may fail and leave errno changed" {
	export KTIME_OPTIONS
	for KTIME_OPTIONS in "" "--timer events"; do
		for call in $(own_calls); do
			SIM_FAULT="$call:*:999" same_as_alone "$programs/bad_input"
		done
	done
}

# What ktime asks where contexts end; the program makes some of these calls itself.
@test "each of ktime's driver calls may fail where a context ends" {
	for KTIME_OPTIONS in "" "--timer events"; do
		export KTIME_OPTIONS
		for call in cuCtxFromGreenCtx cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRetain \
			cuDevicePrimaryCtxRelease_v2 cuCtxPushCurrent_v2 cuCtxGetDevice; do
			for context in green created primary primary_retained_unseen; do
				SIM_FAULT="$call:*:999" same_as_alone "$programs/contexts" "$context"
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
	says "Not timed: 12 no free event."
	fault cuEventRecord:*:999
	says "Timing: none of 12 GPU operations timed."
	says "Not timed: 12 event not recorded."
	fault cuEventElapsedTime:*:999
	says "Timing: none of 12 GPU operations timed."
}

# The program makes no stream: the one that the empty pairs are recorded in is ktime's.
@test "a stream that cannot be made or ended for the empty pairs costs no operation its time" {
	export KTIME_OPTIONS="--timer events -f -o session"
	for call in cuStreamCreate:*:2 cuStreamDestroy_v2:*:999; do
		rm -f calls
		SIM_LOG=$PWD/calls fault "$call"
		is 1 grep -c " ${call%%:*} .* ${call##*:}\$" calls
		is 12 counter timed_by_events
	done
}

# Beside CUPTI ktime records no empty pairs of its own, so the fifth event is one around a call.
@test "one event that cannot be recorded costs its own call's time and no other" {
	export KTIME_OPTIONS="--verbose --events 1/1"
	fault cuEventRecord:5:999
	says "Timed by CUDA events too: 10 of 12 operations."
	says "Not timed by events: 1 event not recorded, 1 first launch of a kernel."
	says "1 errors met by ktime's own driver calls"
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
