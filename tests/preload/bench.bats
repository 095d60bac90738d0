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
	[ "${stderr_lines[-4]}" = "Means of 3 runs, and the standard deviation between runs." ]
	[[ ${stderr_lines[-3]} =~ ^"Wall time: "[0-9.]+" ± "[0-9.]+" "m?s" ("[0-9.]+" "m?s" to "[0-9.]+" "m?s")"$ ]]
	[[ ${stderr_lines[-2]} =~ ^"GPU time: 12.7 ± 0.0 ms (12.7 ms to 12.7 ms); busy "[0-9.]+" ± "[0-9.]+" % of the wall time ("[0-9.]+" to "[0-9.]+" %)"$ ]]
	[ "${stderr_lines[-1]}" = "Next: ktime diff 'a 100%' OTHER, the folder of another bench" ]
	run "$built/ktime" diff 'a 100%' 'a 100%'
	[ "${lines[0]}" = "no difference beyond 2 %" ]
	[ "${lines[1]}" = "A: a 100% (ktime profile, 3 runs): $built/sim/workloads/saxpy" ]
	grep -q "^3 and 3 runs\. " <<<"$output"
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
	[ "${stderr_lines[-1]}" = "ktime bench: run 1 of 5 left no profile: no CUDA was used" ]
	run -127 --separate-stderr "$built/ktime" bench ./none
	[ ! -e true.runs ]
	[ ! -e none.runs ]
	bench
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: no program given; usage: ktime bench [options] PROGRAM [arguments], ktime bench [options] -- A -- B" ]
	bench -n 0 true
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: option --runs: '0' is out of range: 1 to 1000" ]
}

@test "what follows the program's name is the program's" {
	bench -n 1 sh -c 'printf "%s\n" "$*"' sh -n 7 -- --csv
	[ "$output" = "-n 7 -- --csv" ]
}

@test "two programs are run in turns, prepared and warmed up, and compared" {
	local order
	bench -w 1 -n 2 --prepare 'echo prepared; echo x >>prepared' -o runs -- \
		"$built/sim/workloads/saxpy" -- "$built/sim/workloads/saxpy" --n 4000000
	[ "$status" -eq 0 ]
	order=$(grep -o 'us): [0-9.]*' <<<"$output")
	[ "$order" = "$(printf 'us): %s\n' 85.320 19.025 85.320 19.025 85.320 19.025)" ]
	[ "$(grep -c prepared <<<"$stderr")" -eq 6 ]
	[ "$(wc -l <prepared)" -eq 6 ]
	[ "$(echo runs/*/*)" = "runs/A/run-001.ktime runs/A/run-002.ktime runs/B/run-001.ktime runs/B/run-002.ktime" ]
	# What comes first depends on the host's time, which is real.
	grep -Eq '(^B is 5.24 times faster on the GPU|^B is .* on the GPU 5.24 times faster) \(12.7 ms -> 2.42 ms' <<<"$stderr"
	grep -q '^GPU rows: 1 faster, 2 less data; API rows: ' <<<"$stderr"
	grep -qx 'The commands differ in: nothing / --n 4000000' <<<"$stderr"
	grep -q '^Wall time: ratio 0\.' <<<"$stderr"
	grep -q '^A: GPU time: 12.7 ± 0.0 ms' <<<"$stderr"
	grep -q '^B: GPU time: 2.42 ± 0.00 ms' <<<"$stderr"
	[ "${stderr_lines[-1]}" = "Next: ktime diff --html diff.html runs/A runs/B" ]
	bench -n 1 -f -o runs --csv --json out.json -- "$built/sim/workloads/saxpy" -- "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == '"Type","Calls A",'* ]]
	grep -qx 'ktime bench: no difference beyond 10 %.*' <<<"$stderr"
	[ "$(jq -c '[.format, (.results | map(.folder)), .comparison.gpu_total.verdict, (.comparison.idle.causes | length > 0)]' out.json)" = '[1,["runs/A","runs/B"],"same",true]' ]
	[ "$(echo runs/*/*)" = "runs/A/run-001.ktime runs/B/run-001.ktime" ]
}

@test "the means are printed as CSV and JSON, and standard output has nothing else" {
	bench -n 2 -o runs --csv --json out.json "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = '"Type","Calls","Time","StdDev(%)","Least","Most","Avg","Avg StdDev(%)","Name"' ]
	[[ ${lines[1]} == '"Runs",,'*',,,"wall time"' ]]
	[ "${lines[2]}" = '"Runs",,12668832,0.000000,12668832,12668832,,,"GPU time"' ]
	[ "${lines[4]}" = '"GPU activities",2,8390608,0.000000,8390608,8390608,4195304.000,0.000000,"[CUDA memcpy HtoD]"' ]
	grep -q '^Kernel launches' <<<"$stderr"
	! grep -q 'Kernel launches\|Wall time' <<<"$output" || false
	[ "$(jq -c '.results[0] | [.folder, .command[1:], .gpu_ns, (.runs | length), .runs[1].gpu_ns, .rows[0].total_ns.most]' out.json)" = \
		'["runs",[],{"mean":12668832,"deviation":0,"least":12668832,"most":12668832},2,12668832,8390608]' ]
	[ "$(jq '.results[0].wall_ns | .least <= .mean and .mean <= .most and .deviation >= 0' out.json)" = true ]
	bench -n 1 -f -o runs --json out.json "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	bench -n 1 -o other --json out.json "$built/sim/workloads/saxpy"
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: out.json: File exists (-f replaces it)" ]
	[ ! -e other ]
}

@test "on a terminal bench says how far it is" {
	script -qec "'$root/tests/sim/run' '$built/ktime' bench -w 1 -n 1 -o runs '$built/sim/workloads/saxpy'" /dev/null </dev/null >screen
	grep -q '^ktime bench: warm-up run 1 of 1: [0-9.]* m\?s, about [0-9.]* m\?s left' screen
	grep -q '^ktime bench: run 1 of 1: [0-9.]* m\?s.$' screen
	grep -q '^GPU time: 12.7 ms; busy [0-9.]* % of the wall time' screen
}

@test "what cannot be benched is said, and leaves nothing" {
	bench --prepare 'exit 3' -o runs "$built/sim/workloads/saxpy"
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktime bench: the command of --prepare failed: exit 3" ]
	bench -o runs -- "$built/sim/workloads/saxpy" --
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime bench: one program given; usage: ktime bench [options] -- A -- B" ]
	bench -n 2 -o runs -- true -- "$built/sim/workloads/saxpy"
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktime bench: run 1 of 2 of A left no profile: no CUDA was used" ]
	[ ! -e runs ]
}
