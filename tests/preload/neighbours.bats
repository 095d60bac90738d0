#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A program that uses CUPTI itself gets all that it gets without ktime, and so does ktime.
load helper

# What is in the program's buffers, whichever record came in which. ktime's own calls take
# correlation ids too, and of the last launch a forced flush may be too early for its time.
contents()
{
	sed -nE 's/^(kernel .* stream [0-9]+) .*/\1/p; /^(copy|memset|dropped)/p' "$1" | sort
}

@test "a program's own records are all there, and ktime has them too" {
	export KTIME_OPTIONS="-o session"
	run --separate-stderr alone "$built/sim/programs/records" 100000 200
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >alone
	run --separate-stderr under_ktime "$built/sim/programs/records" 100000 200
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >with
	[ "$(contents alone | wc -l)" -eq 203 ]
	diff <(contents alone) <(contents with)
	is 203 counter operations
	is 203 eval "\"$built/ktime\" export --json - session |
		jq '[.rows[] | select(.kind | IN(\"kernel\", \"memcpy\", \"memset\")) | .calls] | add'"
}
