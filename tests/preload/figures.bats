#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every figure of the GPU rows, the counters, the number of each API call, and every record of the
# trace of whole runs on the simulated device, where they are exact: as in the files of figures/. To
# write them anew: FIGURES=write bats tests/preload/figures.bats
load helper

# The figures of a clock: count, total, least, most, deviation, percentiles, histogram.
rows='def figures: if . == null then "-" else
	[.count, .total, .minimum, .maximum, (.deviation * 1000 | round), .median, .p90, .p95, .p99,
		(.histogram | map("\(.from)-\(.to):\(.count)") | join(" "))] | map(tostring) | join(" ") end;
	.rows[] | select(.kind != "overhead") |
	if .kind | IN("runtime", "driver") then [.kind, .name, .calls, .failed] else
	[.kind, .name, .device, .calls, .seen_by_hooks, .failed, .graph_records, .host_included, .clock,
		(.bytes // {} | [.total, .minimum, .maximum, (.deviation // 0 | round)] | map(tostring) | join(" ")),
		(.cupti | figures), (.events | figures),
		(.check // {} | [.calls, .cupti, .events, .events_as_read, .overlapped, .unmatched,
			.median_difference] | map(tostring) | join(" ")),
		(.untimed | to_entries | map("\(.key): \(.value)") | join(", "))] end |
	map(tostring) | join("\t")'

counters='.counters | [.operations, .failed_calls, .event_pairs, .timed_by_events, .cupti_records, .cupti_dropped,
	.cupti_unread, .cupti_invalid, .cupti_unknown, .matched, .unmatched_pairs, .unmatched_records, .graph_nodes,
	.captured_calls, .events_created, .driver_errors, .cupti_errors, .threads, .gpu_ns, .trace_records,
	.trace_lost, .rows_lost] | map(tostring) | join(" ")'

# What is taken off event pairs.
overheads='.overheads | to_entries[] | "\(.key): \(.value.overhead) \(.value.calls) \(.value.standard_error)"'

# figures NAME OPTIONS PROGRAM…
figures()
{
	local name=$1
	export KTIME_OPTIONS="-f -o session --print-gpu-trace $2"
	shift 2
	run --separate-stderr under_ktime "$@"
	[ "$status" -eq 0 ]
	"$built/ktime" export --json - session >json
	{ jq -r "$rows" json | LC_ALL=C sort; jq -r "$counters" json; jq -r "$overheads" json; } >figures
	# Without correlation ids, starts and order: ktime's queries move the simulated device. Events say
	# nothing of where an operation stands among others.
	[ "$name" = events ] ||
		"$built/ktime" show --quiet --csv --print-gpu-trace -u ns session |
		awk -F, -v OFS=, 'NR > 2 { $1 = ""; sub(/,[0-9]*$/, "") } { print }' | LC_ALL=C sort >>figures
	[ -z "${FIGURES-}" ] || cp figures "$root/tests/preload/figures/$name.txt"
	diff "$root/tests/preload/figures/$name.txt" figures
}

@test "each figure of copies and kernels in three streams, by both clocks" {
	SIM_EVENT_NS=2000 SIM_KERNEL_EVENT_NS=700 figures streams "--timer both --events all" \
		"$built/workloads/saxpy" --n 100000 --streams 3 --repetitions 40
}

@test "each figure of copies and kernels in three streams, by events" {
	SIM_EVENT_NS=2000 SIM_KERNEL_EVENT_NS=700 figures events "--timer events --events all" \
		"$built/workloads/saxpy" --n 100000 --streams 3 --repetitions 6
}

@test "each figure of every entry that works the device" {
	figures entries "--timer both --events all" "$built/sim/programs/entries" dlsym
}

@test "each figure of graphs" {
	figures graph "--timer both --events all" "$built/sim/programs/graph"
}

@test "each figure of three devices" {
	SIM_DEVICES=3 figures devices "--timer both --events all" "$programs/contexts" devices
}
