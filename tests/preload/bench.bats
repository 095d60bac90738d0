#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `ktime bench` runs a program several times.
load helper

bench()
{
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" bench "$@"
}

@test "bench keeps a profile of each run, which diff takes as one side" {
	bench -n 3 -o 'a 100%' "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	[ "$(ls 'a 100%')" = "$(printf 'run-%03d.ktime\n' 1 2 3)" ]
	grep -q '^ *Type     Calls      Time   StdDev       Avg   StdDev  Name$' <<<"$stderr"
	grep -q '^ GPU activities: ' <<<"$stderr"
	grep -q '^      API calls: ' <<<"$stderr"
	[ "${stderr_lines[-1]}" = "Means of 3 runs, and the standard deviation between runs." ]
	run "$built/ktime" diff 'a 100%' 'a 100%'
	[ "${lines[0]}" = "no difference beyond 2 %" ]
	[ "${lines[1]}" = "A: a 100% (ktime profile, 3 runs)" ]
	[ "${lines[-1]%%.*}" = "3 and 3 runs" ]
}

@test "bench ends with the first run that fails" {
	bench -n 3 "$programs/endings" return
	[ "$status" -eq 3 ]
	[ "$output" = worked ]
	[ "${stderr_lines[-1]}" = "ktime bench: run 1 of 3 failed" ]
	bench -n 3 -f "$programs/endings" SIGKILL
	[ "$status" -eq 137 ]
	[ "$(ls endings.runs)" = run-001.ktime ]
}

@test "bench replaces earlier runs only if it is told to" {
	mkdir saxpy.runs
	touch saxpy.runs/{run-007.ktime,notes}
	bench -n 1 "$built/sim/workloads/saxpy"
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: saxpy.runs: File exists (-f replaces its profiles, -o takes another folder)" ]
	bench -fn 1 "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	[ "$(ls saxpy.runs | sort)" = "$(printf '%s\n' notes run-001.ktime)" ]
}

@test "runs that fail leave earlier runs as they were" {
	local program
	bench -n 2 -o runs "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	sha256sum runs/* >before
	for program in "$programs/endings return" "$programs/endings SIGKILL" ./none true; do
		# shellcheck disable=SC2086
		bench -n 2 -f -o runs $program
		[ "$status" -ne 0 ]
		sha256sum -c --quiet before
		[ "$(echo runs*)" = runs ]
	done
	bench -n 1 -f -o runs "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	[ "$(ls runs)" = run-001.ktime ]
	[ "$(echo runs*)" = runs ]
}

@test "bench of what is no CUDA program is told, and leaves no folder" {
	bench true
	[ "$status" -eq 1 ]
	[ "${stderr_lines[-1]}" = "ktime bench: run 1 left no profile: no CUDA was used" ]
	run -127 --separate-stderr "$built/ktime" bench ./none
	[ ! -e true.runs ]
	[ ! -e none.runs ]
	bench
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: no program given; usage: ktime bench [options] PROGRAM [arguments]" ]
	bench -n 0 true
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: option --runs: '0' is out of range: 1 to 1000" ]
}

@test "what follows the program's name is the program's" {
	bench -n 1 sh -c 'printf "%s\n" "$*"' sh -n 7 -- --csv
	[ "$output" = "-n 7 -- --csv" ]
}
