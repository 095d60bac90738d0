#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A process whose CUDA calls ktime cannot see is told so in one line; others hear nothing of it.
load helper

notice="ktime cannot see this process's CUDA calls: what makes them was loaded with RTLD_DEEPBIND or dlmopen, past LD_PRELOAD; load it without to have it profiled"

# blind WAY LIBRARY LINES: what is said.
blind()
{
	same_as_alone "$programs/blind" "$1" "$2"
	[ "$status" -eq 0 ]
	is "$3" eval 'printf "%s\n" "$stderr" | sed "s/^==[0-9]*== ktime:/ktime/"'
}

@test "a plug-in opened with RTLD_DEEPBIND" {
	not_under_sanitizers "RTLD_DEEPBIND and dlmopen"
	blind deepbind "$programs/libplugin.so" "$notice"
}

@test "a plug-in in a namespace of its own" {
	not_under_sanitizers "RTLD_DEEPBIND and dlmopen"
	blind dlmopen "$programs/libplugin.so" "$notice"
}

@test "a forked child adds no line of its own" {
	not_under_sanitizers "RTLD_DEEPBIND and dlmopen"
	blind fork "$programs/libplugin.so" "$notice"
}

@test "a driver that is opened and not used" {
	not_under_sanitizers "RTLD_DEEPBIND and dlmopen"
	same_as_alone "$programs/blind" unused libcuda.so.1
	[ -z "$stderr" ]
	same_as_alone "$programs/blind" unused "$programs/libplugin.so"
	[ -z "$stderr" ]
}

@test "a process that the ktime command leaves alone" {
	not_under_sanitizers "RTLD_DEEPBIND and dlmopen"
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" sh -c \
		'"$0" deepbind "$1"; true' "$programs/blind" "$programs/libplugin.so"
	[ "$status" -eq 0 ]
	[ "$stderr" = "======== Warning: No CUDA application was profiled, exiting" ]
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes sh -c \
		'"$0" deepbind "$1"; true' "$programs/blind" "$programs/libplugin.so"
	[[ $stderr == *"cannot see this process's CUDA calls"* ]]
}
