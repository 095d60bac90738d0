#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the report says that a call took is what it took: the program measures it too.
load helper

# times LEAST MOST: a call's nanoseconds, by a row and by a trace, lie between. The first sight of
# the program may be early by the wait for a lock.
times()
{
	"$built/ktime" export --json - session |
		jq -e --argjson low "$(($1 / 2))" --argjson high "$(($2 + 1000))" '
			[.rows[] | select(.name == "cuMemcpyDtoH" or .name == "cudaMemcpy") |
				.calls, .cupti.count, .cupti.total, .cupti.minimum, .cupti.maximum] +
			[.trace[] | select(.name == "cuMemcpyDtoH" or .name == "cudaMemcpy") |
				.end - .start] |
			length == 6 and .[:2] == [1, 1] and all(.[2:][]; $low <= . and . <= $high)'
}

api_time()
{
	for timer in auto events; do
		export KTIME_OPTIONS="-f -o session --print-api-trace --timer $timer"
		run --separate-stderr under_ktime "$programs/api_times" "$1"
		[ "$status" -eq 0 ]
		echo "$timer: $output"
		times $output
	done
}

@test "a driver call's row and record have the time that it took" {
	api_time driver
}

@test "a runtime call's row and record have the time that it took" {
	api_time runtime
}

# calls OPTIONS COUNT [WAIT]: how often cudaGetDevice is counted, and whether that is all.
calls()
{
	export KTIME_OPTIONS="-f -o session $1"
	shift
	run --separate-stderr under_ktime "$programs/cheap_calls" "$@"
	[ "$status" -eq 0 ]
	"$built/ktime" export --json - session |
		jq -c '.rows[] | select(.name == "cudaGetDevice") | [.calls, .cupti.count, .more_calls]'
}

@test "runtime calls that take next to nothing are counted 2000 times, and all in a trace" {
	is '[1998,1998,null]' calls "" 999
	is '[2000,2000,true]' calls "" 3000 wait
	run --separate-stderr under_ktime "$programs/cheap_calls" 3000 wait
	says "Rows marked > had more calls than are counted"
	is '[6000,6000,null]' calls --print-api-trace 3000
}

@test "a runtime call that fails is counted among its failures" {
	calls "" 1
	is '["cudaGetDevice",2,0]
["cudaSetDevice",1,1]' eval '"$built/ktime" export --json - session | jq -c ".rows[] |
		select(.kind == \"runtime\" and (.name | endswith(\"Device\"))) | [.name, .calls, .failed]"'
}
