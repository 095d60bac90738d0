#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Graphs and capture on the simulated device, without ktime.

load common

# expect_capture MODE PLACE OUTPUT CASE…
expect_capture()
{
	local mode=$1 place=$2 expected=$3 name
	shift 3
	for name in "$@"; do
		simulate "$programs/capture" "$name" "$mode" "$place"
		expect_output "$expected"
	done
}

@test "waiting and allocating break a global capture, but not from a thread in relaxed mode" {
	unsafe="event-query event-synchronize stream-query allocate"
	# shellcheck disable=SC2086 # a list
	for place in here there; do
		expect_capture global $place "call 900, capture 901, nodes" $unsafe
	done
	expect_capture global there-relaxed "call 0, capture 0, nodes 0 2" $unsafe
}

@test "waiting and allocating break a thread-local capture from its own thread alone" {
	unsafe="event-query event-synchronize stream-query allocate"
	# shellcheck disable=SC2086 # a list
	expect_capture thread-local here "call 900, capture 901, nodes" $unsafe
	expect_capture thread-local there "call 0, capture 0, nodes 0 2" $unsafe
	expect_capture relaxed here "call 0, capture 0, nodes 0 2" $unsafe
}

@test "the stream's id, a context's wait and the legacy stream break a capture from everywhere" {
	for mode in global thread-local relaxed; do
		for place in here there there-relaxed; do
			expect_capture $mode $place "call 900, capture 901, nodes" \
				stream-id context-synchronize
			expect_capture $mode $place "call 906, capture 901, nodes" record-legacy
		done
	done
}

@test "what only asks or creates never breaks a capture" {
	for place in here there there-relaxed; do
		expect_capture global $place "call 0, capture 0, nodes 0 2" \
			is-capturing event-create pointer-attributes nothing
	done
}

@test "a graph captured from two streams runs its nodes, alone and as a child" {
	SIM_KERNEL_NS='first=1000,second=2000' simulate "$programs/graph"
	[ "$status" -eq 0 ]
	expect_output "nodes 4 edges 4
launch 0.007400 ms
memory 5 5
as a child 0.007400 ms"
}
