#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A service that never ends, with a metrics file: what comes in an hour, in ten seconds. Each minute has
# launches of two new threads, by streams of their own, copies, and four writings of the metrics.
load helper

an_hour()
{
	run python3 "$root/tests/jobs/always_on.py" 60x0.1 "$@"
	[ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "an hour of a service: memory stays, the cost is within the budget, every launch is counted" {
	not_under_sanitizers "memory is the sanitizer's"
	an_hour --timer events --budget 1
	grep -qE '^cost: 0\.[0-9]+ %' <<<"$output"
	[ "$(grep -cE '^ +[0-9]+ +[0-9]+ ' <<<"$output")" -eq 60 ]
}

@test "an hour of a service that is steered: every launch is counted" {
	an_hour steer
	grep -qE '^all [0-9]+ launches counted$' <<<"$output"
}
