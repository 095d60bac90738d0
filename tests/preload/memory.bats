#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report says what memory ktime took, and that does not grow with the launches.
load helper

@test "ktime's own memory is measured, and bounded for a thread however much it launches" {
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	for repetitions in 10 40000; do
		same_as_alone "$built/workloads/saxpy" --n 256 --repetitions $repetitions
		[ "$status" -eq 0 ]
		[ "$(counter memory_bytes)" -ge $((64 << 10)) ]
		[ "$(counter memory_bytes)" -le $((2 << 20)) ]
	done
}

# What ktime kept of each stream took 4 KiB: 40 MB here.
@test "streams that come and go leave nothing behind" {
	export KTIME_OPTIONS="-f -o session"
	declare -A peak
	for streams in 100 10000; do
		run --separate-stderr under_ktime "$built/sim/preload/stream_lives" "$streams"
		[ "$status" -eq 0 ]
		is $((streams + streams / 10)) counter operations
		is $((streams + streams / 10)) counter cupti_records
		peak[streams]=$output
	done
	[ $((peak[10000] - peak[100])) -le 20000 ]
}

# The pairs of a thread in a context took 70 KiB: 130 MB here, where two launch in each.
@test "contexts that come and go leave nothing behind" {
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	declare -A peak
	for contexts in 100 1000; do
		run --separate-stderr under_ktime "$programs/context_lives" "$contexts"
		[ "$status" -eq 0 ]
		is $((3 * contexts)) counter operations
		peak[$contexts]=$output
	done
	[ $((peak[1000] - peak[100])) -le 20000 ]
}
