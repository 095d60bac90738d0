#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bats.sh FILE…: runs bats files, two at a time for each processor, for many of them wait for programs that
# rest or for a time that has to pass. Prints what each prints as TAP, file by file, and what a failed test's program printed.
# BATS_JOBS says how many at a time, BATS_FILTER which tests, by a pattern.
#
# What hangs ends, and fails: a wait by the limit that the test gives it (wait_until), a program on the simulated
# device by SIM_LIMIT_S, a test by BATS_TEST_TIMEOUT (tests/waits.bash), a file by FILE_LIMIT_S.
set -uo pipefail
: "${FILE_LIMIT_S:=1200}" "${BATS_JOBS:=$((2 * $(nproc)))}"
export FILE_LIMIT_S

BATS_RESULTS=$(mktemp -d) || exit 1
trap 'rm -rf "$BATS_RESULTS"' EXIT
export BATS_RESULTS

# bats_file NUMBER FILE
bats_file()
{
	local status
	timeout -k 10 "$FILE_LIMIT_S" bats --tap --print-output-on-failure \
		${BATS_FILTER:+--filter "$BATS_FILTER"} "$2" >"$BATS_RESULTS/$1" 2>&1
	status=$?
	case $status in
	124 | 137) echo "not ok $2 has not ended after $FILE_LIMIT_S s" >>"$BATS_RESULTS/$1" ;;
	esac
	return $status
}

export -f bats_file
for ((number = 0; number < $#; number++)); do
	printf '%s\0' "$number" "${@:number+1:1}"
# shellcheck disable=SC2016 # for the shell inside
done | xargs -0 -r -n 2 -P "$BATS_JOBS" bash -c 'bats_file "$0" "$1"'
status=$?
for ((number = 0; number < $#; number++)); do
	cat "$BATS_RESULTS/$number"
done
exit $status
