#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The counter of what each device holds in an exported timeline: each change that the simulated device
# made, with its bytes and its time, by a build of ktime whose host clock is the device's.
load helper

# hold PROGRAM [ARGUMENT…]: runs it; the device's changes are in ./truth, the profile is ./session.
# Without event pairs, whose calibration a call that frees memory may have to wait for.
hold()
{
	rm -f truth
	SIM_HELD=$PWD/truth KTIME_OPTIONS="--timer cupti --keep-trace all -f -o session ${OPTIONS-}" \
		LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" "$@" >/dev/null 2>report
	[ -s truth ]
}

# "TIME DEVICE BYTES" of a file for Perfetto.
of_perfetto()
{
	protoc -I "$root/tests/command" --decode=perfetto.protos.Trace perfetto.proto <"$1" |
		python3 "$root/tests/command/read_perfetto.py" | awk -F '\t' '$1 == "counter" && $4 == "Memory held" {
			sub("GPU ", "", $3); sub(":.*", "", $3); print $5, $3, $6 }'
}

# The lines of truth and those of standard input side by side, by device and bytes.
side_by_side()
{
	paste -d ' ' <(sort -n -k 2 -k 3 -k 1 truth) <(sort -n -k 2 -k 3 -k 1)
}

# "DEVICE BYTES" of a timeline for Chrome, in its order.
of_chrome()
{
	"$built/ktime" export "$@" --chrome - session | jq -r '.traceEvents[] |
		select(.ph == "C" and .name == "Memory held") | "\(.pid) \(.args.bytes)"'
}

@test "each change is in the timeline, when and as the device made it" {
	local way
	command -v protoc >/dev/null || skip "no protoc here (protobuf-compiler)"
	for way in plain failing kinds physical captured "many 500"; do
		hold "$programs/allocations" $way
		"$built/ktime" export -f --perfetto perfetto session
		diff <(cut -d ' ' -f 2- truth) <(of_chrome) || { echo "of $way"; false; }
		# What a call frees is counted from its begin on.
		of_perfetto perfetto | side_by_side |
			awk '$2 != $5 || $3 != $6 || $4 > $1 || $4 < $1 - 4802 { print; bad = 1 } END { exit bad }' ||
			{ echo "of $way"; false; }
		is "$(sort -n -r -k 3 truth | head -n 1)" eval 'of_perfetto perfetto | sort -n -r -k 3 | head -n 1'
	done
}

@test "devices have counters of their own" {
	export SIM_DEVICES=2
	hold "$programs/timeline" m k,5000 d,1 m k,5000 f m
	diff <(cut -d ' ' -f 2- truth) <(of_chrome)
	is "0
1" eval "cut -d ' ' -f 2 truth | sort -u"
}

@test "what ends with a context leaves the counter at once" {
	hold "$programs/allocations" ended
	is "$(tail -n 1 truth | cut -d ' ' -f 3)" eval 'of_chrome | tail -n 1 | cut -d " " -f 2'
	is "$(cut -d ' ' -f 3 truth | sort -n | tail -n 1)" eval 'of_chrome | cut -d " " -f 2 | sort -n | tail -n 1'
}

@test "neither a trace of API calls alone nor a table has them" {
	hold "$programs/allocations" plain
	is "$(wc -l <truth)" eval 'of_chrome | wc -l'
	is "$(of_chrome | wc -l)" eval '"$built/ktime" export --json - session |
		jq ".counters.trace_records - (.trace | length)"'
	OPTIONS="--trace api" hold "$programs/allocations" plain
	is 0 eval 'of_chrome | wc -l'
}

@test "a merged profile has each process's" {
	local rank
	for rank in 0 1; do
		PMI_RANK=$rank PMI_SIZE=2 hold "$programs/allocations" $([ $rank = 0 ] && echo plain || echo kinds)
		mv session.* $rank.ktime
		cut -d ' ' -f 2- truth >$rank.truth
	done
	"$built/ktime" merge -o session 0.ktime 1.ktime
	"$built/ktime" export --chrome - session | jq -r '.traceEvents[] | select(.ph == "C") |
		"\((.pid - 1073741824) % 64) \(.args.bytes)"' | diff <(cat 0.truth 1.truth) -
}
