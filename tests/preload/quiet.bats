#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A process that never uses CUDA does not notice ktime.
load helper

@test "a program without CUDA ends as it would, and nothing is said" {
	same_as_alone /bin/true
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	same_as_alone /bin/false
	[ "$status" -eq 1 ]
	[ -z "$output$stderr" ]
}

@test "a shell pipeline gives what it gives" {
	same_as_alone sh -c 'printf "b\na\n" | sort | tr a-z A-Z; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = $'A\nB' ]
	[ -z "$stderr" ]
}

@test "python3 starts and ends as it would" {
	same_as_alone python3 -c pass
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	same_as_alone python3 -c 'import os; os._exit(9)'
	[ "$status" -eq 9 ]
	[ -z "$output$stderr" ]
}

@test "a program that has closed its standard error ends as it would" {
	same_as_alone bash -c 'exec 2>&-; echo out; exit 4'
	[ "$status" -eq 4 ]
	[ "$output" = out ]
	same_as_alone bash -c 'exec 2>&-; exec "$@"' bash "$built/sim/workloads/saxpy" --n 1024
	[ "$status" -eq 0 ]
	# The report has no other place.
	"$built/ktime" show "$XDG_RUNTIME_DIR"/ktime.* >shown
	grep -q '^ GPU activities:' shown
	"$built/ktime" clean "$XDG_RUNTIME_DIR"/ktime.*
}

@test "no session file is made without CUDA" {
	run --separate-stderr env -u XDG_RUNTIME_DIR LD_PRELOAD="$built/libktime.so" \
		sh -c 'ls /dev/shm/ktime.$$'
	[ "$status" -ne 0 ]
}
