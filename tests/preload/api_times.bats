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
