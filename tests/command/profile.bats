#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The command with a program that uses the GPU, on the simulated device.

load common

saxpy() {
	echo "$root/tests/sim/run '$build/workloads/saxpy' --n 1024"
}

@test "the report comes on stderr, the program's output on stdout" {
	run sh -c "'$ktime' $(saxpy) 2>/dev/null"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Max error: 0.000000" ]
	[[ "$output" != *Profiling* ]]
	run sh -c "'$ktime' $(saxpy) 2>&1 >/dev/null"
	[[ "${lines[0]}" =~ ^==[0-9]+==\ ktime\ is\ profiling\ process\ [0-9]+,\ command:\ .*saxpy ]]
	[[ "$output" == *"saxpy(int, float, float*, float*)"* ]]
}

@test "--log-file takes the report, and is complete" {
	run sh -c "'$ktime' --log-file 'out.%p' $(saxpy) 2>&1 >/dev/null"
	prints ""
	[ "$(ls | wc -l)" -eq 1 ]
	grep -q '^==[0-9]*== GPU 0: busy ' out.*
}

@test "what is to be nvprof's file has nothing behind nvprof's table" {
	for form in --csv "--format nvprof"; do
		run sh -c "'$ktime' $form --log-file out $(saxpy) 2>&1 >/dev/null"
		[[ "$output" == *"== GPU 0: busy "* ]]
		tail -n 1 out | grep -q 'cuda[A-Za-z]*"*$'
		run sh -c "'$ktime' $form --quiet --log-file out $(saxpy) 2>&1 >/dev/null"
		prints ""
		run sh -c "'$ktime' $form $(saxpy) 2>&1 >/dev/null"
		[[ "${lines[-1]}" =~ cuda[A-Za-z]*\"?$ ]]
	done
}

@test "processes that the program starts are profiled where that is asked for" {
	run sh -c "'$ktime' sh -c \"$(saxpy) | cat\" 2>&1"
	[[ "$output" == *"Max error"* ]]
	[[ "$output" != *Profiling* ]]
	run sh -c "'$ktime' --profile-child-processes sh -c \"$(saxpy) | cat\" 2>&1"
	[[ "$output" == *"Profiling result"* ]]
}

@test "-o keeps the session, and show prints the same table from it" {
	run sh -c "'$ktime' -o session --print-summary $(saxpy) 2>report >/dev/null"
	[ "$status" -eq 0 ]
	[[ "$(tail -n 1 report)" == *"Generated result file: $PWD/session" ]]
	"$ktime" show session >shown
	[ "$(grep -c saxpy shown)" -ge 1 ]
	[ "$(sed -n '/^ *Type/,/^==/p' report | grep -v '^==')" = \
		"$(sed -n '/^ *Type/,/^==/p' shown | grep -v '^==')" ]
}

@test "-o alone prints no table" {
	run sh -c "'$ktime' -o session $(saxpy) 2>&1 >/dev/null"
	[[ "$output" != *"Time(%)"* ]]
	[[ "$output" == *"Generated result file"*"The table: ktime show $PWD/session" ]]
	[ -s session ]
}

@test "an option that nvprof had gets one line, and the program runs" {
	run sh -c "'$ktime' --analysis-metrics $(saxpy) 2>&1"
	[ "$(grep -c 'Warning: --analysis-metrics is ignored' <<<"$output")" -eq 1 ]
	[[ "$output" == *"Max error"* ]]
}

@test "a trace is kept, printed again, and its size told" {
	run sh -c "'$ktime' --verbose --print-gpu-trace -o 'session.%p' $(saxpy) 2>report >/dev/null"
	[ "$status" -eq 0 ]
	[[ "$(tail -n 1 report)" == *"Generated result file: $(echo "$PWD"/session.*)" ]]
	grep -Eq '^==[0-9]+== Trace: [0-9]+ records kept, ' report
	[ "$(grep -c '\[CUDA memcpy HtoD\]' report)" -eq 2 ]
	"$ktime" show --print-gpu-trace session.* >shown
	[ "$(sed -n '/^   Start/,/^$/p' report)" = "$(sed -n '/^   Start/,/^$/p' shown)" ]
}

@test "nothing is left behind where no session is asked for" {
	mkdir temporary runtime
	TMPDIR=$PWD/temporary XDG_RUNTIME_DIR=$PWD/runtime run sh -c "'$ktime' $(saxpy) 2>&1"
	TMPDIR=$PWD/temporary XDG_RUNTIME_DIR=$PWD/runtime \
		run sh -c "'$ktime' --print-gpu-trace $(saxpy) 2>&1"
	[ -z "$(ls temporary runtime | grep ktime)" ]
}

@test "a trace is kept without being printed, and its size may be limited to the newest" {
	run sh -c "'$ktime' --keep-trace all -o session $(saxpy) --repetitions 5000 2>report >/dev/null"
	[ "$status" -eq 0 ]
	! grep -q 'Grid Size' report || false
	[ "$("$ktime" show --quiet --print-gpu-trace session | awk 'NR > 1' | wc -l)" -eq 5003 ]
	sh -c "'$ktime' -f --verbose --trace gpu --keep-trace 256K -o session $(saxpy) --repetitions 5000 2>report >/dev/null"
	"$ktime" show --quiet --print-gpu-trace session | awk 'NR > 1' >shown
	kept=$(wc -l <shown)
	# Four segments of 64 KiB, the last of them part-filled.
	[ "$kept" -gt 1500 ] && [ "$kept" -lt 2200 ]
	# Records of the memory held are among them, which are no lines.
	[[ "$(grep Trace: report)" =~ "Trace: "([0-9,]+)" of 5,0"[0-9]{2}" records kept, " ]]
	records=${BASH_REMATCH[1]//,/}
	[ "$records" -ge "$kept" ] && [ "$records" -le $((kept + 40)) ]
	[[ "$(tail -n 1 shown)" == *"[CUDA memcpy DtoH]" ]]
	"$ktime" export --chrome - session | jq -e '.traceEvents | length > 1500' >/dev/null
	# A time that the run does not reach keeps all of it.
	sh -c "'$ktime' -f --trace gpu --keep-trace 100s -o session $(saxpy) --repetitions 500 2>/dev/null >/dev/null"
	[ "$("$ktime" show --quiet --print-gpu-trace session | awk 'NR > 1' | wc -l)" -eq 503 ]
}

@test "--keep-trace without a profile is told" {
	KTIME_OPTIONS="--keep-trace 1M" run sh -c "LD_PRELOAD='$build/libktime.so' $(saxpy) 2>&1"
	[[ "$output" == *"Warning: --keep-trace keeps nothing without -o FILE"* ]]
	run "$ktime" --keep-trace 0 -o session true
	prints "ktime: option --keep-trace: '0' is not one of SIZE|TIME|all"
}

@test "the lines below the table say one thing each, --verbose says more" {
	sh -c "'$ktime' $(saxpy) 2>report >/dev/null"
	[ "$(sed '1,/API calls:/d' report | grep -c '^==')" -le 3 ]
	! grep -Eq 'Timing:|Overhead:|Memory:|Timed by CUDA events too' report || false
	sh -c "'$ktime' --verbose $(saxpy) 2>report >/dev/null"
	grep -q '^==[0-9]*== Timing: CUPTI; all 4 GPU operations timed.$' report
	grep -Eq '^==[0-9]+== Overhead: the run took about [0-9.]+ [mu]s longer \([0-9.]+ % of [0-9.]+ [mu]?s\), [0-9.]+ [mu]s of CPU in the background, [0-9.]+ [KM]B\.$' report
	grep -q '^==[0-9]*== Timed by CUDA events too: 3 of 4 operations.$' report
	grep -q '^==[0-9]*== Overhead on the program.s threads: ' report
}

@test "nothing between cudaProfilerStart and cudaProfilerStop is told" {
	run sh -c "'$ktime' --profile-from-start off $(saxpy) 2>&1"
	[[ "$output" == *"Warning: nothing was profiled: with --profile-from-start off only what runs between cudaProfilerStart and cudaProfilerStop is"* ]]
}

@test "sampled rows are marked, and what they are estimated from is told" {
	sh -c "'$ktime' --verbose --timer events --events 1/100 --print-gpu-summary $(saxpy) --repetitions 5000 2>report >/dev/null"
	# On a busy machine the pairs wait for the host: then it is an upper bound, which has no interval.
	grep -Eq 'Timing: CUDA events on [0-9]+ of 5,003 operations' report
	! grep -Eq '% +≤[0-9.]+[mu]s +5000 .*saxpy' report || return 0
	grep -Eq '% +~[0-9.]+[mu]s +[0-9.]+% +5000 .*saxpy' report
	grep -q 'operations; rows marked ~ are estimates\.$' report
	grep -Eq '~ saxpy\(int, float, float\*, float\*\): [0-9.]+ ± [0-9.]+ [mu]s \(95 %\), from [0-9]+ of 5,000 calls\.$' report
}
