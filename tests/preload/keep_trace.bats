#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which records of a trace stay, where it keeps the newest of a size or of a time: the exact ones, by a
# build of ktime whose host clock is the simulated device's. 40,000 kernels, one each 3400 ns. A segment
# of 1 MiB holds 8737 records, one of 64 KiB 545.
load helper

# starts LIMIT: of the records that stay.
starts()
{
	SIM_KERNEL_NS='*=1000' KTIME_OPTIONS="--gate off --timer cupti --trace gpu --keep-trace $1 -f -o session" \
		LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" \
		"$programs/collecting" many >/dev/null 2>&1
	"$built/ktime" export --chrome - session | jq '.traceEvents[] | select(.ph == "X") | .ts'
}

setup_file()
{
	XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR
	cd "$BATS_FILE_TMPDIR"
	starts all >all
}

# keep LIMIT: runs it, and leaves the records' starts in ./kept.
keep()
{
	starts "$1" >kept
	# Times are told from the first record on.
	tail -n "$(wc -l <kept)" "$BATS_FILE_TMPDIR/all" | awk 'NR == 1 { first = $1 } { printf "%.3f\n", $1 - first }' >newest
	awk '{ printf "%.3f\n", $1 }' kept | diff -q newest - || { echo "not the newest"; return 1; }
	is "$(wc -l <kept) $((40000 - $(wc -l <kept)))" jq -r '.counters | "\(.trace_records) \(.trace_lost)"' \
		<("$built/ktime" export --json - session)
}

@test "with a time, segments stay whose newest record is not older than that" {
	local apart=$((8737 * 3400))
	# Of four full segments, and 5052 records in the fifth.
	keep $((2 * apart))ns
	is $((3 * 8737 + 5052)) eval 'wc -l <kept'
	keep ${apart}ns
	is $((2 * 8737 + 5052)) eval 'wc -l <kept'
	keep $((apart - 1))ns
	is $((8737 + 5052)) eval 'wc -l <kept'
	keep 100s
	is 40000 eval 'wc -l <kept'
}

@test "with a time, a file grows no larger than its newest records need" {
	keep 1ns
	is $((8737 + 5052)) eval 'wc -l <kept'
	is 3 eval 'expr \( $(stat -c %s session) - 1 \) / 1048576 + 1'
}

@test "with a size, the newest segments of that size stay" {
	keep 4M
	is $((3 * 8737 + 5052)) eval 'wc -l <kept'
	keep 256K
	# 74 segments were full before the last.
	is $((3 * 545 + (40000 - 73 * 545))) eval 'wc -l <kept'
	keep 8M
	is 40000 eval 'wc -l <kept'
}

@test "--from and --to choose among what is left, whatever order the segments are in" {
	keep 256K
	"$built/ktime" export --from 1ms --to 2ms --chrome - session |
		jq '.traceEvents[] | select(.ph == "X") | .ts' | awk '{ printf "%.3f\n", $1 }' >part
	awk '{ printf "%.3f\n", $1 }' kept | awk '$1 + 1 >= 1000 && $1 <= 2000' | diff - part
	[ -s part ]
}
