#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A capture under ktime gives the graph that it gives without, whatever is captured, from where,
# and whatever else works meanwhile.
load helper

# captures WAY NODES: the nodes and edges are printed, so the comparison holds them too.
captures()
{
	export KTIME_OPTIONS="-f -o session --events all ${3-}"
	same_as_alone "$programs/captures" "$1"
	[ "$status" -eq 0 ]
	[ "$(echo "$output" | grep -c ^node)" -eq "$2" ]
}

# "CALLS NAME" as the hooks saw it: what was captured is no operation, a graph's launch is one.
seen()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.kind | IN("kernel", "memcpy", "memset", "graph")) |
		select(.seen_by_hooks > 0) | "\(.seen_by_hooks) \(.name)"' | sort -k2
}

@test "a graph captured from two streams" {
	captures streams 4
	is $'2 [CUDA graph 1]\n1 first' seen
	is 4 counter captured_calls
}

@test "a long capture, while ktime collects" {
	captures slowly 500
	is $'2 [CUDA graph 1]\n1 first' seen
	is 500 counter captured_calls
}

@test "a capture of the per-thread default stream" {
	captures per-thread 2
	is $'2 [CUDA graph 1]\n1 first' seen
	is 2 counter captured_calls
}

@test "a capture that another thread adds to" {
	captures from-thread 11
	is $'2 [CUDA graph 1]\n1 first' seen
	is 11 counter captured_calls
}

@test "a capture beside another thread's work" {
	captures beside-work 500
	is 500 counter captured_calls
	is $'[CUDA graph 1]\nfirst\nsecond' eval 'seen | cut -d" " -f2-'
}

@test "a capture into a graph that is there" {
	captures to-graph 2
	is $'2 [CUDA graph 1]\n1 first' seen
	is 2 counter captured_calls
}

@test "outside the profiling window what is captured is no operation either" {
	for options in "--profile-from-start off" "--delay 100"; do
		captures streams 4 "$options"
		is $'2 [CUDA graph 1]\n1 first' eval '"$built/ktime" export --json - session |
			jq -r ".rows[] | select(.calls_outside > 0) | \"\(.calls_outside) \(.name)\"" | sort -k2'
		is 3 counter operations_outside
	done
}

@test "a capture that the program breaks, and the next one" {
	captures broken 4
	is $'2 [CUDA graph 1]\n2 first' seen
}

@test "a capture that the driver refused to end by other streams" {
	captures refused-ends 3
	[[ $output == *"idle stream: 401"*"that joined: 401"* ]]
	is $'2 [CUDA graph 1]\n1 first' seen
	is 3 counter captured_calls
}

asked()
{
	grep -c ' cuStreamIsCapturing ' calls
}

@test "a capture that another thread ended is over: no launch asks about it any more" {
	SIM_LOG=$PWD/calls captures ended-by-thread 2
	[[ $output == *"end by a thread: 908"* ]]
	is $'2 [CUDA graph 1]\n501 first' seen
	is 4 counter captured_calls
	is 4 asked
}

@test "the nodes' times come from CUPTI, and events time the launch whole" {
	SIM_KERNEL_NS='first=1000,second=2000' captures streams 4
	is $'2 [CUDA graph 1]' rows graph seen_by_hooks
	is $'3 first\n2 second' rows kernel cupti.count
	is $'3000 first\n4000 second' rows kernel cupti.total
}

@test "whole graphs alone are timed where that is asked for" {
	SIM_KERNEL_NS='first=1000,second=2000' captures streams 4 "--graph graph"
	is $'2 [CUDA graph 1]' rows graph cupti.count
	is $'1 first' rows kernel cupti.count
}

# rows KIND FIGURE: "FIGURE NAME"
rows()
{
	"$built/ktime" export --json - session | jq -r --arg kind "$1" '.rows[] |
		select(.kind == $kind) | "\(.'"$2"') \(.name)"' | sort -k2
}

@test "calls that break a capture do so under ktime, and no others" {
	for call in record-legacy event-query event-synchronize stream-query allocate stream-id \
		context-synchronize is-capturing event-create pointer-attributes nothing; do
		same_as_alone "$built/sim/programs/capture" $call || { echo "$call"; false; }
		[ "${#lines[@]}" -eq 9 ]
	done
}

@test "a graph that is launched whole and as the child of another is two rows" {
	export KTIME_OPTIONS="-o session"
	same_as_alone "$built/sim/programs/graph"
	[ "$status" -eq 0 ]
	is $'1 [CUDA graph 1]\n1 [CUDA graph 2]' rows graph seen_by_hooks
}
