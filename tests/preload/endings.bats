#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# However a program ends: one report, nothing lost, and the ending that it has without ktime.
load helper

# ends WAY STATUS [KERNELS]
ends()
{
	export SIM_KERNEL_NS='*=5000000'
	same_as_alone "$programs/endings" "$1"
	[ "$status" -eq "$2" ]
	[ "$output" = worked ]
	[ "$(reports)" -eq 1 ]
	is "first: ${3:-10}
[CUDA memcpy DtoH]: 1
[CUDA memcpy HtoD]: 1" counted
	says "all $((${3:-10} + 2)) GPU operations timed"
}

counted()
{
	gpu_rows | awk '{ name = $6; for (i = 7; i <= NF; i++) name = name " " $i
		print name ": " $2 }'
}

@test "main returns" {
	ends return 3
}

@test "exit" {
	ends exit 3
}

@test "quick_exit" {
	ends quick_exit 3
}

@test "_exit" {
	ends _exit 3
}

@test "_Exit" {
	ends _Exit 3
}

@test "abort" {
	ends abort 134
}

@test "SIGTERM" {
	ends SIGTERM 143
}

@test "the less common signals that end a program" {
	local signal
	for signal in SIGPOLL SIGPWR SIGSTKFLT SIGRTMIN SIGRTMAX SIGXFSZ; do
		ends $signal $((128 + $(kill -l "${signal/POLL/IO}")))
	done
}

@test "a fault in a thread" {
	ends SIGSEGV 139
}

# The core, where cores are written to files here, names the signal and the thread that got it. The
# bare abort of a program, and a fault, are SI_TKILL and SEGV_ACCERR.
@test "a program that a signal ends leaves the core that it leaves alone" {
	not_under_sanitizers "cores of terabytes"
	local way
	export KTIME_OPTIONS="--verbose --gate off"
	for way in abort SIGSEGV SIGTERM; do
		python3 "$BATS_TEST_DIRNAME/core.py" "$root/tests/sim/run" "$programs/endings" $way >alone.out
		LD_PRELOAD=$built/libktime.so python3 "$BATS_TEST_DIRNAME/core.py" "$root/tests/sim/run" \
			"$programs/endings" $way >ktime.out 2>err
		diff alone.out ktime.out
		stderr=$(cat err)
		says "all 12 GPU operations timed"
	done
}

# all_said OPERATIONS: those in the table and those said to be missing; some may not have been taken
# from their rings.
all_said()
{
	local missing
	missing=$(report | sed -n 's/^The driver was busy when the program ended: \([0-9]*\) operations are missing above, .*/\1/p')
	is $(($1 - missing)) eval 'gpu_rows | awk "{ sum += \$2 } END { print sum + 0 }"'
}

@test "the driver never answers ktime's thread: the table comes from the profile" {
	export SIM_FAULT=cuEventQuery:1:-2 KTIME_OPTIONS="--timer events"
	for way in return _exit abort SIGSEGV; do
		same_as_alone "$programs/endings" $way
		[ "$(reports)" -eq 1 ]
		all_said 12
	done
}

@test "a signal that the program handles itself" {
	ends handler 55
}

@test "main returns with a kernel in flight" {
	ends work_in_flight 3 11
}

@test "the device is reset with a kernel in flight" {
	ends reset 3 11
}

# The kernels in flight are what is waited for meanwhile; the records that are late keep the report
# from being ready at the same moment.
ends_during()
{
	export SIM_KERNEL_NS='first=5000000,second=2500000000' SIM_CUPTI_LATE=2
	same_as_alone "$programs/endings" "$1"
	[ "$status" -eq "$2" ]
	[ "$(reports)" -eq 1 ]
}

@test "exit while another thread ends a context" {
	ends_during exit_in_reset 3
	says "14 GPU operations timed"
}

# The collector asks about the context's events for as long as the report takes.
@test "a context that another thread ends while exit waits for the report" {
	ends_during reset_in_exit 3
	says "14 GPU operations timed"
	! report | grep -q "errors met" || false
}

# On a busy machine the collector may not be done within the 300 ms that a signal gives it.
@test "a signal to the thread that ends a context" {
	ends_during SIGALRM_in_reset 142
	all_said 14
}

@test "_exit while another thread's exit waits for the report" {
	ends_during _exit_in_exit 3
	says "14 GPU operations timed"
}

@test "another program takes over while another thread's exit waits for the report" {
	ends_during execve_in_exit 3
	says "14 GPU operations timed"
}

@test "threads end with their work in flight" {
	ends thread 3 50
}

@test "the program closes every file that it did not open" {
	ends closing_files 3
}

@test "another program takes over by any of the exec functions" {
	local function
	for function in execve execv execvp execvpe fexecve execveat execl execlp execle; do
		ends "$function" 3
	done
}

@test "a program that another takes over from leaves its report in their log file" {
	echo "==1== of another process" >log
	KTIME_OPTIONS="--log-file log" run under_ktime "$programs/endings" execution_of_itself
	[ "$status" -eq 3 ]
	[ "$(grep -c '^==[0-9]*== ktime is profiling process' log)" -eq 2 ]
	[ "$(grep -c 'all 12 GPU operations timed' log)" -eq 2 ]
	! grep -q 'of another process' log || false
}

@test "an exec that fails ends nothing" {
	ends failing_exec 3 11
}

@test "a child of vfork that executes leaves the report to its parent" {
	ends vfork 3 11
}

@test "events alone time what was in flight" {
	export KTIME_OPTIONS="--timer events --events all" # on a slow machine a sample would be timed
	ends return 3
	ends _exit 3
	ends SIGTERM 143
	ends work_in_flight 3 11
}

@test "SIGKILL leaves a session that can be shown" {
	SIM_KERNEL_NS='*=5000000' run --separate-stderr under_ktime "$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	[ "$(reports)" -eq 0 ]
	local left=("$XDG_RUNTIME_DIR"/ktime.*)
	[ "${#left[@]}" -eq 1 ]
	"$built/ktime" show "${left[0]}" >shown
	is "1.0500us 1 1.0500us 1.0500us 1.0500us [CUDA memcpy DtoH]
1.0500us 1 1.0500us 1.0500us 1.0500us [CUDA memcpy HtoD]
50.000ms 10 5.0000ms 5.0000ms 5.0000ms first" eval 'gpu_rows shown | sort'
	rm "${left[0]}"
}

@test "CUPTI alone times what was in flight" {
	export KTIME_OPTIONS="--timer cupti"
	ends return 3
	ends work_in_flight 3 11
}

# host_ends HOW WAY: as alone, and before ktime would have waited for the device, or for its thread.
ends_inside()
{
	same_as_alone timeout 5 "$programs/host_ends" "$1" "$2"
	[ "$status" -eq "${3:-3}" ]
	[ "$output" = worked ]
	[ "$(reports)" -eq 1 ]
}

@test "a host function, a callback or a host node of a graph ends the program" {
	not_under_sanitizers "they make the driver's threads"
	local how way
	for how in callback node captured; do
		ends_inside $how exit
		is 12 eval 'gpu_rows | awk "/first/ { print \$2 }"'
	done
	for way in exit _exit quick_exit execve; do
		ends_inside function $way
		is 12 eval 'gpu_rows | awk "/first/ { print \$2 }"'
	done
	ends_inside function abort 134
}

@test "a host function ends the program, and the driver never answers ktime's thread" {
	not_under_sanitizers "they make the driver's threads"
	local way
	export SIM_FAULT=cuEventQuery:1:-2
	for way in exit _exit quick_exit; do
		ends_inside function $way
		all_said 12
	done
}

# Alone such a program cannot end by exit, as the driver's own handler takes that lock.
@test "a signal's handler ends the program in a launch that holds the driver's lock" {
	not_under_sanitizers "they run handlers later"
	local way
	export SIM_FAULT=cuLaunchKernel:11:-1
	for way in _exit quick_exit; do
		ends_inside handler $way
	done
}

@test "work after the report is said" {
	ends late_work 3
	says "The program goes on after its report: what it has the GPU do from here on is not counted."
	[ "$(report | grep -c "goes on after its report")" -eq 1 ]
	KTIME_OPTIONS="--log-file log" run --separate-stderr under_ktime "$programs/endings" late_work
	[ -z "$stderr" ]
	[ "$(tail -1 log | sed 's/^==[0-9]*== //')" = \
		"The program goes on after its report: what it has the GPU do from here on is not counted." ]
}
