#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a program holds of memory, held against what the simulated device gave it.
load helper

# held WHAT [NUMBER]: runs the program; the truth is in ./truth.
held()
{
	export KTIME_OPTIONS="-f -o session ${OPTIONS-}"
	SIM_MEMORY=$PWD/truth same_as_alone "$programs/allocations" "$@"
	[ "$status" -eq 0 ]
}

# "KIND held N peak N allocations N frees N" by the profile, as in the truth.
figures()
{
	"$built/ktime" export --json - session | jq -r '.memory[] | select(.kind != "total") |
		"\(.kind) held \(.held) peak \(.peak) allocations \(.allocations) frees \(.frees)"'
}

# The line without the time of the peak, and without how many a second it was: a run of less than a
# second does not say.
line()
{
	report | sed -n 's/ at [0-9.]* [mu]*s;/;/; s/; [0-9,]* allocations a second\.$/./; /^Memory: /p'
}

@test "what is held, the most at once and what is left are the device's own figures" {
	held plain
	diff truth <(figures)
	is "device held 10485760 peak 62914560 allocations 4 frees 3" figures
	is "Memory: at most 60 MB on device 0; 1 of 4 allocations held at exit, 10 MB." line
}

@test "calls that fail change nothing of what is held" {
	held failing
	diff truth <(figures)
	is "device held 2097152 peak 2097152 allocations 2 frees 1" figures
}

@test "a program that frees all it allocates is told so" {
	held many 500
	diff truth <(figures)
	is "device held 0 peak 2172750 allocations 500 frees 500" figures
	is "Memory: at most 2.1 MB on device 0; all 500 allocations freed." line
}

@test "memory that other threads free is told as the device tells it" {
	held threads
	diff truth <(figures)
	is "Memory: at most 455 KB on device 0; 4 of 12,004 allocations held at exit, 3.9 KB." line
}

@test "every kind of memory is told as the device tells it" {
	held kinds
	diff <(sort truth) <(figures | sort)
	says ", 5.9 KB of managed memory on device 0, 31 KB of pinned host memory, 8.0 KB of registered host memory; "
	is '{"kind":"total","device":0,"held":226440,"peak":372880,"allocations":9,"frees":4}' \
		jq -c '.memory[] | select(.kind == "total") | {kind, device, held, peak, allocations, frees}' \
		<("$built/ktime" export --json - session)
}

@test "physical memory is held until its handles are released and its addresses unmapped" {
	held physical
	diff <(sort truth) <(figures | sort)
	is "pinned held 2097152 peak 2097152 allocations 1 frees 0
virtual held 4194304 peak 10485760 allocations 3 frees 2" eval 'figures | sort'
}

@test "what ends with a context is held no more, but for pools" {
	held ended
	diff <(sort truth) <(figures | sort)
	is "device held 0 peak 34603008 allocations 4 frees 4
pinned held 0 peak 8388608 allocations 1 frees 1
pool held 16777216 peak 16777216 allocations 1 frees 0" eval 'figures | sort'
}

@test "what is captured is counted as the graph's" {
	held captured
	diff truth <(figures)
	is "pool held 2097152 peak 2097152 allocations 1 frees 0" figures
	is 1 counter memory_captured
	is 0 counter memory_unknown_frees
}

@test "what graphs allocate by nodes at their launches is told as not followed" {
	held graphs
	[ ! -s truth ]
	is 6 counter memory_graphs
	is "Memory: 6 allocations by launches of graphs, which are not followed." line
	OPTIONS="--start off" held graphs
	is 6 counter memory_graphs
}

# The first kernel is launched before all of it, and once more before the third.
@test "--memory says what was largest at the peak, and where it came from" {
	OPTIONS="--memory --csv" held plain
	report >csv
	thread=$(jq -n --argjson json "$("$built/ktime" export --json - session)" '$json.memory_sites[0].thread')
	grep -q '^"device",0,10485760,1,62914560,[0-9]*,4,68157440,3$' csv || { cat csv; false; }
	is "\"device\",0,$thread,\"\",\"first\",31457280,31457280,1,0,0,1,31457280
\"device\",0,$thread,\"\",\"first\",20971520,20971520,1,0,0,1,20971520
\"device\",0,$thread,\"\",\"first\",10485760,10485760,1,10485760,1,1,10485760
\"device\",0,$thread,\"\",\"first\",5242880,0,0,0,0,1,5242880" \
		grep '^"device",0,.*first' csv
	"$built/ktime" show --memory session >text
	grep -Fq "   10 MB     60 MB  " text
	grep -Fq "   30 MB            1       0 B            1     30 MB  device memory on device 0, thread $thread, after first" text ||
		{ cat text; false; }
}

# As on a GPU, where the device says what is free.
@test "what is held changes by as much as what the device has free" {
	not_under_sanitizers "Python"
	command -v python3 >/dev/null || skip "needs python3"
	cd "$root"
	KTIME_RUNNER=tests/sim/run KTIME_BUILD=$built run python3 tests/gpu/memory.py
	[ "$status" -eq 0 ] || { echo "$output"; false; }
	[ "$(grep -c '^| driver' <<<"$output")" -eq 4 ]
}

@test "a program that allocates nothing has no line of it" {
	run --separate-stderr under_ktime "$programs/contexts" kernels
	[ -n "$stderr" ]
	[ -z "$(line)" ]
}

# By its profile, which is a period of the background thread behind at most.
@test "a killed program's figures are in its profile" {
	KTIME_OPTIONS="--gate off -f -o session" LD_PRELOAD=$built/libktime.so \
		"$root/tests/sim/run" "$programs/allocations" hold >held 2>/dev/null 3>&- &
	local pid=$!
	wait_until 60 "7 MiB in the profile" eval '[ -s held ] &&
		[ "$("$built/ktime" export --json - session 2>/dev/null | jq ".memory[0].held")" = 7340032 ]'
	kill -KILL "$pid"
	wait "$pid" || true
	[ -s held ]
	is "device held 7340032 peak 7340032 allocations 1 frees 0" figures
	"$built/ktime" show --verbose session >shown
	grep -q '1 of 1 allocations held, 7.0 MB' shown
}
