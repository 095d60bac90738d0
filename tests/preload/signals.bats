# SPDX-License-Identifier: MIT
# Programs that a signal ends while they launch: the report, its counts, and the status.
# SIGNAL_RUNS (2) says how often each way is tried; the times from the signal to the end go to the
# file SIGNAL_TIMES, in ms.
load helper

runs=${SIGNAL_RUNS:-2}

# launches: the sum of the program's own counts, 64-bit words.
launches()
{
	od -An -v -t u8 counts | awk '{ for (i = 1; i <= NF; i++) sum += $i } END { print sum + 0 }'
}

# The program itself in the background, not a shell that waits for it.
background()
{
	(export LD_PRELOAD=$built/libktime.so; exec "$root/tests/sim/run" "$programs/signalled" counts "$@") \
		>program.out 2>report &
	process=$!
}

# ThreadSanitizer keeps a signal back until the thread's next call of libc's, which these never make.
setup()
{
	folder_of_its_own
	[ "${SANITIZE-}" != thread ] || skip "ThreadSanitizer delays signals"
}

# wait_for_launches TEST NUMBER: a comparison of test(1) with the launches so far.
launches_are()
{
	[ -s counts ] && [ "$(launches)" "$1" "$2" ]
}

wait_for_launches()
{
	wait_until 60 "launches $*" eval "launches_are $* || has_ended $process" && launches_are "$@" ||
		{ cat report || true; return 1; }
}

# Starts signalled with THREADS and WAY; waits until each thread has launched a hundred times.
start()
{
	rm -f counts
	background "$@"
	wait_for_launches -gt $((100 * $1))
}

# The calls of the table's row, a kernel's or a graph's, and those said to be missing.
reported()
{
	report report | awk -v of="$1" '
		/^ *API calls:/ { exit }
		{ sub(/s +([0-9.]+%|[?]) +/, "s ") }
		/GPU activities:|CUDA graphs:/ { sub(/^ *[A-Za-z ]*:/, "") }
		index($0, of) && $1 ~ /%$|^-$/ && !found { calls = $3; found = 1 }
		END { print calls + 0 }'
	sed -n 's/.*: \([0-9,]*\) operations are missing.*/\1/p' report | tr -d ,
}

# send SIGNAL [TARGET]: to the program or a process group, and waits for the program's end. Its status
# is in $status.
send()
{
	local sent=$(date +%s%N)
	kill -s "$1" -- "${2:-$process}"
	wait_until 60 "the program's end by SIG$1" has_ended "$process" || kill -s KILL "$process"
	[ -z "${SIGNAL_TIMES-}" ] ||
		echo "$((($(date +%s%N) - sent) / 1000000)) $1 $BATS_TEST_DESCRIPTION" >>"$SIGNAL_TIMES"
	status=0
	wait "$process" || status=$?
}

# ended SIGNAL THREADS [ROW]: after send. The process died of the signal, with one report whose
# counts are the program's: a launch of each thread may have been in the driver.
ended()
{
	local launched counted
	[ "$status" -eq $((128 + $(kill -l "$1"))) ] || { echo "status $status"; cat report; return 1; }
	[ "$(report report | grep -c '^Profiling result:')" -eq 1 ] || { cat report; return 1; }
	launched=$(launches)
	counted=$(reported "${3:-first}" | awk '{ sum += $1 } END { print sum }')
	[ "$counted" -ge $((launched - $2)) ] && [ "$counted" -le $((launched + $2)) ] ||
		{ echo "counted $counted, launched $launched"; cat report; return 1; }
}

# by SIGNAL THREADS WAY ROW
by()
{
	local run
	for ((run = 0; run < runs; run++)); do
		start "$2" ${3:+"$3"}
		send "$1"
		ended "$1" "$2" "${4:-first}"
	done
}

@test "Ctrl-C on a program that launches without end" {
	by INT 1
}

@test "SIGTERM on a program that launches without end" {
	by TERM 1
}

@test "a signal to programs of four and of sixteen threads" {
	by INT 4
	by TERM 16
}

@test "a signal while events alone time" {
	export KTIME_OPTIONS="--timer events"
	by TERM 1
	by INT 4
}

# Thousands of kernels of 1 ms each, of which most have not begun.
@test "a signal while the queue is full of long kernels" {
	export SIM_KERNEL_NS='first=1000000'
	by INT 1
	by TERM 1
	KTIME_OPTIONS="--timer events" by TERM 1
}

@test "a signal while a trace is written" {
	local run signal
	export KTIME_OPTIONS="--print-gpu-trace"
	for ((run = 0; run < runs; run++)); do
		for signal in INT TERM; do
			start 1 sleep
			send $signal
			[ "$status" -eq $((128 + $(kill -l $signal))) ]
			[ "$(grep -c ' first ' report)" -ge $(($(launches))) ]
		done
	done
}

@test "a signal while graphs are launched" {
	by INT 1 graph "[CUDA graph 1]"
	by TERM 1 graph "[CUDA graph 1]"
}

@test "a signal that the program raises itself" {
	run --separate-stderr under_ktime "$programs/signalled" counts 1 self
	[ "$status" -eq 143 ]
	[ "$(reports)" -eq 1 ]
	[ "$(launches)" -eq 1000 ]
	is "1000 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
}

@test "one signal to several launching threads at once" {
	run --separate-stderr under_ktime "$programs/signalled" counts 8 signals
	[ "$status" -eq $((128 + $(kill -l USR1))) ]
	[ "$(reports)" -eq 1 ]
}

# As by timeout(1), or a script's `kill -- -GROUP`: ktime passes on what the program has already.
@test "a signal to the process group of ktime and its program is one" {
	local run signal
	for ((run = 0; run < runs; run++)); do
		for signal in INT TERM; do
			rm -f counts
			setsid "$built/ktime" "$root/tests/sim/run" "$programs/signalled" counts 1 \
				>program.out 2>report &
			process=$!
			wait_for_launches -gt 100
			send $signal -$process
			ended $signal 1
		done
	done
}

@test "a thread that never leaves the driver: the table comes from the profile" {
	export SIM_FAULT=cuLaunchKernel:500:-1
	rm -f counts
	background 1
	wait_for_launches -eq 499
	send TERM
	ended TERM 1
	grep -q "operations are missing above" report
}

# Its ring has room for 8,192 calls.
@test "a collector that never leaves the driver: calls that found their ring full are said to be missing" {
	export SIM_FAULT=cuEventQuery:1:-2
	for options in "--timer events" "--timer events --events off" ""; do
		rm -f counts
		# Without gates, which the program's thread would ask it for.
		KTIME_OPTIONS="--gate off $options" background 1
		wait_for_launches -gt 30000
		send TERM
		ended TERM 1
	done
}

# Descriptor 7 is a pipe that nobody reads.
open_pipe()
{
	mkfifo full
	exec 7<>full
}

# No report can be printed to it any more.
fill_pipe()
{
	dd if=/dev/zero of=full bs=4096 count=16 oflag=nonblock 2>/dev/null || true
}

@test "a report's file that takes nothing: one line names the profile" {
	export SIM_FAULT=cuLaunchKernel:500:-1 KTIME_OPTIONS="--log-file full"
	open_pipe
	fill_pipe
	rm -f counts
	background 1
	wait_for_launches -eq 499
	send TERM
	exec 7>&-
	[ "$status" -eq 143 ]
	is "ktime: no report could be printed; the profile is kept: ktime show $XDG_RUNTIME_DIR/ktime.$process" \
		report report
	"$built/ktime" show "$XDG_RUNTIME_DIR/ktime.$process" | grep -q "^=.* Profiling result:$"
	"$built/ktime" clean "$XDG_RUNTIME_DIR/ktime.$process"
}

# start_shown THREADS: the same, and ktime's thread has put launches into the profile.
start_shown()
{
	start "$@"
	wait_until 60 "launches in the profile" \
		eval '"$built/ktime" show "$XDG_RUNTIME_DIR/ktime.$process" 2>&1 | grep -q " first$"'
}

# As mpirun and Slurm end what does not end soon enough, here at once.
@test "SIGKILL after SIGTERM: the report, or the profile" {
	local run
	for ((run = 0; run < runs; run++)); do
		start_shown 1
		kill -s TERM $process
		kill -s KILL $process
		wait $process || true
		[ ! -e "$XDG_RUNTIME_DIR/ktime.$process" ] ||
			"$built/ktime" show "$XDG_RUNTIME_DIR/ktime.$process" >report
		[ "$(reported first | head -1)" -gt 0 ] || { cat report; false; }
		rm -f "$XDG_RUNTIME_DIR/ktime.$process"
	done
}

# ktime has no handler for it.
@test "SIGPIPE ends the program, and its profile stays" {
	start_shown 1
	kill -s PIPE $process
	status=0
	wait $process || status=$?
	[ "$status" -eq 141 ]
	is 0 eval 'report report | grep -c "^Profiling result:"'
	"$built/ktime" show "$XDG_RUNTIME_DIR/ktime.$process" | grep -q " first$"
	"$built/ktime" clean "$XDG_RUNTIME_DIR/ktime.$process"
}

# is_taken SIGNAL: none of it waits to be delivered to the process, or to a thread.
is_taken()
{
	local waiting
	for waiting in $(sed -n 's/^S[hi][dg]Pnd:\t/0x/p' /proc/$process/task/*/status 2>/dev/null); do
		((!(waiting >> ($(kill -l "$1") - 1) & 1))) || return 1
	done
}

@test "a second Ctrl-C ends at once" {
	export SIM_FAULT=cuLaunchKernel:500:-1
	open_pipe
	rm -f counts
	(export LD_PRELOAD=$built/libktime.so; exec "$root/tests/sim/run" "$programs/signalled" counts 1) \
		>program.out 2>&7 &
	process=$!
	wait_for_launches -eq 499
	fill_pipe
	kill -s INT $process
	wait_until 60 "the first signal's delivery" is_taken INT
	kill -s INT $process || true
	exec 7>&-
	status=0
	wait $process || status=$?
	[ "$status" -eq 130 ]
	rm -f run/*
}

@test "a program sees the default action, and what it sets" {
	run --separate-stderr under_ktime "$programs/signalled" counts 1 dispositions
	[ "$status" -eq 0 ]
	[ "$output" = "default default ignored default" ]
}

@test "signal and its kin do under ktime what they do without it" {
	same_as_alone "$programs/handlers"
	[ "$status" -eq 0 ]
	[ "$(grep -c ": default, handler" <<<"$output")" -eq 30 ]
	[ "$(grep -c " error, errno 22" <<<"$output")" -ge 50 ]
}

@test "a main thread that ends by pthread_exit: SIGTERM works, and the last thread's end is the end" {
	rm -f counts
	background 2 main_ends
	wait_for_launches -gt 100
	send TERM
	ended TERM 2
	run --separate-stderr under_ktime "$programs/signalled" counts 2 last_ends
	[ "$status" -eq 0 ]
	is "1000 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
}

# As in a container: what it starts is the first process of a PID namespace.
contained=(unshare --user --map-root-user --pid --fork --mount-proc --kill-child)

containers()
{
	not_under_sanitizers "they have no place in another user's namespace"
	"${contained[@]}" true 2>unshared || skip "no containers here: $(cat unshared)"
}

@test "the first process of a container survives the signals that it survives alone" {
	containers
	local signal
	for signal in TERM HUP RTMIN ABRT; do
		run --separate-stderr "${contained[@]}" env LD_PRELOAD="$built/libktime.so" \
			"$root/tests/sim/run" "$programs/unended" first "$(kill -l "$signal")"
		[ "$status" -eq 4 ]
		[ "$output" = "went on" ]
		is "20 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
	done
}

@test "ktime as the first process: its program survives what it survives alone, and ends by what ktime gets" {
	containers
	run --separate-stderr "${contained[@]}" "$built/ktime" "$root/tests/sim/run" "$programs/unended" first 15
	[ "$status" -eq 4 ]
	is "20 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
	rm -f counts
	"${contained[@]}" "$built/ktime" "$root/tests/sim/run" "$programs/signalled" counts 1 >program.out 2>report &
	process=$!
	wait_for_launches -gt 100
	kill -s TERM "$(pgrep -P $process)"
	status=0
	wait $process || status=$?
	ended TERM 1
}

@test "a signal that the thread blocks meanwhile, or that may not be sent again, ends the program" {
	local way
	for way in blocks refused; do
		run --separate-stderr timeout 20 "$root/tests/sim/run" env \
			LD_PRELOAD="$built/libktime.so" "$programs/unended" $way
		[ "$status" -eq 142 ]
		is "10 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
	done
}

@test "a program that a tracer keeps alive goes on after the report" {
	not_under_sanitizers "a traced program cannot be searched for leaks"
	run --separate-stderr timeout 20 "$root/tests/sim/run" env \
		LD_PRELOAD="$built/libktime.so" "$programs/unended" traced
	[ "$status" -eq 4 ]
	[ "$output" = "went on" ]
	is "10 first" eval 'gpu_rows | awk "{ print \$2, \$6 }"'
}
