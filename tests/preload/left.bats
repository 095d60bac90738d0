#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is left where no report could be printed by the program itself, and who prints it then.
load helper

ktime=$built/ktime

# A program under the ktime command, which is its parent.
parent_of()
{
	"$ktime" "$@"
}

# The one profile that is left, by `ktime list`: "STATE FILE COMMAND".
listed()
{
	"$ktime" list | awk -v folder="$XDG_RUNTIME_DIR/" \
		'index($8, folder) == 1 { print $6, $8, $9, $10 }'
}

left()
{
	find "$XDG_RUNTIME_DIR" -type f
}

@test "a killed program is listed, shown and cleaned away" {
	run under_ktime "$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	profile=$(left)
	[ "$(stat -c %a "$profile")" = 600 ]
	is "ended $profile $programs/endings SIGKILL" listed
	run "$ktime" show
	[ "$status" -eq 0 ]
	grep -qF " ended    0    $profile  $programs/endings SIGKILL" <<<"$output"
	[ "${lines[-1]}" = "These programs ended without a report: ktime show FILE prints it, ktime clean removes them." ]
	"$ktime" show "$profile" | grep -q " 10  .* first$"
	run "$ktime" clean "$profile"
	[ "$status" -eq 0 ]
	[ "$output" = "removed $profile" ]
	[ ! -e "$profile" ]
	run "$ktime" clean "$profile"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "ktime: $profile: No such file or directory" ]
	[ -z "$(listed)" ]
}

@test "a running program's profile is listed, and not cleaned away" {
	in_background under_ktime "$programs/odd_endings" waits
	profile=$(left)
	is "running $profile $programs/odd_endings waits" listed
	run "$ktime" clean "$profile"
	[ "$output" = "No profile of a program that has ended." ]
	[ -e "$profile" ]
	go_on
	[ -z "$(left)" ]
}

@test "ktime prints the report of a program that was killed" {
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	says "ktime: the program was killed (Killed): its profile tells this"
	says " first"
	[ "$(reports)" -eq 1 ]
	[ "$(grep -c "ktime is profiling" <<<"$stderr")" -eq 1 ]
}

@test "ktime prints the report of a program that ends by a system call of its own" {
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/odd_endings" raw
	[ "$status" -eq 3 ]
	says "ktime: the program ended without a report: its profile tells this"
	is ' 10 first' rows_left
}

# As Go's programs end.
@test "after the preload alone such a program is listed and shown" {
	run --separate-stderr under_ktime "$programs/odd_endings" raw
	[ "$status" -eq 3 ]
	is 0 reports
	profile=$(left)
	is "ended $profile $programs/odd_endings raw" listed
	"$ktime" show "$profile" | grep -q " 10  .* first$"
	"$ktime" clean "$profile"
}

# " CALLS NAME" of the GPU rows.
rows_left()
{
	gpu_rows | awk '{ print " " $2, $6 }'
}

@test "ktime prints the report of a program whose stack ran over" {
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/odd_endings" overflow
	[ "$status" -eq 139 ]
	[ "$(reports)" -eq 1 ]
	is ' 10 first' rows_left
}

@test "the report of a killed program goes to its log file" {
	run --separate-stderr parent_of --log-file log "$root/tests/sim/run" "$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	[ "$(head -1 log | sed 's/==[0-9]*==//')" = " ktime is profiling process $(sed -nE '1s/^==([0-9]+)==.*/\1/p' log), command: $programs/endings SIGKILL" ]
	grep -q '^ GPU activities:.* first$' log
	[ "$(grep -c 'Profiling result:' log)" -eq 1 ]
}

@test "a killed program's file of -o stays" {
	run --separate-stderr parent_of -o kept --print-gpu-summary "$root/tests/sim/run" \
		"$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	says " first"
	says "Generated result file: kept"
	"$ktime" show kept | grep -q " first$"
	[ "$(stat -c %a kept)" = 600 ]
}

@test "a program that printed its report gets no second one" {
	run --separate-stderr parent_of -o kept --print-gpu-summary "$root/tests/sim/run" \
		"$programs/endings" SIGTERM
	[ "$status" -eq 143 ]
	[ "$(reports)" -eq 1 ]
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/endings" _exit
	[ "$status" -eq 3 ]
	[ "$(reports)" -eq 1 ]
}

@test "the report goes to standard error where its file is full" {
	KTIME_OPTIONS="--log-file /dev/full" run --separate-stderr under_ktime \
		"$programs/endings" return
	[ "$status" -eq 3 ]
	says "ktime: the report could not be written to /dev/full: No space left on device; it follows here"
	says " first"
}

@test "the report goes to standard error where the folder of its file is gone" {
	mkdir folder
	KTIME_OPTIONS="--log-file folder/log" in_background under_ktime "$programs/odd_endings" waits
	rm -r folder
	go_on
	stderr=$(cat err)
	says "ktime: the log file $PWD/folder/log cannot be written: No such file or directory; it follows here"
	says " first"
}

@test "the report goes to standard error where no file can be opened any more" {
	KTIME_OPTIONS="--log-file log" run --separate-stderr under_ktime "$programs/odd_endings" files
	[ "$status" -eq 0 ]
	says "ktime: the log file $PWD/log cannot be written: Too many open files; it follows here"
	is ' 10 first' rows_left
}

@test "the profile is kept where the report can be written nowhere" {
	under_ktime "$programs/endings" return 2>/dev/full || [ $? -eq 3 ]
	is "ended $(left) $programs/endings return" listed
	"$ktime" show "$(left)" >shown
	grep -q ' first$' shown
	! grep -q "was killed or runs still" shown || false
	"$ktime" clean "$(left)"
}

@test "a pipe that nobody reads does not hold the program up" {
	mkfifo pipe
	KTIME_OPTIONS="--log-file pipe" run --separate-stderr under_ktime "$programs/endings" return
	[ "$status" -eq 3 ]
	says "ktime: the log file $PWD/pipe is a pipe that nobody reads; it follows here"
	says " first"
}

@test "who reads the pipe from the end on gets the whole report" {
	mkfifo pipe
	KTIME_OPTIONS="--log-file pipe" in_background under_ktime "$programs/odd_endings" waits
	exec 6<>pipe
	go_on
	[ ! -s err ]
	read -r -t 60 line <&6
	[[ "$line" == *"ktime is profiling process"* ]]
}

@test "a reader that has gone ends no program" {
	mkfifo pipe
	exec 6<>pipe 7>pipe 6<&-
	status=0
	LD_PRELOAD=$built/libktime.so "$root/tests/sim/run" "$programs/endings" return 2>&7 7>&- || status=$?
	exec 7>&-
	[ "$status" -eq 3 ]
	"$ktime" clean "$(left)"
}

@test "a file that the program opened as descriptor 2 is left alone" {
	run --separate-stderr under_ktime "$programs/odd_endings" data
	[ "$status" -eq 0 ]
	[ ! -s data ]
	is "ended $(left) $programs/odd_endings data" listed
	"$ktime" clean "$(left)"
}

@test "a daemon's report stays in its profile" {
	under_ktime "$programs/odd_endings" daemon
	wait_until 60 "the daemon's profile" eval "listed | grep -q '^ended '"
	is "ended $(left) $programs/odd_endings daemon" listed
	"$ktime" show "$(left)" | grep -q ' first$'
	"$ktime" clean "$(left)"
}

# goes_on OPTION…: under the command, which ends before the program uses the device. $daemon is the
# process that stays, until daemon_ends.
goes_on()
{
	run --separate-stderr parent_of "$@" "$root/tests/sim/run" "$programs/odd_endings" goes_on "$PWD/go"
	[ "$status" -eq 3 ]
	daemon=$(sed -nE 's/.*the program goes on in the background, as process ([0-9]+), .*/\1/p' <<<"$stderr")
	[ "$(grep -c background <<<"$stderr")" -eq 1 ]
	touch go
}

daemon_ends()
{
	wait_until 60 "the end of the daemon $daemon" has_ended "$daemon"
	rm go
}

@test "where the report of a program will be that goes on as a daemon is said" {
	goes_on
	says "background, as process $daemon, where it is profiled: ktime list names its profile, and ktime show prints it"
	profile=$XDG_RUNTIME_DIR/ktime.$daemon
	daemon_ends
	listed | grep -q "^ended $profile "
	"$ktime" show "$profile" | grep -q ' 10 .* first$'
	"$ktime" clean "$profile"
	goes_on --log-file log
	says "background, as process $daemon, where it is profiled: its report will be in $PWD/log"
	daemon_ends
	grep -q '^==[0-9]*== Overhead' log
	goes_on -o "kept.%p"
	says "background, as process $daemon, where it is profiled: ktime show kept.$daemon prints its profile"
	daemon_ends
	"$ktime" show "kept.$daemon" | grep -q " 10 .* first$"
}

# It is another program, whatever its session.
@test "a program that another one starts in a session of its own is not taken for a daemon" {
	run --separate-stderr parent_of "$root/tests/sim/run" sh -c 'setsid "$0" return; exit $?' \
		"$programs/endings"
	[ "$status" -eq 3 ]
	says "this process is not profiled: --profile-child-processes includes it"
	[ "$(reports)" -eq 0 ]
	! grep -q background <<<"$stderr" || false
}

# named WAY: endings under a name that would turn a terminal red.
named()
{
	run --separate-stderr under_ktime bash -c 'exec -a $'"'red\\e[31m'"' "$0" "$1"' "$programs/endings" "$1"
}

@test "control characters in a command line reach no terminal" {
	local line="'red\\x1b[31m'"
	named return
	[ "$status" -eq 3 ]
	says "Profiling application: $line return"
	named SIGKILL
	[ "$status" -eq 137 ]
	run --separate-stderr "$ktime" show "$(left)"
	[[ "$output" == *"Profiling application: $line SIGKILL"* ]]
	[[ "$output" != *$'\e'* ]]
	run --separate-stderr "$ktime" list
	[[ "$output" == *"$line SIGKILL"* ]]
	[[ "$output" != *$'\e'* ]]
	"$ktime" clean "$(left)"
}

# limited BYTES: with files of at most BYTES.
limited()
{
	LD_PRELOAD=$built/libktime.so run --separate-stderr "$root/tests/sim/run" \
		prlimit --fsize="$1" "$programs/endings" return
	[ "$status" -eq 3 ]
	says " first"
}

# A profile's first part takes 64 KiB.
@test "a limit on file sizes ends nothing, and the report is there" {
	limited 65536
	says "The profile $XDG_RUNTIME_DIR/ktime."
	says "could not grow (File too large): what came later is in this report only."
	KTIME_OPTIONS="--log-file log" limited 1024
	says "ktime: the report could not be written to $PWD/log: File too large; it follows here"
}

@test "a profile that is cut while it is written ends nothing" {
	run --separate-stderr under_ktime "$programs/odd_endings" cut "$XDG_RUNTIME_DIR/ktime"
	[ "$status" -eq 0 ]
	grep -q "Another process cut or overwrote the profile" <<<"$stderr"
}

@test "each of several processes with one -o has a file" {
	in_background "$ktime" -o same "$root/tests/sim/run" "$programs/odd_endings" waits
	holder=$(sed -nE '1s/^==([0-9]+)==.*/\1/p' err)
	for i in 1 2 3; do
		run --separate-stderr parent_of -o same "$root/tests/sim/run" "$programs/endings" exit
		[ "$status" -eq 3 ]
		process=$(sed -nE '1s/^==([0-9]+)==.*/\1/p' <<<"$stderr")
		says "ktime: process $holder writes to $PWD/same: this one writes to $PWD/same.$process"
		"$ktime" show "same.$process" | grep -q ' first$'
	done
	go_on
	[ "$(ls same* | wc -l)" -eq 4 ]
	# Nobody holds the name any more.
	run parent_of -o same "$root/tests/sim/run" "$programs/endings" exit
	[ "$status" -eq 2 ]
	[ "$output" = "ktime: same cannot be written: File exists (-f replaces it)" ]
}

only_as_root()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
}

# It may not remove its profile any more.
@test "a program that gave up its rights has its report, and ktime removes its profile" {
	only_as_root
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/odd_endings" gives_up
	[ "$status" -eq 0 ]
	is ' 20 first' rows_left
	[ -z "$(left)" ]
	run --separate-stderr under_ktime "$programs/odd_endings" gives_up
	is ' 20 first' rows_left
	# That it was reported is known, and nothing is offered to be shown.
	is "ended $(left) $programs/odd_endings gives_up" listed
	run "$ktime" show
	! grep -qF "$(left)" <<<"$output" || false
	"$ktime" clean "$(left)"
}

@test "the profile of a program that became another user is named" {
	only_as_root
	run --separate-stderr parent_of "$root/tests/sim/run" "$programs/odd_endings" other
	[ "$status" -eq 137 ]
	profile=$(sed -n 's/.*ended without a report as another user: ktime show \(.*\) prints it$/\1/p' \
		<<<"$stderr")
	"$ktime" show "$profile" | grep -q ' 10 .* first$'
	[ "$(stat -c %u "$profile")" -eq 65534 ]
	"$ktime" clean "$profile"
}

@test "a lock on the file that is replaced holds no program up" {
	echo old >kept
	exec 6<kept
	flock -x 6
	KTIME_OPTIONS="-f -o kept" run --separate-stderr under_ktime "$programs/endings" return 6<&-
	exec 6<&-
	[ "$status" -eq 3 ]
	"$ktime" show kept 2>&1 | grep -q ' first'
}
