#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Launches of graphs, by the records of their nodes or of the whole.
load helper

# What ktime kept of each launch until the end took some 200 bytes: 33 MB here.
@test "graphs launched node by node are forgotten once they are over" {
	not_under_sanitizers "memory"
	export KTIME_OPTIONS="-f -o session --graph node"
	[ "$(growth graph_launches 1000 150000)" -le 20000 ]
}

@test "a killed program's graphs are shown with the times of their launches, but for the last few" {
	export KTIME_OPTIONS="-o session --graph node"
	run --separate-stderr under_ktime "$programs/graph_launches" 100 killed
	[ "$status" -eq 137 ]
	run --separate-stderr "$built/ktime" show session
	[ "$status" -eq 0 ]
	[[ "$output$stderr" =~ "CUDA graphs:  100.00%  "[1-9].*" 100  2.0020us  2.0020us  2.0020us  [CUDA graph 1]" ]]
}

# The simulated CUPTI has the device's clock. 24 kernels a launch fill a buffer after some 210 launches.
@test "launches before CUPTI's first flush are timed, whatever its clock" {
	KTIME_OPTIONS="-f -o session --graph node" same_as_alone "$programs/graph_windows" 600 24 plain
	is 600 eval "'$built/ktime' export --json - session | jq '.rows[] | select(.kind == \"graph\") | .cupti.count'"
}

# hidden SEEN HIDDEN ROWS: "CALLS NAME" of the rows, of launches that the hooks see and do not see.
hidden()
{
	export KTIME_OPTIONS="-f -o session --graph graph"
	same_as_alone "$programs/hidden_graphs" "$programs/libhidden.so" "$1" "$2"
	[ "$status" -eq 0 ]
	is "$3" eval "session_rows | awk -F '\\t' '\$1 == \"graph\" { print \$3, \$2 }'"
	is "$2" counter unmatched_records
}

@test "the record of a graph that is told of no call is in no second row" {
	not_under_sanitizers "RTLD_DEEPBIND"
	hidden 5 3 '5 [CUDA graph 1]'
}

@test "graphs whose launches were not seen are in a row by their records" {
	not_under_sanitizers "RTLD_DEEPBIND"
	hidden 0 3 '3 [CUDA graph]'
}

@test "threads make, change and destroy graphs at once while the process forks" {
	export KTIME_OPTIONS="-f -o session --graph node" SIM_KERNEL_NS='first=2000,second=3000'
	same_as_alone "$programs/graph_threads" 4 40 10
	"$built/ktime" export --json - session >json
	is "960 first 2160 4320000 second 2720 8160000" jq -r '"\([.rows[] | select(.kind == "graph").calls] | add) \(
		[.rows[] | select(.kind == "kernel") | "\(.name) \(.calls) \(.time)"] | sort | join(" "))"' json
	is 5520 jq '[.ranges[] | select(.style == "push/pop").own.operations] | add' json
}
