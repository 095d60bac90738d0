#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ktime's threads and waits take of the program, and the program's settings of them: nothing.
load helper

# Time is what libc says of it, and no sleep of libc's ends.
with_stopped_time()
{
	LD_PRELOAD=$built/libktime.so:$programs/libstopped.so run --separate-stderr \
		timeout -k 1 60 "$root/tests/sim/run" "$@"
}

@test "time stands still for the program, and not for ktime" {
	not_under_sanitizers "it waits by functions that the preload replaces"
	local timer
	for timer in auto events; do
		KTIME_OPTIONS="--timer $timer -o profile -f" with_stopped_time "$programs/endings" return
		[ "$status" -eq 3 ] || { echo "$timer: $status"; return 1; }
		session_rows profile | grep -q "^kernel	first	10	" || { session_rows profile; return 1; }
		[ "$(counter wall_ns profile)" -gt 0 ]
		# Some milliseconds; as much as libc's clock says it is since 1970 would be decades.
		[ "$(counter wall_ns profile)" -lt 60000000000 ]
	done
}

@test "time stands still, and a signal and _exit end the program with its report" {
	not_under_sanitizers "it waits by functions that the preload replaces"
	with_stopped_time "$programs/signalled" counts 2 self
	[ "$status" -eq 143 ]
	[ "$(reports)" -eq 1 ]
	with_stopped_time "$programs/endings" _exit
	[ "$status" -eq 3 ]
	[ "$(reports)" -eq 1 ]
}
