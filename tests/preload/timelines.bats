#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The timelines of a job's processes: each process's file, and all of them as one.

load helper

# job RANKS COUNT: the profiles of RANKS ranks, with traces, all on the simulated device's clock.
job()
{
	local rank
	for ((rank = 0; rank < $1; rank++)); do
		PMI_RANK=$rank PMI_SIZE=$1 SIM_LAUNCH_NS=4000 KTIME_OPTIONS="--timer cupti --keep-trace all -o run" \
			LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" "$programs/ranked" "$2" 2>/dev/null
	done
}

@test "Perfetto files of two ranks, one behind the other, are the merged profile's" {
	command -v protoc >/dev/null || skip "no protoc here (protobuf-compiler)"
	read_trace() {
		protoc -I "$root/tests/command" --decode=perfetto.protos.Trace perfetto.proto |
			python3 "$root/tests/command/read_perfetto.py"
	}
	job 2 3
	"$built/ktime" merge -o all.ktime run.*.ktime
	for rank in 0 1; do
		"$built/ktime" export --perfetto $rank.trace run.$rank.ktime
		read_trace <$rank.trace >$rank.lines
		[ "$(grep -c ^slice $rank.lines)" -eq \
			"$("$built/ktime" export --json - run.$rank.ktime | jq '.trace | length')" ]
		grep -q ^flow $rank.lines
	done
	cat 0.trace 1.trace | read_trace >both
	LC_ALL=C sort 0.lines 1.lines | diff - <(LC_ALL=C sort both)
	"$built/ktime" export --perfetto - all.ktime | read_trace | diff both -
	[ "$(grep ^slice both | cut -f 2 | sort -u)" = "rank 0 on $(hostname): ranked
rank 1 on $(hostname): ranked" ]
	# So are compressed ones.
	for rank in 0 1; do "$built/ktime" export --perfetto $rank.gz run.$rank.ktime; done
	cat 0.gz 1.gz | gzip -dc | cmp - <(cat 0.trace 1.trace)
}

@test "a merged timeline says how exact times between its processes are" {
	command -v protoc >/dev/null || skip "no protoc here (protobuf-compiler)"
	job 2 3
	"$built/ktime" merge -o all.ktime run.*.ktime
	local expected
	expected=$("$built/ktime" show all.ktime | sed -n 's/^=* Clocks: \(.*\)\.$/\1/p')
	[[ "$expected" = "the ends of a collective on its processes lie "*" at most; waiting times may be off by that" ]]
	is "$expected" jq -r .job.clocks <("$built/ktime" export --json - all.ktime)
	is "$expected" jq -r .otherData.clocks <("$built/ktime" export --chrome - all.ktime)
	labels() {
		"$built/ktime" export --perfetto - "$1" |
			protoc -I "$root/tests/command" --decode=perfetto.protos.Trace perfetto.proto |
			sed -n 's/^ *process_labels: "\(.*\)"$/\1/p'
	}
	is "$expected"$'\n'"$expected" labels all.ktime
	[ -z "$(labels run.0.ktime)" ]
	is null jq .otherData.clocks <("$built/ktime" export --chrome - run.0.ktime)
}
