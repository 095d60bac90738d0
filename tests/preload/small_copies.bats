#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Copies and memsets without CUPTI: those that get no event pair are only counted, and by their bytes.
load helper

# rows OPTIONS ROUNDS [captured]: what the profile says of the program's calls.
rows()
{
	KTIME_OPTIONS="--verbose -f -o session --timer events $1" run --separate-stderr \
		under_ktime "$programs/small_copies" "${@:2}"
	[ "$status" -eq 0 ]
	"$built/ktime" export --json - session | jq -c '[.rows[] | select(.kind != "kernel" and .kind != "graph") |
		[.kind, .name, .calls, .bytes.total, .bytes.minimum, .bytes.maximum]] | sort[]'
}

expected()
{
	local n=$1

	cat <<-END
	["driver","cuMemcpyDtoDAsync",$n,null,null,null]
	["driver","cuMemcpyDtoH",$n,null,null,null]
	["driver","cuMemcpyHtoDAsync",$((2 * n)),null,null,null]
	["driver","cuMemsetD8Async",$n,null,null,null]
	["memcpy","[CUDA memcpy DtoD]",$n,$((4096 * n)),4096,4096]
	["memcpy","[CUDA memcpy DtoH]",$((2 * n)),$((80 * n)),16,64]
	["memcpy","[CUDA memcpy HtoD]",$((3 * n)),$((4228 * n)),32,4096]
	["memcpy","[CUDA memcpy HtoH]",$n,$((8 * n)),8,8]
	["memset","[CUDA memset]",$n,$((1000 * n)),1000,1000]
	["runtime","cudaMemcpy",$((3 * n)),null,null,null]
	["runtime","cudaMemcpyAsync",$n,null,null,null]
	END
}

@test "counted copies and memsets have the calls, bytes and rows of recorded ones" {
	for options in "--events off" "--events 1/1000000" "--events 1/10" "--budget 1"; do
		rows "$options" 500 | grep -vE '"cu(LaunchKernel|GraphLaunch)' >got
		expected 500 | diff - got
		# The sizes differ by as much.
		is '[1900.5966784,24.012009]' eval '"$built/ktime" export --json - session | jq -c "
			[.rows[] | select(.name == \"[CUDA memcpy HtoD]\" or .name == \"[CUDA memcpy DtoH]\") |
				.bytes.deviation * 1e7 | round / 1e7] | sort | reverse"'
	done
}

@test "a sample of the copies has pairs, and the others are told as left out" {
	rows "--events 1/10" 500 >/dev/null
	"$built/ktime" export --json - session | jq -e '[.rows[] | select(.kind == "memcpy" or .kind == "memset")] |
		length == 5 and all(.[]; .events.count > 0 and
			.events.count + .untimed["left out by sampling"] == .calls)'
	grep -qE 'Timing: CUDA events on [0-9]+ of 4,500 operations' <<<"$stderr"
}

@test "the host's time of a copy's row is estimated by one call in 32" {
	rows "--events off" 500 >/dev/null
	"$built/ktime" export --json - session | jq -e '[.rows[] | select(.name | test("Mem(cpy|set)"))] |
		length == 6 and all(.[]; .cupti.count == .calls and .cupti.total > 0)'
}

@test "a capture takes its copies out of the counts" {
	rows "--events off" 100 captured | grep -E '"mem(cpy|set)"' >got
	expected 100 | grep -E '"mem(cpy|set)"' | diff - got
}

@test "a trace has every copy, as nothing is only counted then" {
	rows "--events all --print-gpu-trace" 100 >/dev/null
	is 900 eval '"$built/ktime" export --json - session |
		jq "[.trace[] | select(.kind == \"memcpy\" or .kind == \"memset\" or .kind == \"kernel\")] | length"'
}

@test "with --start off copies are counted apart, without bytes" {
	rows "--start off --events off" 100 | grep '"memcpy"' >got || true
	"$built/ktime" export --json - session | jq -e '[.rows[] | select(.name == "[CUDA memcpy HtoD]")] |
		length == 1 and all(.[]; .calls == 0 and .calls_outside == 300 and .bytes == null)'
}
