#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the session of a program that is killed shows.
load helper

# shown CLOCK TIMES: the kernel's row of a killed program, by this clock.
shown()
{
	export KTIME_OPTIONS="-o session --timer $1 --events all"
	run --separate-stderr under_ktime "$programs/collecting" killed
	[ "$status" -eq 137 ]
	run --separate-stderr "$built/ktime" show session
	[ "$status" -eq 0 ]
	stderr=$output$stderr
	is "$2 first" gpu_rows
}

# What an event pair holds beside its operation is measured when a program ends.
@test "a killed program's events are shown as read, and a line says so" {
	shown events '340.10us 100 3.4010us 3.4010us 3.4010us'
	says "include the event-pair overhead, which is measured when the program ends"
}

@test "a killed program's records are shown" {
	shown cupti '100.10us 100 1.0010us 1.0010us 1.0010us'
	rm session
	shown both '100.10us 100 1.0010us 1.0010us 1.0010us'
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
	grep -q "the program was killed or still runs" shown
	grep -q " 100  1.0010us" shown
}
