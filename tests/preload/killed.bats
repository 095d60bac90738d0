#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The session of a program that is killed shows the same times as that of one that ends.
load helper

# shown CLOCK: the kernel's row of a killed program, by this clock.
shown()
{
	export KTIME_OPTIONS="-o session --timer $1 --events all"
	run --separate-stderr under_ktime "$programs/collecting" killed
	[ "$status" -eq 137 ]
	run --separate-stderr "$built/ktime" show session
	[ "$status" -eq 0 ]
	stderr=$output$stderr
	is '100.10us 100 1.0010us 1.0010us 1.0010us first' gpu_rows
}

@test "a killed program's events are shown with their overhead taken off" {
	shown events
}

@test "a killed program's records are shown" {
	shown cupti
	rm session
	shown both
}

@test "showing an unfinished session leaves the file as it is" {
	export KTIME_OPTIONS="-o session --timer events"
	run under_ktime "$programs/collecting" killed
	sha256sum session >before
	"$built/ktime" show session >/dev/null 2>&1
	sha256sum -c --quiet before
}

@test "a session whose end is missing is told from a file that is none" {
	KTIME_OPTIONS="-o session" under_ktime "$built/workloads/saxpy" --n 1024 2>/dev/null
	for size in 100 100000; do
		head -c $size session >short
		run "$built/ktime" show short
		[ "$status" -eq 1 ]
		[ "$output" = "ktime: short: a ktime profile that is cut short" ]
		run "$built/ktime" diff session short
		[ "$output" = "ktime: short: a ktime profile that is cut short" ]
	done
}

# su and containers leave the variable without its folder.
@test "a killed program's session is kept where XDG_RUNTIME_DIR does not exist" {
	XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/none run --separate-stderr under_ktime \
		"$programs/collecting" killed
	[ "$status" -eq 137 ]
	process=$(sed -nE 's/^==([0-9]+)== ktime is profiling.*/\1/p' <<<"$stderr")
	mv "/dev/shm/ktime.$process" session
	"$built/ktime" show session >shown
	grep -q "The program was killed or is still running" shown
	grep -q " 100  1.0010us" shown
}
