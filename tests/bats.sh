#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bats.sh FILE…: runs bats files, as many at a time as there are processors, for most of them wait
# for programs. Prints what each prints as TAP, file by file, and what a failed test's program printed.
set -uo pipefail

output=$(mktemp -d) || exit 1
trap 'rm -rf "$output"' EXIT
for ((number = 0; number < $#; number++)); do
	printf '%s\0' "$number" "${@:number+1:1}"
done | xargs -0 -r -n 2 -P "$(nproc)" sh -c 'bats --tap --print-output-on-failure "$2" >"$0/$1" 2>&1' "$output"
for ((number = 0; number < $#; number++)); do
	cat "$output/$number"
done
