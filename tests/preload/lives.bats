#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input, and what ends while ktime has hold of it: the program notices nothing, and the counts
# are exact.
load helper

# "CALLS NAME [DEVICE]" of the operations.
operations()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.kind | IN("kernel", "memcpy", "memset", "graph")) |
		"\(.calls) \(.name)'"${1-}"'"' | sort -k2
}

# by_either_clock PROGRAM WHAT OPERATIONS
by_either_clock()
{
	for timer in cupti events both; do
		export KTIME_OPTIONS="-f -o session --timer $timer --events all"
		same_as_alone "$programs/$1" "$2"
		[ "$status" -eq 0 ]
		echo "$timer"
		is "$3" operations "${4-}"
		is 0 counter driver_errors
		is 0 counter unmatched_records
	done
}

lives()
{
	by_either_clock lives "$@"
}

contexts()
{
	by_either_clock contexts "$@"
}

@test "bad arguments and empty work: the same results and errno, and no operations of them" {
	export KTIME_OPTIONS="-o session"
	same_as_alone "$programs/bad_input"
	[ "$status" -eq 0 ]
	failed=$(echo "$output" | grep -c -v ': 0, errno 77$')
	[ "$failed" -gt 8 ]
	is "$failed" counter failed_calls
	is $'1 [CUDA memcpy DtoH]\n1 [CUDA memcpy HtoD]\n1 first' operations
	is "$failed" failed_in_rows
}

failed_in_rows()
{
	"$built/ktime" export --json - session | jq '[.rows[].failed] | add'
}

@test "streams that end with work in flight, and others at their addresses" {
	lives streams "100 first"
}

@test "contexts that are destroyed with work in flight" {
	contexts created "100 first"
}

@test "contexts that are destroyed, and other kernels at their kernels' handles" {
	contexts kernels $'25 first\n25 second'
}

@test "a primary context that is released, reset and made again" {
	contexts primary $'50 [CUDA memcpy HtoD]\n50 first'
}

@test "a primary context that ends beside another one of its device" {
	contexts primary_beside_another $'50 first\n100 second'
}

@test "a primary context that a green one keeps longest" {
	contexts primary_kept_by_green "100 first"
}

@test "a primary context of which no call told the handle" {
	contexts primary_retained_unseen $'50 first\n50 second'
}

@test "green contexts that are destroyed, and others at their addresses" {
	contexts green "100 first"
}

@test "modules that are unloaded, and other kernels at their handles" {
	lives modules $'25 first\n25 second'
}

# As CUPTI 13.0 names them.
@test "modules whose kernels CUPTI gives the names of unloaded ones" {
	export SIM_CUPTI_OLD_NAMES=1
	lives modules $'25 first\n25 second'
	is '25 25' eval "\"$built/ktime\" export --json - session | jq -r '[.rows[] | select(.kind == \"kernel\").cupti.count] | join(\" \")'"
	says "CUPTI gave a kernel the name of one that was unloaded"
}

# Kernels of 1 and 5 us, some of whose records are lost.
@test "a record has no row of another kernel if some were lost after a module was unloaded" {
	export SIM_CUPTI_DROP=7 SIM_KERNEL_NS='first=1000,second=5000'
	KTIME_OPTIONS="-f -o session --timer cupti" same_as_alone "$programs/lives" kernels_in_turn
	[ "$status" -eq 0 ]
	is $'50 first\n50 second' operations
	"$built/ktime" export --json - session | jq -e '[.rows[] | select(.kind == "kernel") |
		.cupti.total == .cupti.count * {first: 1000, second: 5000}[.name]] == [true, true]'
	[ "$(report | grep -c "CUPTI gave a kernel the name")" -eq 0 ]
}

@test "several devices have rows of their own" {
	SIM_DEVICES=3 contexts devices $'1 [CUDA memcpy HtoD] 0
1 [CUDA memcpy HtoD] 1
1 [CUDA memcpy HtoD] 2
1 first 0
2 first 1
3 first 2' ' \(.device)'
}

@test "a device that comes to it later has its launches, which were only counted before" {
	export SIM_DEVICES=8 SIM_LOG=$BATS_TEST_TMPDIR/log
	for options in "" "--start off"; do
		KTIME_OPTIONS="--timer events --events 1/1000 -f -o session $options" \
			same_as_alone "$programs/contexts" second_device
		[ "$status" -eq 0 ]
		is $'0 200\n1 450' jq -r '[.rows[] | select(.kind == "kernel") |
			"\(.device) \(.calls + (.calls_outside // 0))"] | sort[]' <("$built/ktime" export --json - session)
		# The context of a launch that has a call record is asked for.
		[ "$(grep -c cuCtxGetCurrent "$SIM_LOG")" -ge 250 ]
		[ "$(grep -c cuCtxGetCurrent "$SIM_LOG")" -lt 500 ]
		rm "$SIM_LOG"
	done
}

@test "a thread that ends leaves its events to the next" {
	lives threads "100 first"
	[ "$(counter events_created)" -gt 0 ]
	[ "$(counter events_created)" -le 2048 ]
}

launching_threads_that_make_events()
{
	awk '$2 == "cuLaunchKernel" { launching[$1] } $2 == "cuEventCreate" { making[$1] }
		END { for (thread in making) count += (thread in launching); print count + 0 }' "$SIM_LOG"
}

# A thread that makes events while others launch waits for the driver at each.
@test "threads that come after the first find their events made" {
	for timer in auto events; do
		export KTIME_OPTIONS="-f -o session --timer $timer" SIM_LOG=$BATS_TEST_TMPDIR/$timer
		run --separate-stderr under_ktime "$programs/lives" threads_together
		[ "$status" -eq 0 ]
		is "17 first" operations
		is 1 launching_threads_that_make_events
	done
}

# CUPTI 13 hands out the records of each thread for themselves, before they come as the driver took
# the calls.
@test "two threads in one stream have their records matched to their own calls" {
	for version in 130000 28; do
		SIM_CUPTI_VERSION=$version lives threads_in_turns $'500 first\n500 second'
		[ "$(counter matched)" -ge 998 ] # not each kernel's first launch
	done
}

overlapped()
{
	"$built/ktime" export --json - session | jq '[.rows[].check.overlapped // 0] | add'
}

@test "work of two threads that never ran at the same time is not said to overlap" {
	export KTIME_OPTIONS="-f -o session --timer both --events all"
	same_as_alone "$programs/lives" threads_one_after_the_other
	[ "$status" -eq 0 ]
	is $'500 first\n500 second' operations
	is 0 overlapped
}

@test "a copy between two devices is one whichever call made it" {
	SIM_DEVICES=2 lives peers_with_access $'2 [CUDA memcpy DtoD]\n4 [CUDA memcpy PtoP]'
}

# What CUPTI records of each row that the hooks saw or did not see: "CUPTI'S HOOKS' NAME".
both_clocks()
{
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.kind == "memcpy") |
		"\(.cupti.count // 0) \(.seen_by_hooks) \(.name)"' | sort -k3
}

@test "a copy between devices without peer access has the whole, and the halves that CUPTI records" {
	export SIM_DEVICES=2 KTIME_OPTIONS="-f -o session"
	same_as_alone "$programs/lives" peers_without_access
	is $'2 2 [CUDA memcpy DtoD]\n4 0 [CUDA memcpy DtoH]\n4 0 [CUDA memcpy HtoD]\n0 4 [CUDA memcpy PtoP]' \
		both_clocks
	"$built/ktime" show session 2>&1 | grep -q "Copies between devices without peer access"
	export KTIME_OPTIONS="-f -o session --timer events"
	same_as_alone "$programs/lives" peers_without_access
	is $'2 [CUDA memcpy DtoD]\n4 [CUDA memcpy PtoP]' operations
}

@test "where the driver does not say which device memory is of, a copy is one within a device" {
	export SIM_DEVICES=2 SIM_FAULT=cuPointerGetAttributes:*:999
	export KTIME_OPTIONS="-f -o session --timer events"
	same_as_alone "$programs/lives" peers_with_access
	[ "$status" -eq 0 ]
	is 6 counter operations
	is 6 counter timed_by_events
}

# forks WHAT STATUS: the child's status; the parent's six launches are there, and one report
forks()
{
	same_as_alone "$programs/forks" "$1"
	[ "$status" -eq 0 ]
	[ "$output" = "child $2" ]
	[ "$(reports)" -eq "${3-1}" ]
	says "all 6 GPU operations timed"
}

@test "a child of fork leaves without a word" {
	not_under_sanitizers "signals come late in the child"
	forks exit 5
	forks _exit 5
	forks signal 143
	forks cuda 6
}

@test "a child of vfork leaves without a word" {
	forks vfork 5
}

@test "a child that starts another program has a report of its own" {
	forks exec 5 2
	says "all 3 GPU operations timed"
}

@test "a child made before CUDA is used has a report of its own" {
	forks before 5 2
	says "all 3 GPU operations timed"
}

@test "a child of fork ends what another thread of its parent's was making and ending" {
	for what in streams graphs; do
		same_as_alone "$programs/forks_amid" $what
		[ "$output" = "300 children came back" ]
	done
}
