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
	run sh -c "'$ktime' --csv --log-file 'out.%p' $(saxpy) 2>&1 >/dev/null"
	prints ""
	[ "$(ls | wc -l)" -eq 1 ]
	grep -q '^"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"$' out.*
	tail -n 3 out.* | grep -q '^==[0-9]*== Cost of ktime: '
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
	[[ "$output" == *"Generated result file"* ]]
	[ -s session ]
}

@test "an option that nvprof had gets one line, and the program runs" {
	run sh -c "'$ktime' --metrics all $(saxpy) 2>&1"
	[ "$(grep -c 'Warning: --metrics is ignored' <<<"$output")" -eq 1 ]
	[[ "$output" == *"Max error"* ]]
}

@test "a trace is kept, printed again, and its size told" {
	run sh -c "'$ktime' --print-gpu-trace -o 'session.%p' $(saxpy) 2>report >/dev/null"
	[ "$status" -eq 0 ]
	[[ "$(tail -n 1 report)" == *"Generated result file: $(echo "$PWD"/session.*)" ]]
	grep -Eq '^==[0-9]+== Trace: [0-9]+ records, ' report
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
