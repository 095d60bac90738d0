#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Traces of what CUPTI records, and of what events alone timed.
load helper

# "DURATION GRID… NAME" of the operations of a trace.
traced()
{
	export KTIME_OPTIONS="--print-gpu-trace --events all --timer $1"
	same_as_alone "$programs/collecting" windows
	[ "$status" -eq 0 ]
	report | awk '/^ *Start/ { on = 1; next } /^$/ || /^[A-Z]/ { on = 0 } on'
}

@test "with CUPTI a kernel's grid and block are there" {
	traced both >trace
	[ "$(wc -l <trace)" -eq 8 ]
	[ "$(grep -c '1.0010us .*(1 1 1) .*(1 1 1) ' trace)" -eq 8 ]
}

@test "with CUPTI a kernel's launch is there with each of its figures" {
	for timer in cupti both; do
		export KTIME_OPTIONS="-f --print-gpu-trace -o session --timer $timer"
		same_as_alone "$programs/collecting" shape
		is '[2,3,4,5,6,7,24,3072,2048]' eval "\"$built/ktime\" export --json - session |
			jq -c '.trace[] | select(.kind == \"kernel\") | .grid + .block +
				[.registers, .static_shared, .dynamic_shared]'"
		report | grep -qE '1.0200us +\(2 3 4\) +\(5 6 7\) +24 +3.0000KB +2.0000KB '
	done
}

@test "by events alone a kernel has its time without the bias, and no grid" {
	traced events >trace
	[ "$(wc -l <trace)" -eq 8 ]
	[ "$(awk '{ print $2, $3, $4, $5, $6, $7 }' trace | sort | uniq -c | sed 's/^ *//')" = \
		"8 1.0010us - - - - -" ]
}

@test "operations of one stream do not overlap in a trace" {
	export KTIME_OPTIONS="--print-gpu-trace --events all -o session"
	for timer in events both; do
		KTIME_OPTIONS="-f --print-gpu-trace --events all --timer $timer -o session"
		same_as_alone "$programs/collecting" windows
		"$built/ktime" export --json - session |
			jq -e '[.trace[] | select(.kind == "kernel")] | sort_by(.start) |
				. as $all | length == 8 and
				all(range(1; length); $all[.].start >= $all[. - 1].end)'
	done
}

# CUPTI names threads in its own way, and those that ended in no other.
@test "a thread has one id in a trace, whoever recorded the call" {
	for version in 120000 130000; do
		export SIM_CUPTI_VERSION=$version
		export KTIME_OPTIONS="-f --print-gpu-trace --print-api-trace -o session"
		run --separate-stderr under_ktime "$built/sim/workloads/saxpy" --n 1000
		[ "$status" -eq 0 ]
		"$built/ktime" export --json - session |
			jq -e '[.trace[].thread | values] | length > 4 and (unique | length) == 1'
	done
}
