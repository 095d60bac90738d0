#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Launches of graphs, by the records of their nodes or of the whole.
load helper

# What ktime kept of each launch until the end took some 200 bytes: 33 MB here.
@test "graphs launched node by node are forgotten once they are over" {
	export KTIME_OPTIONS="-f -o session --graph node"
	declare -A peak
	for launches in 1000 150000; do
		run --separate-stderr under_ktime "$programs/graph_launches" "$launches"
		[ "$status" -eq 0 ]
		peak[$launches]=$output
	done
	[ $((peak[150000] - peak[1000])) -le 20000 ]
}

@test "a killed program's graphs are shown with the times of their launches, but for the last few" {
	export KTIME_OPTIONS="-o session --graph node"
	run --separate-stderr under_ktime "$programs/graph_launches" 100 killed
	[ "$status" -eq 137 ]
	run --separate-stderr "$built/ktime" show session
	[ "$status" -eq 0 ]
	[[ "$output$stderr" =~ "CUDA graphs:  100.00%  "[1-9].*" 100  2.0020us  2.0020us  2.0020us  [CUDA graph 1]" ]]
}
