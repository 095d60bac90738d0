#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The simulated driver answers as a real one was seen to, without ktime.

load common

@test "each entry found by dlsym is the one that cuGetProcAddress gives, and no two are the same" {
	simulate "$programs/resolve"
	[ "$status" -eq 0 ]
	[[ "$output" == *" entries" ]]
}

@test "cuGetProcAddress gives the newest form that is not newer than asked for" {
	while read -r arguments; do
		expected=${arguments#* = }
		# shellcheck disable=SC2086 # name, version and flags
		simulate "$programs/resolve" ${arguments%% = *}
		expect_output "$expected"
	done <<-END
		cuMemcpyHtoD 2000 0 = result 0 status 0 cuMemcpyHtoD
		cuMemcpyHtoD 5000 0 = result 0 status 0 cuMemcpyHtoD_v2
		cuMemcpyHtoD 7000 2 = result 0 status 0 cuMemcpyHtoD_v2_ptds
		cuMemcpyHtoD 6000 2 = result 0 status 2 NULL
		cuGetProcAddress 11030 0 = result 0 status 0 cuGetProcAddress
		cuGetProcAddress 12000 2 = result 0 status 0 cuGetProcAddress_v2
		cuInit 13000 2 = result 0 status 0 cuInit
		cuInit 99000 0 = result 1 status 7 untouched
		cuNoSuchEntry 12000 0 = result 0 status 1 NULL
	END
}

@test "an older driver refuses versions above its own" {
	SIM_DRIVER_VERSION=12020 simulate "$programs/resolve" cuLaunchKernel 12080 0
	expect_output "result 1 status 7 untouched"
}

@test "the runtime looks everything up before cuInit, the first time with an empty name" {
	log=$BATS_TEST_TMPDIR/log
	for program in saxpy saxpy_shared; do
		SIM_LOG=$log simulate "$workloads/$program" --n 10
		[ "$status" -eq 0 ]
		first=$(awk '$2 == "cuInit" { print NR; exit }' "$log")
		last=$(awk '$2 == "cuGetProcAddress_v2" { last = NR } END { print last }' "$log")
		[ "$first" -gt 400 ]
		[ "$last" -lt "$first" ]
		rm "$log"
	done
}

@test "every entry that works the device does so once, by whatever way it was found" {
	for way in linked dlsym procedure; do
		log=$BATS_TEST_TMPDIR/$way
		SIM_LOG=$log simulate "$programs/entries" "$way"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 164 ]
		# What the program says it asked for is what the driver did.
		awk '{ print $1, $3, $4 }' <<<"$output" | sort >"$log.asked"
		awk '{ print $2, $4, $5 }' "$log" | sort | comm -12 "$log.asked" - >"$log.done"
		diff "$log.asked" "$log.done"
		! grep -v ' 0$' "$log.asked" || false
	done
}

@test "an event pair measures the work and the overhead of its kind" {
	SIM_KERNEL_NS='first=5000' simulate "$programs/events"
	[ "$status" -eq 0 ]
	expect_output "nothing 1400
kernel 7400
memset 3450
pinned 4400
pageable 13400
device 3500"
}

@test "a call fails where SIM_FAULT says so" {
	SIM_FAULT=cuMemcpyHtoD_v2:2:700 simulate "$workloads/saxpy" --n 10
	[ "$status" -eq 1 ]
	expect_output "saxpy: cudaMemcpy(work.y, y.data(), bytes, cudaMemcpyHostToDevice): an illegal memory access was encountered"
	SIM_FAULT=cuMemcpyHtoD_v2:3:700,cuMemsetD8_v2:*:1 simulate "$workloads/saxpy" --n 10
	[ "$status" -eq 0 ]
	SIM_FAULT='cuInit:*:100' simulate "$workloads/saxpy" --n 10
	[ "$status" -eq 1 ]
	[[ "$output" == *"no CUDA-capable device is detected" ]]
}

@test "contexts, modules and devices live and end as in the real driver" {
	for name in reset destroy module devices names green; do
		SIM_DEVICES=2 simulate "$programs/contexts" "$name"
		[ "$status" -eq 0 ]
		expect_output "as the driver does"
	done
}

@test "an event or a stream that is gone crashes the program, as in the real driver" {
	for name in dead-event dead-stream; do
		simulate "$programs/contexts" "$name"
		[ "$status" -eq 139 ]
		[[ "$output" == *"was destroyed"* ]]
	done
}

@test "a stream that waits for a word is held until the host or another stream writes it" {
	SIM_KERNEL_NS='first=5000' simulate "$programs/gates"
	[ "$status" -eq 0 ]
	expect_output "the device waits for the host 7400
the device is busy 7400
gated 7400
back-to-back 1400
opened by another thread 7400"
}

@test "what a batch writes in front of a wait is there once the device has come to the wait" {
	SIM_KERNEL_NS='first=5000' simulate "$programs/arrivals"
	expect_output "as the driver does"
	SIM_NO_HOLD=1 simulate "$programs/arrivals" "not held"
	expect_output "as the driver does"
}

@test "what event pairs hold beside the operation can be chosen" {
	SIM_KERNEL_NS='first=5000' SIM_EVENT_NS=1312 SIM_KERNEL_EVENT_NS=800 SIM_STARVED_NS=3000 \
		simulate "$programs/gates"
	[ "$status" -eq 0 ]
	expect_output "the device waits for the host 10112
the device is busy 7112
gated 7112
back-to-back 1312
opened by another thread 7112"
}

@test "pairs of operations that the device comes to amid other work can hold more" {
	SIM_KERNEL_NS='*=5000' simulate "$programs/queued"
	[ "$status" -eq 0 ]
	echo "$output" >"$BATS_TEST_TMPDIR/alone"
	[ "${lines[0]}" = "the device waits at the gate	7400" ]
	SIM_KERNEL_NS='*=5000' SIM_QUEUED_NS=700 simulate "$programs/queued"
	run awk -F'\t' 'FNR == NR { alone[$1] = $2; next } { print $1 ": " $2 - alone[$1] }' \
		"$BATS_TEST_TMPDIR/alone" <(echo "$output")
	expect_output "the device waits at the gate: 0
the device is busy: 700
memset: 700
graph: 700
copy on the device: 700
copy by an engine: 0
nothing: 0
behind a gated pair: 0
behind a gated pair and a kernel: 700
behind a gate that is open: 700
behind such a pair: 0
no gate, idle: 0
no gate, busy: 700
no gate, copy by an engine: 0
behind a pair without a gate: 700
no gate, behind a gated pair: 0
from the event behind a pair without a gate: 700"
}

@test "a call can wait for the device, or never return without keeping the driver's lock" {
	SIM_FAULT=cuLaunchKernel:2:-3 SIM_KERNEL_NS='first=5000' simulate "$programs/gates"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "the device waits for the host 7400" ]
	SIM_FAULT=cuMemcpyHtoD_v2:2:-2 run -124 timeout 1 "$BATS_TEST_DIRNAME/run" \
		"$workloads/saxpy" --n 10
}
