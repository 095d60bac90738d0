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
	local launches=200000
	[ -z "${SANITIZE-}" ] || launches=50000 # each takes ten times as long
	for events in all 1/100 off; do
		export KTIME_OPTIONS="-f -o session --timer events --events $events"
		run --separate-stderr under_ktime taskset -c 0 \
			"$built/sim/workloads/saxpy_driver" --n 1000 --repetitions $launches
		[ "$status" -eq 0 ]
		is $launches calls kernel saxpy
		is $launches calls driver cuLaunchKernel
		# What was not timed is not in a row's figures.
		"$built/ktime" export --json - session | jq -e '.rows[] |
			select(.kind == "kernel") |
			.calls == (.events.count // 0) + ([.untimed[]] | add // 0) and
			.cupti == null'
	done
}

@test "threads that launch into one stream meet no error" {
	not_under_sanitizers "calls of two threads overlap for longer than an event takes"
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	run --separate-stderr under_ktime "$programs/shared_stream"
	[ "$status" -eq 0 ]
	is 0 counter driver_errors
	is 20000 calls kernel first
	"$built/ktime" export --json - session | jq -e '.rows[] | select(.kind == "kernel") |
		(.untimed | has("context destroyed or lost") | not) and
		.calls == .events.count + ([.untimed[]] | add // 0)'
}

# A kernel's first launch brings what the others find there.
@test "a kernel's first launch that finds its ring full is counted" {
	for timer in events both cupti; do
		export KTIME_OPTIONS="-f -o session --timer $timer --events all"
		same_as_alone "$programs/held" full
		[ "$status" -eq 0 ]
		is 20000 calls kernel first
		is 1 calls kernel second
		is 20001 calls driver cuLaunchKernel
		is 20001 counter operations
		"$built/ktime" export --json - session | jq -e '.rows[] |
			select(.name == "second") | .seen_by_hooks == 1'
	done
}

# ktime finds all of it in the threads' rings at once.
@test "two threads' calls are taken in the order in which they were made" {
	for timer in events cupti both; do
		for version in 28 130000; do
			export KTIME_OPTIONS="-f -o session --timer $timer --events all --print-gpu-trace"
			SIM_CUPTI_VERSION=$version same_as_alone "$programs/held" turns
			[ "$status" -eq 0 ]
			is "$(
				printf '1 first\n1 second\n'
				for ((i = 0; i < 10; i++)); do printf '10 first\n10 second\n'; done
			)" launched
			is 0 counter unmatched_records
		done
		# Each has a record of its own, and all but each thread's first of a kernel events.
		[ "$timer" != both ] || is 198 counter matched
	done
}

# As where other programs leave ktime's thread no processor for a while.
@test "a thread that launched once and ended takes two pages while ktime gets no further" {
	not_under_sanitizers "memory"
	run --separate-stderr under_ktime "$programs/held" ended
	[ "$status" -eq 0 ]
	[ "$output" -le 8 ]
}

# "LAUNCHES NAME" of a trace, in order.
launched()
{
	"$built/ktime" export --json - session |
		jq -r '[.trace[] | select(.kind == "kernel")] | sort_by(.start)[].name' |
		uniq -c | sed 's/^ *//'
}
