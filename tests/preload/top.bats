#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a program that runs does on the GPU now: ktime top, as lines and as a screen, and ktime list.
load helper
load served

teardown()
{
	tmux -L "$BATS_TEST_NAME" kill-server 2>/dev/null || true
	[ -z "${stopped-}" ] || kill -KILL "$stopped" || true
	end_served
	rm -f run/ktime.*
}

# "KIND NAME CALLS TOTAL RUN_CALLS RUN_TOTAL" of each row of the last line of JSON.
last_rows()
{
	tail -n 1 "$1" | jq -r '.rows[] | "\(.kind) \(.name) \(.calls) \(.total) \(.run_calls) \(.run_total)"'
}

@test "top says where times by events hold the event-pair overhead, which is not measured yet" {
	KTIME_OPTIONS="--timer events --events all" serve
	order first 5
	order settle
	is true jq .includes_overhead <("$ktime" top --json -n 1 "$program")
	"$ktime" top -b -n 1 "$program" 2>&1 >lines | grep -q 'event-pair overhead, which is not measured yet'
	"$ktime" prometheus "$program" >metrics
	grep -q '^ktime_event_overhead_included{.*} 1$' metrics
	"$ktime" snapshot "$program" -o taken 2>said
	grep -qxE "ktime snapshot: kept [0-9.]+ m?s of process $program in taken: ktime show taken" said
	"$ktime" show taken 2>&1 | grep 'times by events include the event-pair overhead, which was not measured (a running'
	"$ktime" show --idle taken 2>&1 | grep -q '^Idle time: not known, as CUDA events .* a run without --timer events.$'
	"$ktime" show --summary taken | grep -q '^Why  .*not known, as CUDA events say'
	"$ktime" show --summary taken | grep -q '^  *kernel with most time: first$'
	dismiss
	rm -f orders answers
	serve
	order first 5
	order settle
	is null jq .includes_overhead <("$ktime" top --json -n 1 "$program")
	"$ktime" prometheus "$program" >metrics
	grep -q '^ktime_event_overhead_included{.*} 0$' metrics
	dismiss
}

@test "top -b tells the run so far, and then what came since the last line" {
	export SIM_KERNEL_NS=first=1000,second=3000
	serve
	order first 5
	order settle
	"$ktime" top --json -n 1 "$program" >once
	is 'kernel first 5 5000 5 5000' last_rows once
	# What comes while it is stopped is in its second reading; that of a machine too busy for two seconds comes later.
	for seconds in 2 10 60; do
		"$ktime" top --json -d $seconds -n 2 "$program" >lines 5>&- 6<&- &
		stopped=$!
		wait_until 60 "the first line" test -s lines
		kill -STOP $stopped
		[ "$(wc -l <lines)" -ne 1 ] || break
		kill -CONT $stopped
		wait $stopped
	done
	order first 3
	order second 2
	order settle
	kill -CONT $stopped
	wait $stopped
	stopped=
	[ "$(wc -l <lines)" -eq 2 ]
	is $'kernel second 2 6000 2 6000\nkernel first 3 3000 8 8000' last_rows lines
	[ "$(tail -n 1 lines | jq .pid)" -eq "$program" ]
	[ "$(tail -n 1 lines | jq -r .command)" = "$programs/served" ]
	dismiss
}

@test "top -b prints a line for each reading, whose calls add up to those of the run" {
	serve
	"$ktime" top -b -d 0.05 "$program" >lines 5>&- 6<&- &
	top=$!
	for i in {1..10}; do
		order first 7
	done
	order settle
	sum()
	{
		awk -v program="$program" 'NR > 1 && $2 == program { sum += $5 } END { print sum }' lines
	}
	wait_until 60 "70 launches in the lines" eval '[ "$(sum)" = 70 ]'
	is $'    Time      PID  Seconds  Busy(%)      Calls  GPU Time  Time(%)  Name' head -n 1 lines
	dismiss
	# A program that has ended ends the lines too.
	wait $top
	is ' GPU activities: 70 first' eval "report report | awk '/GPU act/ { print \" GPU activities: \" \$5, \$9 }'"
}

@test "top takes the options of the rows: order, names, filters" {
	export SIM_KERNEL_NS=first=1000,second=3000
	serve
	order first 5
	order second 1
	order copy 1000
	order settle
	rows()
	{
		"$ktime" top --json -n 1 "$@" "$program" | jq -r '[.rows[].name] | join(" ")'
	}
	copy='[CUDA memcpy HtoD]'
	is "first second $copy" rows
	is "second $copy" rows --kernels second
	is "first $copy" rows --exclude-kernels second
	is "first second $copy" rows --sort calls
	is '[CUDA memcpy HtoD] first second' rows --sort name
	is '[CUDA memcpy HtoD] first' rows --sort name --top 2
	dismiss
}

@test "list tells which GPU a program uses, and since when" {
	serve
	order first 1
	order settle
	"$ktime" list >listed
	is "PID User Since Size State GPU File Command" eval "head -n 1 listed | tr -s ' ' | sed 's/^ //'"
	is "$program $(id -un) $(date +%Y-%m-%d) running 0 $XDG_RUNTIME_DIR/ktime.$program $programs/served" \
		eval "tail -n 1 listed | awk '{ print \$1, \$2, \$3, \$6, \$7, \$8, \$9 }'"
	dismiss
}

@test "top says why there is nothing to show" {
	run "$ktime" top
	[ "$status" -eq 1 ]
	[ "$output" = "ktime top: no program runs under ktime here (--profile FILE: the profile of one elsewhere)" ]
	run "$ktime" top -b $$
	[ "$status" -eq 1 ]
	[ "$output" = "ktime top: process $$ has no profile: it has not used CUDA yet, or was started without ktime, which cannot join it later (started by ktime --start off, it can be looked at any time)" ]
	run "$ktime" top -b app
	[ "$status" -eq 1 ]
	[ "$output" = "ktime top: 'app' is no process number (to read a file: --profile FILE)" ]
	echo nothing >file
	run "$ktime" top -b --profile file
	[ "$status" -eq 1 ]
	[ "$output" = "ktime top: file: no profile of this version of ktime" ]
}

@test "a profile that was asked for under a name is found by the process, and by --profile" {
	KTIME_OPTIONS="-o $PWD/named.ktime" serve
	order first 2
	order settle
	is 2 jq .rows[0].run_calls <("$ktime" top --json -n 1 "$program")
	is 2 jq .rows[0].run_calls <("$ktime" top --json -n 1 --profile named.ktime)
	dismiss
	run "$ktime" top -b --profile named.ktime
	[ "$status" -eq 1 ]
	[ "$output" = "ktime top: the program has ended (ktime show prints its profile, if it was kept)" ]
}

@test "top and list see a profile of -o by its entry, which goes with the program" {
	KTIME_OPTIONS="-o $PWD/named.ktime" serve
	order first 2
	order settle
	entry=$XDG_RUNTIME_DIR/ktime.$program
	[ "$(readlink "$entry")" = "$PWD/named.ktime" ]
	is "$program running $PWD/named.ktime" eval "'$ktime' list | awk -v pid=$program '\$1 == pid { print \$1, \$6, \$8 }'"
	is 2 jq "select(.pid == $program) | .rows[0].run_calls" <("$ktime" top --json -n 1)
	# A link of that name that leads elsewhere, and one to a file that is gone, are passed by.
	echo nothing >other
	ln -s "$PWD/other" "$entry.2"
	ln -s "$PWD/none" "$entry.3"
	# Nor is one of another user followed.
	ln -s "$PWD/named.ktime" "$entry.4"
	chown -h nobody "$entry.4" 2>/dev/null || rm "$entry.4"
	[ "$("$ktime" list 2>&1 | grep -c "$PWD/")" -eq 1 ]
	rm -f "$entry".[234]
	dismiss
	[ ! -L "$entry" ]
	[ "$("$ktime" list | grep -c "$PWD/")" -eq 0 ]
}

@test "the entry of a program that was killed goes with the next look at the folder" {
	KTIME_OPTIONS="-o $PWD/named.ktime" serve
	order first 1
	kill -KILL "$program"
	wait "$program" || true
	[ -L "$XDG_RUNTIME_DIR/ktime.$program" ]
	[ "$("$ktime" list 2>&1 | grep -c "$PWD/")" -eq 0 ]
	[ ! -L "$XDG_RUNTIME_DIR/ktime.$program" ]
	[ -e named.ktime ]
	program=
}

@test "the number of ktime itself, or of a shell, means the program that it runs" {
	mkfifo orders answers
	"$ktime" --quiet --gate off -o "$PWD/kept.ktime" "$root/tests/sim/run" "$programs/served" \
		<orders >answers 2>report 3>&- &
	program=$!
	exec 5>orders 6<answers
	read -r -t 60 line <&6
	order first 2
	order settle
	child=$("$ktime" top --json -n 1 "$program" | jq .pid)
	[ "$child" -ne "$program" ]
	[ "$("$ktime" list | awk -v child="$child" '$1 == child { print $8 }')" = "$PWD/kept.ktime" ]
	"$ktime" snapshot "$program" -o one
	[ "$("$ktime" export --json - one | jq '.session.pid, .rows[0].calls' | paste -sd ' ')" = "$child 2" ]
	"$ktime" off "$program"
	"$ktime" on "$program"
	"$ktime" show "$program" | grep -q ' 2 .* first$'
	run "$ktime" show 999999999
	[ "$status" -eq 1 ]
	[ "$output" = "ktime show: there is no process 999999999" ]
	dismiss
}

@test "a reader that is killed leaves nothing, and the program runs on" {
	serve
	for i in {1..5}; do
		"$ktime" top -b -d 0.01 "$program" >lines 5>&- 6<&- &
		top=$!
		order first 3
		kill -KILL $top
		wait $top || true
	done
	[ "$(find "$XDG_RUNTIME_DIR" -type f | wc -l)" -eq 1 ]
	dismiss
	grep -q ' 15 .* first$' report
}

# screen: what tmux shows, without what depends on the machine: process, time, seconds, shares of time.
screen()
{
	tmux -L "$BATS_TEST_NAME" capture-pane -p | sed -E "s/\b$program\b/PID/; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/
		s/last [0-9.]+ s of [0-9.]+ s/last S s of S s/; s/busy [0-9.]+ %, of the run [0-9.]+ %/busy B %, of the run B %/
		s/(most by [a-zA-Z -]+) \([0-9.]+ %\)/CAUSE/; s/; idle CAUSE//
		s/^( *)PID  [^ ]+ +[0-9.]+ +[0-9.]+ /PID USER B B /; s/ +$//" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

is_on_screen()
{
	screen >seen
	cmp -s "$1" seen
}

# shows NAME: waits until the screen is the expected one; SCREENS=write bats tests/preload/top.bats makes that
# of what is there when it was not for two seconds.
shows()
{
	set -- "$root/tests/preload/screens/$1"
	if [ "${SCREENS-}" = write ]; then
		wait_until 2 "the screen $1" is_on_screen "$1" || cp seen "$1"
	else
		wait_until 60 "the screen $1" is_on_screen "$1" || diff "$1" seen
	fi
}

keys()
{
	tmux -L "$BATS_TEST_NAME" send-keys "$@"
}

@test "the screen of top: last reading and run, order, filter, API calls" {
	export SIM_KERNEL_NS=first=1000000,second=3000000
	serve
	order first 5
	order second 1
	order settle
	tmux -L "$BATS_TEST_NAME" -f /dev/null new-session -d -x 100 -y 20 \
		"exec $ktime top -d 3600 $program 5>&- 6<&-"
	shows start
	order second 2
	order settle
	keys Space
	shows second
	keys r c
	shows calls
	keys /
	keys sec Enter
	shows filter
	keys / '[' Enter
	shows refused
	keys / Enter n
	shows name
	keys q
	wait_until 60 "the end of top by q" eval '! tmux -L "$BATS_TEST_NAME" has-session 2>/dev/null'
	dismiss
}
