#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is collected of a program that runs, from another shell: ktime on, off, window and snapshot.
load helper
load served

teardown()
{
	end_served
	rm -f run/ktime.*
}

# figures FILE: "NAME CALLS OUTSIDE TIMED TOTAL" of the kernels.
figures()
{
	"$ktime" export --json - "$1" | jq -r '.rows[] | select(.kind == "kernel") |
		"\(.name) \(.calls) \(.calls_outside // 0) \(.cupti.count // 0) \(.cupti.total // 0)"'
}

# Where the page of commands lies: the last before the first segment.
control_offset()
{
	echo $(($(od -An -tu4 -j 12 -N 4 "$1") - 4096))
}

# word AT: a number of the page of commands.
word()
{
	od -An -tu4 -j $(($(control_offset kept) + $1)) -N 4 kept | tr -d ' '
}

# A window that was asked for after the request `before` has begun: the last request that was made has opened it,
# or has begun the trace in a program that stays on, and is carried out. Its number is $begun.
has_begun()
{
	begun=$(word 64)
	[ "$begun" != "$before" ] && [ "$(word 0)" = "$begun" ] && [ "$(word 76)" = 1 ] &&
		[[ $(word 4) = [1456] ]] # CONTROL_ON and CONTROL_TRACE_ of report/control/control.h
}

# ask SECONDS OPTIONS…: for a window, in the background as $asked; until it has begun.
ask()
{
	before=$(word 64)
	"$ktime" window "$program" "$1s" "${@:2}" -f -o window 5>&- 6<&- &
	asked=$!
	wait_until 60 "a window" eval 'has_begun || has_ended "$asked"'
}

# in_window WORK OPTIONS…: does that in a window of a second; on a machine too busy for that in a longer one.
in_window()
{
	local asked before begun seconds
	for seconds in 1 10 60; do
		ask "$seconds" "${@:2}"
		"$1"
		[ "$(word 0) $(word 76)" != "$begun 1" ] || break
		wait "$asked"
	done
	wait "$asked"
}

@test "on and off from another shell: what is between them is timed, the rest is counted" {
	export SIM_KERNEL_NS=first=1000
	KTIME_OPTIONS="--profile-from-start off -o $PWD/kept" serve
	order first 3
	"$ktime" on "$program"
	order first 5
	"$ktime" off "$program"
	order first 2
	"$ktime" on --profile kept
	order first 1
	dismiss
	is 'first 6 5 6 6000' figures kept
}

@test "a thousand switches under load: no count is wrong" {
	for timer in cupti events; do
		rm -f orders answers
		KTIME_OPTIONS="--timer $timer -o $PWD/$timer" serve
		order load 3
		for i in {1..250}; do
			"$ktime" off "$program" 5>&- 6<&-
			"$ktime" on "$program" 5>&- 6<&-
		done
		order rest
		launched=${answer#ok }
		dismiss
		is "$launched" jq '[.rows[] | select(.kind == "kernel") | .calls + (.calls_outside // 0)] | add' \
			<("$ktime" export --json - "$timer")
		is true jq '.counters | .operations > 0 and .operations_outside > 0 and .cupti_unread == 0' \
			<("$ktime" export --json - "$timer")
	done
	# Each call inside has its record, and no other has one.
	is true jq '[.rows[] | select(.kind == "kernel") | .calls == .cupti.count] | all' \
		<("$ktime" export --json - cupti)
}

@test "a snapshot has all that has finished, and --since what came after another" {
	export SIM_KERNEL_NS=first=1000,second=3000
	serve
	order first 5
	"$ktime" snapshot "$program" -o one
	is 'first 5 0 5 5000' figures one
	order first 2
	order second 4
	"$ktime" snapshot "$program" -o two
	is $'first 7 0 7 7000\nsecond 4 0 4 12000' figures two
	"$ktime" snapshot "$program" --since one -o after
	is $'first 2 0 2 2000\nsecond 4 0 4 12000' figures after
	is 6 counter operations after
	"$ktime" show --verbose after >shown 2>&1
	grep -q "all 6 GPU operations timed" shown
	! grep -q "was killed" shown || false
	"$ktime" diff one after >/dev/null
	run "$ktime" snapshot "$program" -o one
	[ "$status" -eq 1 ]
	grep -qF "one" <<<"$output"
	"$ktime" snapshot "$program" -f -o one
	run "$ktime" snapshot "$program" --since after -o other
	[ "$status" -eq 1 ]
	[ ! -e other ]
	dismiss
	grep -q ' 7 .* first$' report
}

@test "an interval of a row that is sampled is that of its estimate" {
	KTIME_OPTIONS="--timer events --events 1/4" serve
	order first 4000
	order settle
	"$ktime" snapshot "$program" -o one
	order first 4000
	order settle
	"$ktime" snapshot "$program" --since one -o after
	# Every kernel takes as long: the estimate is exact, to the nanosecond that its parts are rounded to.
	is true jq '.rows[] | select(.name == "first") | .calls == 4000 and
		((.estimate.total / 4000 - (.events.total / .events.count)) | . < 1 and . > -1)' \
		<("$ktime" export --json - after)
	dismiss
}

four_firsts()
{
	order first 4
}

@test "a window has what ran in it, and the program is as before afterwards" {
	export SIM_KERNEL_NS=first=1000
	KTIME_OPTIONS="--profile-from-start off -o $PWD/kept" serve
	order first 3
	in_window four_firsts
	is 'first 4 0 4 4000' figures window
	"$ktime" snapshot "$program" -o before
	order first 2
	# One that is on stays on.
	"$ktime" on "$program"
	"$ktime" window "$program" 10ms -o short
	order first 1
	dismiss
	is '1 2 1 1000' eval 'join <(figures before) <(figures kept) |
		awk "{ print \$6 - \$2, \$7 - \$3, \$8 - \$4, \$9 - \$5 }"'
}

@test "a window closes by itself if the one who asked for it is gone" {
	local asked before begun seconds
	KTIME_OPTIONS="--profile-from-start off -o $PWD/kept" serve
	for seconds in 2 10 60; do
		ask "$seconds"
		kill -KILL "$asked" || true
		# A longer one on a machine too busy for that.
		wait "$asked" || break
		rm window
	done
	wait_until 90 "the window's end" eval '[ "$(word 76)" = 0 ]'
	[ ! -e window ]
	"$ktime" on "$program"
	dismiss
}

@test "a page full of nonsense does no harm" {
	KTIME_OPTIONS="-o $PWD/kept" serve
	control=$(control_offset kept)
	for i in {1..20}; do
		dd if=/dev/urandom of=kept bs=4096 count=1 seek=$((control / 4096)) conv=notrunc status=none
		order first 1
	done
	"$ktime" on "$program"
	"$ktime" snapshot "$program" -o one
	dismiss
	is 'first 20 20' eval "figures kept | awk '{ print \$1, \$2 + \$3, \$2 + \$3 }'"
}

@test "commands say what they lack, and that a program has ended" {
	for command in on off "window 2s -o file" "snapshot -o file"; do
		run "$ktime" $command
		[ "$status" -eq 2 ]
		[ "$output" = "ktime ${command%% *}: one process, or --profile FILE, has to be given" ]
	done
	run "$ktime" window
	[ "$status" -eq 2 ]
	run "$ktime" snapshot 1
	[ "$status" -eq 2 ]
	[ "$output" = "ktime snapshot: -o FILE has to be given" ]
	run "$ktime" window 1 soon -o file
	[ "$status" -eq 2 ]
	[ "$output" = "ktime window needs a process, a duration (2s, 500ms) and -o FILE" ]
	KTIME_OPTIONS="-o $PWD/kept --timeout 0.01" serve
	refuses()
	{
		run "$ktime" on "$program"
		[ "$output" = "ktime on: the program refuses: its collecting has ended (--timeout)" ]
	}
	wait_until 60 "the collecting's end" refuses
	[ "$status" -eq 1 ]
	dismiss
	run "$ktime" off --profile kept
	[ "$status" -eq 1 ]
	[ "$output" = "ktime off: kept: the program has ended" ]
}

# started OPTIONS…: serves with --start off and these, launches, and says what the driver did for ktime.
started()
{
	export SIM_LOG=$PWD/log SIM_KERNEL_NS=first=1000,second=3000
	rm -f orders answers log kept
	KTIME_OPTIONS="--start off $* -o $PWD/kept" serve
	order first 30
	order copy 1000
	order settle
	[ "$(grep -c -E ' cu(EventCreate|EventRecord|StreamWaitValue|MemHostRegister)' log)" -eq 0 ]
}

@test "--start off: no event and no CUPTI, and all is counted" {
	for options in "" "--timer events" "--budget 1" "--timer both" "--graph graph"; do
		started "$options"
		dismiss
		[ "$(grep -c -E ' cu(EventCreate|EventRecord|StreamWaitValue|MemHostRegister)' log)" -eq 0 ]
		is 'first 0 30 0 0' figures kept
		is 31 counter operations_outside kept
		is 0 counter operations kept
		is false jq .session.cupti_active <("$ktime" export --json - kept)
	done
	started
	dismiss
	grep -qF "Warning: nothing was profiled: --start off was given, and \`ktime on PID\` never said to begin" report
}

@test "--start off: from ktime on all is timed by CUPTI, call by call" {
	for options in "" "--timer cupti" "--timer both" "--graph node" "--keep-trace all"; do
		started "$options"
		"$ktime" on "$program"
		order first 5
		order second 2
		"$ktime" off "$program"
		order first 3
		"$ktime" on "$program"
		order second 1
		dismiss
		is $'first 5 33 5 5000\nsecond 3 0 3 9000' figures kept
		is 0 counter unmatched_records kept
		is true jq .session.cupti_active <("$ktime" export --json - kept)
	done
	grep -qF "Timing: CUPTI; all 8 GPU operations timed." report
}

@test "--start off: by events alone, and where CUPTI cannot be started, events time what is turned on" {
	started --timer events --events all
	"$ktime" on "$program"
	order first 5
	dismiss
	is 'first 5 30 0 0' figures kept
	is 5 counter timed_by_events kept
	SIM_FAULT=cuptiActivityRegisterCallbacks:*:999 started --events all
	"$ktime" on "$program"
	order first 5
	dismiss
	is 5 counter timed_by_events kept
	is false jq .session.cupti_active <("$ktime" export --json - kept)
	grep -q 'CUPTI' report
}

# A call that is only counted is timed once in so many, and stands for as many in the histogram.
@test "--start off: where CUPTI cannot be started, what is turned on is only counted between event pairs" {
	SIM_FAULT=cuptiActivityRegisterCallbacks:*:999 started --events off
	"$ktime" on "$program"
	order first 4096
	dismiss
	is 'first 4096 30 0 0' figures kept
	is true jq '[.rows[] | select(.kind == "driver") | .cupti.histogram | map(.count) | min > 1] == [true]' \
		<("$ktime" export --json - kept)
}

@test "hundreds of switches under load after --start off: no count is wrong" {
	for timer in events auto; do
		rm -f orders answers
		KTIME_OPTIONS="--start off --timer $timer -o $PWD/$timer" serve
		order load 3
		for i in {1..100}; do
			"$ktime" on "$program" 5>&- 6<&-
			"$ktime" off "$program" 5>&- 6<&-
		done
		order rest
		launched=${answer#ok }
		dismiss
		is "$launched" jq '[.rows[] | select(.kind == "kernel") | .calls + (.calls_outside // 0)] | add' \
			<("$ktime" export --json - "$timer")
		is true jq '.counters | .operations > 0 and .operations_outside > 0' \
			<("$ktime" export --json - "$timer")
	done
	is true jq '[.rows[] | select(.kind == "kernel") | .calls == .cupti.count] | all' \
		<("$ktime" export --json - auto)
}

@test "--start off: launches that are made while CUPTI starts are counted once" {
	for slow in 1000 40000; do
		rm -f orders answers kept
		export SIM_CUPTI_AMID=20 SIM_KERNEL_NS=first=$slow
		KTIME_OPTIONS="--start off -o $PWD/kept" serve
		order load 3
		# Each kind that CUPTI turns on takes 40 launches, on a busy machine longer than `ktime on` waits.
		wait_until 60 "CUPTI's start" "$ktime" on "$program" 5>&- 6<&-
		order rest
		launched=${answer#ok }
		dismiss
		is true jq --argjson launched "$launched" '[.rows[] | select(.kind == "kernel")] |
			(map(.calls + .calls_outside) | add) == $launched and all(.calls == (.cupti.count // 0))' \
			<("$ktime" export --json - kept)
	done
}

@test "--start off: the record of a later call is not that of one that CUPTI started in" {
	KTIME_OPTIONS="--start off -o $PWD/kept" serve
	order begin 5000
	"$ktime" on "$program"
	order finish 3
	dismiss
	is "3 1 3" jq -r '.rows[] | select(.kind == "memcpy") | "\(.calls) \(.calls_outside) \(.cupti.count)"' \
		<("$ktime" export --json - kept)
}

# traced FILE: "COUNT NAME" of the operations and calls on its timeline.
traced()
{
	"$ktime" export --chrome - "$1" | jq -r '.traceEvents[] | select(.ph == "X") | .name' |
		grep -E '^(first|second|Mem|cuLaunch|cuMemcpy)' | LC_ALL=C sort | uniq -c | sed 's/^ *//'
}

six_kernels()
{
	order first 4
	order copy 1000
	order second 2
}

@test "a window's trace has every operation of that time, and the program forgets it" {
	export SIM_KERNEL_NS=first=1000,second=3000
	for options in "--start off" "--profile-from-start off"; do
		rm -f orders answers kept
		KTIME_OPTIONS="$options -o $PWD/kept" serve
		order first 3
		in_window six_kernels --trace gpu
		is $'1 Memcpy HtoD (Pinned -> Device)\n4 first\n2 second' traced window
		"$ktime" show --print-gpu-trace window >shown 2>&1
		[ "$(grep -c ' first \[' shown)" -eq 4 ]
		order first 3
		in_window six_kernels --trace gpu,api
		is $'1 Memcpy HtoD (Pinned -> Device)\n6 cuLaunchKernel\n1 cuMemcpyHtoD\n4 first\n2 second' traced window
		is 'first 4 0 4 4000' eval 'figures window | head -1'
		in_window six_kernels
		[ -z "$(traced window)" ]
		"$ktime" snapshot "$program" -f -o window
		is 0 counter trace_records window
		dismiss
		is 0 counter trace_records kept
	done
}

# Otherwise kernels are recorded in windows there, as all of them would cost more than the budget.
@test "a window's trace has every node of graphs whose kernels are recorded in windows" {
	[ "${SANITIZE-}" != thread ] || skip "under ThreadSanitizer all kernels are within the budget"
	KTIME_OPTIONS="-o $PWD/kept" serve
	wait_until 60 "a window" eval 'order graph 100 && [ "$(counter windows kept)" -ge 1 ]'
	# A longer one on a machine too busy for that.
	for seconds in 1 10 60; do
		"$ktime" window "$program" ${seconds}s --trace gpu -f -o window 5>&- 6<&- &
		asked=$!
		wait_until 60 "the trace's first record" \
			eval 'has_ended $asked || { order first 1 && [ "$(counter trace_records kept)" -ge 1 ]; }'
		order graph 3
		order second 1
		wait $asked
		! traced window | grep -qx '1 second' || break
	done
	traced window | grep -qx '1 second'
	[ "$(traced window | sed -n 's/ first//p')" -ge 3000 ]
	dismiss
}

one_copy()
{
	wait_until 60 "the trace's first record" \
		eval 'has_ended "$asked" || [ "$(counter trace_records kept)" -ge 1 ]'
	order copy 1000
}

@test "a window's trace has what is held of memory, from its begin on" {
	KTIME_OPTIONS="--start off -o $PWD/kept" serve
	order keep 5000
	in_window one_copy --trace gpu
	is "5000 6000 5000" eval 'echo $("$ktime" export --chrome - window |
		jq ".traceEvents[] | select(.ph == \"C\") | .args.bytes")'
	dismiss
}

@test "a window of a program that stays on has a trace too" {
	KTIME_OPTIONS="-o $PWD/kept" serve
	order first 3
	in_window six_kernels --trace gpu
	is 4 eval 'traced window | sed -n "s/ first//p"'
	dismiss
}

@test "a program without CUPTI, or with a trace of its own, refuses one of a window" {
	KTIME_OPTIONS="--timer events -o $PWD/kept" serve
	run "$ktime" window "$program" 10ms --trace gpu -o window
	[ "$status" -eq 1 ]
	[ "$output" = "ktime window: the program refuses: a trace needs CUPTI, which does not record in it" ]
	dismiss
	rm -f orders answers kept
	KTIME_OPTIONS="--keep-trace all -o $PWD/kept" serve
	order first 3
	run "$ktime" window "$program" 10ms --trace gpu -o window
	[ "$status" -eq 1 ]
	[ "$output" = "ktime window: the program refuses: it keeps a trace of the whole run itself (--keep-trace)" ]
	[ ! -e window ]
	dismiss
	is 3 eval 'traced kept | sed -n "s/ first//p"'
}

@test "of a process that started several programs one has to be named" {
	mkfifo one two
	export LD_PRELOAD_OF_BOTH=$built/libktime.so
	bash -c 'for way in one two; do
			KTIME_OPTIONS="--gate off" LD_PRELOAD=$LD_PRELOAD_OF_BOTH "$@" <$way >$way.out 2>/dev/null &
		done; wait' bash "$root/tests/sim/run" "$programs/served" 3>&- &
	shell=$!
	exec 5>one 6>two
	echo "first 1" >&5
	echo "first 1" >&6
	wait_until 60 "both programs" eval 'grep -qs ok one.out && grep -qs ok two.out'
	run "$ktime" off "$shell"
	[ "$status" -eq 1 ]
	[[ $output =~ ^"ktime off: process $shell has started several that are profiled ("[0-9]+", "[0-9]+"): name one of them"$ ]]
	[ "$("$ktime" top --json -n 1 "$shell" | wc -l)" -eq 2 ]
	exec 5>&- 6>&-
	wait "$shell"
}
