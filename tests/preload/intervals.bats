#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Totals that are estimated from a sample of event pairs, in programs whose true total is known. How often
# their intervals hold it, for many shapes and lengths: `make coverage`.
load helper

# holds SHAPE CALLS RUNS: no interval misses the truth, and there is one.
holds()
{
	local seed truth claimed=0

	export KTIME_OPTIONS="--timer events --quiet -f -o session"
	for seed in $(seq "$3"); do
		truth=$(under_ktime "$built/sim/preload/shapes" "$2" 2000 "$1" "$seed")
		"$built/ktime" export --json - session >json
		jq -e --argjson truth "$truth" '.rows[] | select(.kind == "kernel") |
			.calls == '"$2"' and (.events.count == .calls or .estimate.error == null or
				(.estimate.total - $truth | fabs) <= .estimate.error)' json
		claimed=$((claimed + $(jq '[.rows[] | select(.kind == "kernel" and .estimate.error != null)] | length' json)))
	done
	[ "$claimed" -gt 0 ]
}

@test "an interval holds the total of a short run whose durations change amid it" {
	holds step 5000 6
}

@test "an interval holds the total of a run that begins slowly" {
	holds warm-up 2000 4
}
