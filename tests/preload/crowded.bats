#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Threads that launch faster than they are listened to, or into each other's streams.
load helper

# calls KIND NAME: of the rows whose name begins so.
calls()
{
	"$built/ktime" export --json - session |
		jq "[.rows[] | select(.kind == \"$1\" and (.name | startswith(\"$2\"))) | .calls] | add"
}

# On one processor ktime's thread comes too late for some.
@test "a call that finds its ring full is counted in each of its rows" {
	for events in all 1/100 off; do
		export KTIME_OPTIONS="-f -o session --timer events --events $events"
		run --separate-stderr under_ktime taskset -c 0 \
			"$built/sim/workloads/saxpy_driver" --n 1000 --repetitions 200000
		[ "$status" -eq 0 ]
		is 200000 calls kernel saxpy
		is 200000 calls driver cuLaunchKernel
		# What was not timed is not in a row's figures.
		"$built/ktime" export --json - session | jq -e '.rows[] |
			select(.kind == "kernel") |
			.calls == (.events.count // 0) + ([.untimed[]] | add // 0) and
			.cupti == null'
	done
}

@test "threads that launch into one stream meet no error" {
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	run --separate-stderr under_ktime "$programs/shared_stream"
	[ "$status" -eq 0 ]
	is 0 counter driver_errors
	is 20000 calls kernel first
	"$built/ktime" export --json - session | jq -e '.rows[] | select(.kind == "kernel") |
		(.untimed | has("context destroyed or lost") | not) and
		.calls == .events.count + ([.untimed[]] | add // 0)'
}
