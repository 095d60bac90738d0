#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions that ktime adds to the thread that launches, per launch, on the simulated device:
# libktime.so's own, counted by callgrind. Two runs that differ in their launches alone are
# subtracted, so that what a run costs once drops out.
#
# usage: cost.sh   (from the root of the tree, after `make library sim`)
set -euo pipefail

build=${BUILD:-build}
program=$build/sim/workloads/saxpy_driver
few=2000
many=6000
here=$(dirname "$0")

command -v valgrind >/dev/null || { echo "cost.sh: install valgrind" >&2; exit 1; }
directory=$(mktemp -d "${TMPDIR:-/tmp}/ktime-cost.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Instructions of libktime.so in the first thread. Arguments: options, launches.
instructions() {
	rm -f "$directory"/callgrind.*
	KTIME_OPTIONS="$1 --log-file /dev/null" LD_PRELOAD=$PWD/$build/libktime.so \
		tests/sim/run valgrind --tool=callgrind --separate-threads=yes \
		--callgrind-out-file="$directory/callgrind" "$program" --n 1 --repetitions "$2" \
		>"$directory/output" 2>&1 || { cat "$directory/output" >&2; exit 1; }
	awk -f "$here/callgrind_objects.awk" "$directory"/callgrind-01 |
		awk '/libktime\.so/ { sum += $1 } END { print sum + 0 }'
}

# Arguments: what is counted, options.
cost() {
	local first second

	first=$(instructions "$2" $few)
	second=$(instructions "$2" $many)
	echo "$1 $(((second - first) / (many - few))) instructions"
}

cost "hook" "--timer events --events off"
cost "injected pair" "--timer events --events all"
