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

# In the background, with its standard output in `out`; waits until it says that it is ready.
start()
{
	rm -f out
	(export LD_PRELOAD=$built/libktime.so; exec "$root/tests/sim/run" "$programs/guest" "$@") >out 2>report &
	process=$!
	wait_until 60 "ready from $*" grep -q ready out || { cat out report; return 1; }
}

# Its status, which it leaves within a minute.
end()
{
	wait_until 60 "the program's end" has_ended $process || { kill -9 $process; return 1; }
	status=0
	wait $process || status=$?
}

@test "a real-time thread that computes without a pause on one processor is ended by a signal, with the report" {
	start realtime
	kill -TERM $process
	end
	[ "$status" -eq 143 ]
	# Where such threads hold all processors, the collector may not have run within the 0.3 s that the
	# end waits for it: what it has not taken is counted.
	[ "$(gpu_rows report | awk '{ print $2, $6 }')" = "100 first" ] ||
		grep "program ended: 100 operations are missing above" report
}

@test "ktime's threads have nothing of the thread that starts them" {
	not_under_sanitizers "its own threads have ktime's name"
	KTIME_OPTIONS="--budget 5 --energy --prometheus metrics.prom" run --separate-stderr \
		under_ktime "$programs/guest" threads 5
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	is "0 $(nproc) blocked" eval 'cut -d" " -f1-3 <<<"$output" | sort -u'
	[ "$(wc -l <<<"$output")" -eq 5 ]
}

# way_and_signal WAY NAME: the program gets the signal and leaves in order.
way_and_signal()
{
	local signal=$(kill -l $2)
	start $1 0
	kill -$signal $process
	end
	[ "$status" -eq 4 ] || { echo "$1 $2: $status"; return 1; }
	[ "$(tail -n 1 out)" = $signal ]
	[ "$(gpu_rows report | awk '{ print $2, $6 }')" = "100 first" ]
}

@test "a signal that the program blocks is the program's to wait for" {
	local way signal
	for way in sigwait signalfd sigwait_late sigwait_gone signalfd_gone sigwait_late_gone; do
		way_and_signal $way TERM
	done
	for signal in HUP USR1 RTMIN ILL SEGV; do
		way_and_signal sigwait_gone $signal
	done
}

@test "between cuInit and its next call a program has one thread, as for a user namespace of its own" {
	not_under_sanitizers "its own thread is one too many"
	local options
	for options in "--timer auto" "--timer events" "--budget 5"; do
		KTIME_OPTIONS=$options same_as_alone "$programs/guest" unshare
		[ "$status" -eq 0 ]
		is "100 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
	done
}

@test "a program that calls cuInit and no more has an empty report" {
	same_as_alone "$programs/guest" init
	[ "$(reports)" -eq 1 ]
	says "No kernels were profiled."
}

@test "a program that has all its memory locked does not pay for what ktime reserves" {
	not_under_sanitizers "it reserves terabytes itself"
	local alone
	run --separate-stderr alone "$programs/guest" locked
	[ "$status" -eq 0 ] || skip "as much memory may not be locked here"
	alone=$(awk '/^locked/ { print $2 }' <<<"$stderr")
	same_as_alone "$programs/guest" locked
	[ "$status" -eq 0 ]
	is "100 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
	# Stacks, what malloc reserves for a thread, and what the simulated device takes for ktime.
	[ $(($(awk '/^locked/ { print $2 }' <<<"$stderr") - alone)) -lt 262144 ]
}

@test "a program that sandboxes itself has its whole report, and leaves no profile" {
	not_under_sanitizers "it opens files of /proc"
	local options
	for options in "" "--timer events" "--budget 5"; do
		rm -f report
		KTIME_OPTIONS="--log-file report $options" same_as_alone "$programs/guest" sandbox
		[ "$status" -eq 0 ]
		[ -z "$stderr" ] || { echo "$stderr"; return 1; }
		[ "$(gpu_rows report | awk '{ print $2, $6 }' | sort)" = $'1 second\n100 first' ]
		[ -z "$(ls run)" ]
	done
	for options in "" "--timer events" "--budget 5"; do
		rm -f report
		KTIME_OPTIONS="--log-file report $options" same_as_alone "$programs/guest" sandbox_killing
		[ "$status" -eq 0 ]
		[ "$(gpu_rows report | awk '{ print $2, $6 }' | sort)" = $'1 second\n100 first' ]
	done
	KTIME_OPTIONS="--log-file early" same_as_alone "$programs/guest" sandbox_early
	[ "$(gpu_rows early | awk '{ print $2, $6 }')" = "100 first" ]
}
