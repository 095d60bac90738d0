#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Streams are held while an operation and its event pair are queued, so that the pair holds nothing of
# the host's; and no program hangs by that.
load helper

# On a device where a pair that is not gated holds 50 us more.
gates()
{
	SIM_STARVED_NS=50000 same_as_alone "$programs/gates" "$1"
}

# "CALLS TIMED MAXIMUM LEFT_OUT" of a kernel by events; LEFT_OUT: first launches without a time.
rows_of()
{
	"$built/ktime" export --json - session | jq -r --arg name "$1" '.rows[] | select(.name == $name) |
		"\(.calls) \(.events.count) \(.events.maximum) \(.untimed["first launch of a kernel"] // 0)"'
}

setup_file()
{
	export KTIME_GATE=auto
	export KTIME_EVENTS="--timer events --events all -f -o session"
}

@test "work that is queued by a call that does not wait is gated, each time in a stream that idles" {
	KTIME_OPTIONS=$KTIME_EVENTS gates kinds
	is 50 counter timed_by_events
	is 40 counter gated_pairs
	is 0 counter gates_forced
}

@test "a first launch that takes much longer, as one that loads its module, is no time of a kernel" {
	KTIME_OPTIONS=$KTIME_EVENTS gates launches
	is '60 59 1001 1' rows_of first
	# One that is all that there is stays.
	SIM_STARVED_NS=50000 KTIME_OPTIONS=$KTIME_EVENTS same_as_alone "$built/workloads/saxpy" --n 1024
	is '1 1 0' eval "rows_of 'saxpy(int, float, float *, float *)' | cut -d' ' -f1,2,4"
}

@test "the legacy stream is gated while no blocking stream is in use" {
	KTIME_OPTIONS=$KTIME_EVENTS gates legacy
	is 53 counter timed_by_events
	is 30 counter gated_pairs
	is 0 counter gates_forced
}

@test "streams that begin to wait for the legacy stream while it is gated are not held" {
	KTIME_OPTIONS=$KTIME_EVENTS gates legacy_and_blocking
	is 511 counter operations
	is 0 counter gates_forced
}

# The driver's own streams, and those made before ktime ran, may be blocking ones.
@test "a stream that ktime has not seen being made counts as one that waits for the legacy stream" {
	not_under_sanitizers "RTLD_DEEPBIND"
	KTIME_OPTIONS=$KTIME_EVENTS same_as_alone "$programs/gates" unseen "$programs/libhidden.so"
	is 11 counter timed_by_events
	is 0 counter gated_pairs
}

@test "a kernel is gated from its second launch in a context on" {
	SIM_DEVICES=2 KTIME_OPTIONS=$KTIME_EVENTS gates contexts
	is 18 counter gated_pairs
}

# How many of a kernel's pairs had calls of other streams beside them.
beside()
{
	"$built/ktime" export --json - session | jq '[.rows[] | select(.name == "first") | .beside // 0] | add'
}

@test "times of kernels beside which other streams have calls are called upper bounds" {
	export KTIME_OPTIONS=$KTIME_EVENTS
	SIM_KERNEL_NS=first=60000000 gates turns
	is 21 counter operations
	# All but the first one, and on a machine that stands still for 60 ms some others.
	[ "$(beside)" -gt 10 ]
	[ "$(beside)" -le 20 ]
	says "Upper bounds: 1 of 1 rows by CUDA events"
	# In the same time, one stream.
	SIM_KERNEL_NS=first=60000000 gates launches
	is 0 beside
	! says "Upper bounds" || false
	# And one stream on each of two devices.
	SIM_DEVICES=2 SIM_KERNEL_NS=first=60000000 gates contexts
	is 0 beside
}

# While one that sets a gate is interrupted, the others launch without.
@test "threads gate their launches into one stream and into their own" {
	KTIME_OPTIONS=$KTIME_EVENTS gates threads
	is 801 counter operations
	[ "$(counter gated_pairs)" -gt 0 ]
	is 0 counter gates_forced
}

@test "a launch behind work that takes long is not gated" {
	export SIM_KERNEL_NS=second=1000000000 KTIME_OPTIONS=$KTIME_EVENTS
	gates deep
	is 16 counter timed_by_events
	# Of those in front at most.
	[ "$(counter gated_pairs)" -le 6 ]
}

@test "gates can be turned off, and are with CUDA_LAUNCH_BLOCKING and under another profiler" {
	KTIME_OPTIONS="$KTIME_EVENTS --gate off" SIM_LOG=$PWD/calls gates kinds
	is 0 counter gated_pairs
	CUDA_LAUNCH_BLOCKING=1 KTIME_OPTIONS=$KTIME_EVENTS SIM_LOG=$PWD/calls gates kinds
	is 0 counter gated_pairs
	run ! grep cuStreamBatchMemOp_v2 calls
	KTIME_OPTIONS=$KTIME_EVENTS CUDA_INJECTION64_PATH=$built/sim/preload/libpeer.so \
		under_ktime "$programs/gates" kinds
	is 0 counter gated_pairs
}

@test "a stream that the driver does not hold, or lets go without the word, has no gates" {
	for fault in 'cuMemHostRegister_v2:*:2' 'cuMemHostGetDevicePointer_v2:*:2' \
		cuStreamBatchMemOp_v2:*:801 cuEventQuery:*:999; do
		SIM_FAULT=$fault KTIME_OPTIONS=$KTIME_EVENTS gates kinds
		is 0 counter gated_pairs
		says "Event pairs are not gated, as this device or driver cannot hold a stream"
	done
	SIM_NO_HOLD=1 KTIME_OPTIONS=$KTIME_EVENTS gates kinds
	is 0 counter gated_pairs
	says "Event pairs are not gated, as this device or driver cannot hold a stream"
	# That is of no matter where CUPTI times all.
	SIM_NO_HOLD=1 KTIME_OPTIONS="--timer both --events all -f -o session" gates kinds
	is 0 counter gated_pairs
	run ! says "Event pairs are not gated"
}

# It would wait for good for a word that the host has to write.
@test "a device that does not see what the host writes is not held, and has no gates" {
	SIM_UNSEEN_STORES=1 KTIME_OPTIONS=$KTIME_EVENTS gates kinds
	is 0 counter gated_pairs
	is 0 counter gates_forced
	is 50 counter timed_by_events
	says "Event pairs are not gated, as this device or driver cannot hold a stream"
}

# Lines of the log: what ktime's own threads put into a stream, or a stream that they made, before the
# program's last launch.
own_streams()
{
	awk '$1 == 1 && $2 == "cuLaunchKernel" { last = NR }
		$1 != 1 && ($2 ~ /^cuStreamCreate/ || $3 != "(nil)") { lines[NR] = $0 }
		END { for (line in lines) if (line < last) print lines[line] }' calls
}

# Once a process has launched into some more streams, graphs take longer for good on an H100.
@test "ktime makes no stream and puts nothing into one while the program works" {
	for options in "" "--timer events" "--timer events --events all" "--timer events --budget 1" \
		"--budget 1" "--timer both --events all --gate off" "--events off"; do
		rm -f calls
		SIM_LOG=$PWD/calls KTIME_OPTIONS=$options gates launches
		[ -z "$(own_streams)" ]
	done
	# At the end it does, for what event pairs hold beside their operations: alone and under ktime.
	[ "$(grep -c cuStreamCreate calls)" -eq 2 ]
	rm calls
	SIM_LOG=$PWD/calls KTIME_OPTIONS="--timer events" gates launches
	[ "$(grep -c cuStreamCreate calls)" -eq 3 ]
	says "Event-pair overhead taken off: kernels, memsets and device copies 2.40 "
}

# Two that try the gates come first.
@test "gates are off once the driver refuses to hold a stream" {
	SIM_FAULT=cuStreamBatchMemOp_v2:6:801 KTIME_OPTIONS=$KTIME_EVENTS gates kinds
	is 3 counter gated_pairs
	is 50 counter timed_by_events
	says "Event pairs are not gated, as the driver refused to hold a stream"
}

@test "launches that wait for the device are let go, and after three the context has no gates" {
	SIM_FAULT=cuLaunchKernel:20:-3,cuLaunchKernel:30:-3,cuLaunchKernel:40:-3 \
		KTIME_OPTIONS=$KTIME_EVENTS gates blocked
	is 56 counter timed_by_events
	is 36 counter gated_pairs
	is 3 counter gates_forced
	says "Event pairs are not gated, as calls waited for the device behind them"
	says "gate opened too early (3)"
}

# As a launch that loads its module does: it holds the driver's lock until all streams are idle, that in
# which ktime tests gates too.
@test "launches that wait for the device while ktime tests its gates are let go" {
	SIM_FAULT=cuLaunchKernel:*:-4 KTIME_OPTIONS=$KTIME_EVENTS run --separate-stderr timeout 90 env \
		LD_PRELOAD="$built/libktime.so" "$root/tests/sim/run" "$programs/gates" waiting
	[ "$output" = "launches done" ]
	says "Event pairs are not gated, as calls waited for the device behind them"
}

@test "a launch that never returns does not hold its stream" {
	SIM_FAULT=cuLaunchKernel:3:-2 KTIME_OPTIONS=$KTIME_EVENTS run --separate-stderr -0 \
		timeout 90 env LD_PRELOAD="$built/libktime.so" "$root/tests/sim/run" \
		"$programs/gates" stuck
	[ "$output" = "the stream went on" ]
	is 1 counter gates_forced
}

# The collector holds the driver's lock for good at its first query; a signal then ends the program.
@test "a collector that never leaves the driver leaves no gate closed" {
	[ "${SANITIZE-}" != thread ] || skip "ThreadSanitizer delays signals to a thread that waits for a lock"
	export KTIME_OPTIONS=$KTIME_EVENTS SIM_FAULT=cuEventElapsedTime:3:-1
	run --separate-stderr timeout -s TERM 3 env LD_PRELOAD="$built/libktime.so" \
		"$root/tests/sim/run" "$programs/gates" not_held
	[ "$status" -eq 124 ]
	[ "$(reports)" -eq 1 ]
}

@test "a launch or an event that fails opens the gate" {
	for fault in cuLaunchKernel:20:1 cuEventRecord:21:999 cuEventRecord:22:999; do
		SIM_FAULT=$fault KTIME_OPTIONS=$KTIME_EVENTS run --separate-stderr timeout 90 env \
			LD_PRELOAD="$built/libktime.so" "$root/tests/sim/run" "$programs/gates" launches
		[ "$status" -ne 124 ]
		is 0 counter gates_forced
	done
}
