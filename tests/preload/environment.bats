#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Options and variables count as the program was started with them, whatever it does to its
# environment and its directory before it uses CUDA.
load helper

@test "options hold for a program that does away with its environment or changes its directory" {
	export KTIME_OPTIONS="--log-file %q{OF_A_NAME}.log -o kept.ktime -f" OF_A_NAME=of-a-value
	for how in clear overwrite none chdir; do
		rm -f of-a-value.log kept.ktime
		run --separate-stderr under_ktime "$programs/other_environment" $how
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		grep -q "1 GPU operation timed" of-a-value.log
		is 1 eval '"$built/ktime" export --json - kept.ktime | jq ".rows[] | select(.name == \"first\") | .calls"'
	done
}

@test "options that a program sets itself before it uses CUDA count" {
	export KTIME_OPTIONS="--log-file started.log"
	run --separate-stderr under_ktime "$programs/other_environment" set
	[ "$status" -eq 0 ]
	grep -q first own.log
	[ ! -e started.log ]
}
