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

# ends BEFORE AFTER OTHERS ROWS: "CLOCK CALLS NAME" of a program that ends CUPTI.
ends()
{
	export KTIME_OPTIONS="-f -o session"
	same_as_alone "$programs/ends_cupti" "$1" "$2" "$3"
	[ "$status" -eq 0 ]
	is "$4" eval "\"$built/ktime\" export --json - session | jq -r '.rows[] |
		select(.kind == \"kernel\") | \"\(.clock) \(.calls) \(.name)\"' | sort -k3"
	run --separate-stderr "$built/ktime" show session
	stderr=$output$stderr
	[ "$(report | grep -c "The program ended CUPTI (cuptiFinalize)")" -eq 1 ]
}

@test "all that ran before a program ended CUPTI has its time by CUPTI, and the report says that it ended" {
	ends 1000 0 0 'cupti 1000 first'
	says "Timing: CUPTI; all 1,000 GPU operations timed."
}

@test "what runs after a program ended CUPTI has its time by events, row by row" {
	ends 1000 100 1 $'cupti 1100 first\nevents 1 second'
	"$built/ktime" export --json - session |
		jq -e '.rows[] | select(.name == "second") | .events.count == 1'
	ends 1000 100 100 $'cupti 1100 first\nevents 100 second'
	says "Timing: CUPTI (1 row by CUDA events); "
	ends 40 200 0 'events 240 first'
	says "Timing: CUDA events"
	says "~ first: 240 "
}
