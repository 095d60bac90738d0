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
	run --separate-stderr "$built/ktime" show --verbose session
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
	says "Upper bound: first"
}

v2="callbacks enable launch flush disable unsubscribe"
v1="callbacks-v1 enable-v1 launch flush disable-v1 flush"

# subscribes OPTIONS LAUNCHES RECORDS STEPS: the program's calls answer what they do alone, it has so many records
# of kernels by the older interface and by V2, and ktime counts so many launches. The report is in $stderr.
subscribes()
{
	export KTIME_OPTIONS="-f -o session $1" SIM_CUPTI_VERSION=${SIM_CUPTI_VERSION-130200}
	# shellcheck disable=SC2086 # steps
	same_as_alone "$programs/subscriber" "${library-libcupti.so.13}" $4
	[ "$status" -eq 0 ]
	is "records $3, calls 0 0" tail -1 ktime.out
	is "$2" eval "\"$built/ktime\" export --json - session | jq '[.rows[] | select(.kind == \"kernel\") | .calls] | add'"
	run --separate-stderr "$built/ktime" show --verbose session
	stderr=$output$stderr
}

# As the report says, which names the program's subscription.
times_by_events()
{
	says "Timing: CUDA events"
	is 1 eval 'report | grep -ci "the program wants CUPTI for itself (cuptiSubscribe_v2)"'
}

@test "a program that subscribes by CUPTI's V2 interface has its records, and ktime times by events" {
	subscribes "" 300 "0 100" "launch subscribe $v2 launch"
	times_by_events
	subscribes "" 500 "0 200" "launch subscribe $v2 launch subscribe $v2 launch"
	times_by_events
	# Before ktime could start CUPTI.
	subscribes "" 200 "0 100" "subscribe $v2 launch"
	times_by_events
	# Bound by the loader.
	library="" subscribes "" 300 "0 100" "launch subscribe $v2 launch"
	times_by_events
}

@test "beside a V2 subscriber kernels are counted whichever clock was asked for" {
	subscribes "--timer events" 300 "0 100" "launch subscribe $v2 launch"
	is 0 eval 'report | grep -c CUPTI || true'
	subscribes "--timer cupti" 300 "0 100" "launch subscribe $v2 launch"
	says "later operations are not timed"
	subscribes "--timer cupti" 200 "0 100" "subscribe $v2 launch"
	says "cuptiSubscribe_v2"
}

@test "after V2, and while it is subscribed, the older interface answers what it does without ktime" {
	subscribes "" 400 "100 100" "launch subscribe $v2 $v1 launch"
	subscribes "" 400 "0 200" "launch subscribe callbacks enable launch callbacks-v1 enable-v1 launch flush unsubscribe launch"
	is 2 grep -c -e "-v1 39" ktime.out
	# XLA does so where the driver allows one subscriber.
	subscribes "" 300 "100 0" "launch subscribe-several $v1 launch"
	grep -qx "subscribe-several 39" ktime.out
}

@test "where CUPTI knows one interface a process, the report says how the program gets its records" {
	export KTIME_OPTIONS="-f -o session" SIM_CUPTI_VERSION=130300
	# shellcheck disable=SC2086 # steps
	run --separate-stderr under_ktime "$programs/subscriber" libcupti.so.13 launch subscribe $v2 launch
	[[ $output == *"callbacks 14"* ]]
	says "This CUPTI gives the program no records, as ktime has recorded before: run it with --timer events."
	SIM_CUPTI_VERSION=130300 subscribes "--timer events" 300 "0 100" "launch subscribe $v2 launch"
	run ! says "This CUPTI"
}

@test "kinds that the program has on keep V2 from subscribing, and ktime goes on with CUPTI" {
	export KTIME_OPTIONS="-f -o session" SIM_CUPTI_VERSION=130200
	run --separate-stderr under_ktime "$programs/subscriber" libcupti.so.13 launch callbacks-v1 enable-v1 launch subscribe launch
	[[ $output == *"subscribe 39"* ]]
	says "Timing: CUPTI; all 300 GPU operations timed."
}

@test "before CUDA 13.2, where a V2 subscriber has no kinds of its own, ktime goes on with CUPTI" {
	SIM_CUPTI_VERSION=130100 subscribes "" 300 "0 0" "launch subscribe launch unsubscribe launch"
	says "Timing: CUPTI; all 300 GPU operations timed."
}

@test "a V2 subscriber has its records if calls fail that ktime makes to leave CUPTI to it" {
	local call
	for call in cuptiActivityFlushAll cuptiActivityGetNumDroppedRecords cuptiActivitySetAttribute; do
		SIM_FAULT=$call:*:999 subscribes "" 300 "0 100" "launch subscribe callbacks enable launch disable unsubscribe launch"
	done
}
