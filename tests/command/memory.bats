#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Where the command has no memory for something it does without or says so.

bats_require_minimum_version 1.5.0
load common

# without_memory ARGUMENT…: each of the first of the command's own allocations fails once, and one of four later ones.
without_memory() {
	local number refused=0
	for number in $(seq 1 24) $(seq 28 4 160); do
		LD_PRELOAD=$build/sim/preload/libno_memory.so NO_MEMORY_OF=/ktime NO_MEMORY=$number \
			run --separate-stderr "$ktime" "$@"
		[ "$status" -le 2 ] || { echo "$*: allocation $number: status $status"; return 1; }
		[ "$status" -eq 0 ] || refused=$((refused + 1))
		[ "$status" -eq 0 ] || [ -n "$stderr" ] || { echo "$*: allocation $number: not a word"; return 1; }
	done
	[ "$refused" -gt 0 ]
}

@test "each allocation of show may fail" {
	local profile=$(golden nvprof_mix)
	without_memory show --quiet --names short --percentiles --histogram "$profile"
	without_memory show --quiet --format nsys "$profile"
	without_memory show --quiet --csv --print-gpu-trace --print-api-trace "$profile"
}

@test "each allocation of export may fail" {
	local profile=$(golden nvprof_mix)
	without_memory export -f --json json "$profile"
	without_memory export -f --chrome chrome "$profile"
	without_memory export -f --sqlite sqlite "$profile"
}

@test "each allocation of diff may fail" {
	local profile=$(golden nvprof_mix)
	without_memory diff "$profile" "$(golden nvprof_noapi)"
	"$ktime" export --sqlite sqlite "$profile"
	without_memory diff --json - sqlite "$profile"
}
