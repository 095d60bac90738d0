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

# The line without the time of the peak.
line()
{
	report | sed -n 's/ at [0-9.]* [mu]*s;/;/; /^Memory: /p'
}

@test "what is held, the most at once and what is left are the device's own figures" {
	held plain
	diff truth <(figures)
	is "device held 10485760 peak 62914560 allocations 4 frees 3" figures
	is "Memory: at most 60 MB on device 0; 1 of 4 allocations not freed, 10 MB." line
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
	is "Memory: at most 455 KB on device 0; 4 of 12,004 allocations not freed, 3.9 KB." line
}

@test "a program that allocates nothing has no line of it" {
	run --separate-stderr under_ktime "$programs/contexts" kernels
	[ -n "$stderr" ]
	[ -z "$(line)" ]
}

# By its profile, which is a period of the background thread behind at most.
@test "a killed program's figures are in its profile" {
	KTIME_OPTIONS="-f -o session" under_ktime "$programs/allocations" hold >held 2>/dev/null &
	local pid=$!
	until [ -s held ] && [ "$("$built/ktime" export --json - session 2>/dev/null |
		jq '.memory[0].held')" = 7340032 ]; do
		sleep 0.05
	done
	kill -KILL "$pid"
	wait "$pid" || true
	is "device held 7340032 peak 7340032 allocations 1 frees 0" figures
	"$built/ktime" show session >shown
	grep -q '1 of 1 allocations held, 7.0 MB' shown
}
