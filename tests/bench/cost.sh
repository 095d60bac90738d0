#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Instructions that ktime adds to the thread that launches, per launch, on the simulated device:
# libktime.so's own and what it spends in the C library, counted by callgrind. And what of it is for
# busy and idle (preload/timeline, report/session/idle_split.c), there and on ktime's own threads. Two runs that differ in their launches alone are
# subtracted, so that what a run costs once drops out.
#
# usage: cost.sh [--functions]   (from the root of the tree, after `make cost-program`)
# --functions also says which functions they are spent in.
set -euo pipefail

build=${BUILD:-build}
program=$build/bench/launch_path
few=800
many=2400
here=$(dirname "$0")

command -v valgrind >/dev/null || { echo "cost.sh: valgrind is not installed" >&2; exit 1; }
what=
directory=$(mktemp -d "${TMPDIR:-/tmp}/ktime-cost.XXXXXX")
trap 'rm -rf "$directory"' EXIT

# Profiles a run in $directory/callgrind-01 (the first thread's). Arguments: options, launches; $what says
# what they are.
#
# valgrind 3.19 dies of a file that is mapped piece by piece (an assertion in its aspacemgr), so
# folders take the places of the session's file: the session is then in memory alone.
profile() {
	local process status=0

	rm -f "$directory"/callgrind*
	XDG_RUNTIME_DIR=$directory KTIME_OPTIONS="--verbose $1" LD_PRELOAD=$PWD/$build/libktime.so bash -c '
		mkdir "$XDG_RUNTIME_DIR/ktime.$$" "/dev/shm/ktime.$$"
		exec "$@"' - tests/sim/run valgrind --tool=callgrind --separate-threads=yes \
		--callgrind-out-file="$directory/callgrind" "$program" "$2" $what \
		>"$directory/output" 2>&1 &
	process=$!
	wait $process || status=$?
	rmdir "/dev/shm/ktime.$process"
	[ $status -eq 0 ] || { cat "$directory/output" >&2; exit 1; }
}

instructions() {
	profile "$1" "$2"
	awk -v object='libktime[.]so' -f "$here/callgrind_objects.awk" "$directory/callgrind-01"
}

# How many of the launches got a pair of events, by ktime's own report.
timed() {
	tr -d , <"$directory/output" | sed -n 's/.*Timing: .*[^0-9]\([0-9]*\) of [0-9]* .*/\1/p; s/.*Timing: .*all \([0-9]*\) GPU .*/\1/p'
}

functions() {
	callgrind_annotate --threshold=100 --tree=none "$directory/callgrind-01" | tr -d , |
		awk -v launches="$many" '/libktime\.so|preload\// && !/x\)/ && $1 / launches >= 1 {
			sub(/\[.*/, ""); printf "    %6.1f  %s\n", $1 / launches, $NF }'
}

# Arguments: what is counted, options, the least part of the launches that has a pair, in percent.
cost() {
	local first second timed

	first=$(instructions "$2" $few)
	second=$(instructions "$2" $many)
	timed=$(timed)
	if [ "${timed:-0}" -lt $((many * $3 / 100)) ]; then
		echo "cost.sh: $1: only ${timed:-0} of $many launches were timed" >&2
		exit 1
	fi
	echo "$1 $(((second - first) / (many - few))) instructions"
	[ -z "$show_functions" ] || functions
}

# Those in sources whose paths match, on the first thread, and on all others.
in_folder() {
	awk -v folder="$1" -f "$here/callgrind_files.awk" "$directory/callgrind-01"
	cat "$directory"/callgrind-0[2-9] | awk -v folder="$1" -f "$here/callgrind_files.awk"
}

# Arguments: what is counted, options, a regular expression of paths.
cost_of_folder() {
	local first second

	profile "$2" $few
	first=($(in_folder "$3"))
	profile "$2" $many
	second=($(in_folder "$3"))
	if [ "${second[1]}" -eq 0 ]; then
		echo "cost.sh: $1: nothing was done in $3" >&2
		exit 1
	fi
	echo "$1 $(((second[0] - first[0]) / (many - few))) instructions," \
		"$(((second[1] - first[1]) / (many - few))) on ktime's threads"
}

case "${1:-}" in
--functions) show_functions=1 ;;
"") show_functions= ;;
*) echo "usage: $0 [--functions]" >&2; exit 2 ;;
esac
cost "off" "--start off" 0
cost "only counted" "--timer events --events off" 0
cost "only counted, after a draw" "--timer events --events 1/1000000 --gate off" 0
what=copy cost "only counted copy, after a draw" "--timer events --events 1/1000000 --gate off" 0
cost "injected pair" "--timer events --events 1/1 --gate off" 95
cost "gated pair" "--timer events --events 1/1" 95
cost "launch under CUPTI" "--timer cupti" 95
cost_of_folder "of it busy and idle" "--timer cupti" 'preload/timeline/|report/session/idle_split'
