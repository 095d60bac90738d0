#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programmatic dependent launches: an event between the two kernels would part them.
load helper

chain()
{
	export KTIME_OPTIONS="--verbose --timer $1 --events all" SIM_LOG=$BATS_TEST_TMPDIR/log
	run --separate-stderr under_ktime "$programs/dependent"
	[ "$status" -eq 0 ]
	says "all 200 GPU operations timed"
	says "programmatic dependent launch left whole"
}

# Launches of a chain's second kernel with a record of ktime's right before them.
parted()
{
	awk '$2 ~ /^cu(EventRecord|LaunchKernelEx)$/ { if ($2 == "cuLaunchKernelEx" && ++n % 2 == 0 &&
		before == "cuEventRecord") print n; before = $2 }' log
}

@test "no event parts the kernels of a chain" {
	chain both
	[ "$(grep -c cuLaunchKernelEx log)" -eq 200 ]
	[ -z "$(parted)" ]
}

@test "CUPTI times the kernels of a chain, and the report says that events did not" {
	chain auto
	is $'100.10us 100 1.0010us 1.0010us 1.0010us first\n100.10us 100 1.0010us 1.0010us 1.0010us second' \
		eval 'gpu_rows | sort'
	says "Timing: CUPTI; all 200 GPU operations timed."
}
