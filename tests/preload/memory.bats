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
