#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that are built with a sanitizer: its first look-ups come before libc's functions may be
# called, and it watches what ktime does through these.
load helper

# sanitized COMPILER-SANITIZER [LIBRARY TO PRELOAD BEFORE KTIME]
sanitized()
{
	not_under_sanitizers "each of these programs has one of its own"
	# The simulated driver's leaks are its own; the address sanitizer wants to be first.
	export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
	run --separate-stderr alone "$programs/sanitized_$1"
	[ "$status" -eq 0 ]
	sort <<<"$output" >alone.out
	LD_PRELOAD=${2:+$2:}$built/libktime.so run --separate-stderr "$root/tests/sim/run" \
		"$programs/sanitized_$1"
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	diff alone.out <(sort <<<"$output")
	says "all 9 GPU operations timed"
	[ -z "$(grep -E "Sanitizer|runtime error" <<<"$stderr")" ]
}

@test "gcc's address sanitizer" {
	sanitized gcc-address
}

@test "gcc's address sanitizer, preloaded before ktime" {
	sanitized gcc-address "$(gcc -print-file-name=libasan.so)"
}

@test "gcc's thread sanitizer" {
	sanitized gcc-thread
}

@test "gcc's thread sanitizer, preloaded before ktime" {
	sanitized gcc-thread "$(gcc -print-file-name=libtsan.so)"
}

@test "gcc's undefined behaviour sanitizer" {
	sanitized gcc-undefined
}

@test "clang's address sanitizer" {
	sanitized clang-address
}

@test "clang's thread sanitizer" {
	sanitized clang-thread
}

@test "clang's memory sanitizer" {
	sanitized clang-memory
}
