#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

@test "show prints a session file on stdout" {
	run sh -c "'$ktime' show '$(golden nvprof_noapi)' 2>/dev/null"
	[ "$status" -eq 0 ]
	prints "======== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:  100.00%  5.0000us         1  5.0000us  5.0000us  5.0000us  k(void)
No API activities were profiled."
}

@test "-i prints on stderr as nvprof did" {
	run sh -c "'$ktime' -i '$(golden nvprof_noapi)' 2>/dev/null"
	[ "$status" -eq 0 ]
	prints ""
	run sh -c "'$ktime' --csv -i '$(golden nvprof_noapi)' 2>&1 >/dev/null"
	[ "${lines[1]}" = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"' ]
}

@test "options may follow the file, and several files are printed" {
	run "$ktime" show "$(golden nvprof_noapi)" --quiet \
		"$(golden nvprof_nokernels)" --print-gpu-summary
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[2]}" = "No kernels were profiled." ]
}

@test "show writes to a log file" {
	run "$ktime" show --log-file "out.%%" --quiet "$(golden nvprof_noapi)"
	[ "$status" -eq 0 ]
	prints ""
	[ "$(wc -l <out.%)" -eq 3 ]
}

@test "a file of garbage, a directory and no file are told" {
	head -c 100000 /dev/urandom >garbage
	run "$ktime" show garbage
	[ "$status" -eq 1 ]
	prints "ktime: garbage: not a ktime session"
	run "$ktime" -i garbage
	[ "$status" -eq 1 ]
	run "$ktime" show .
	prints "ktime: .: Is a directory"
	run "$ktime" show none
	prints "ktime: none: No such file or directory"
}

@test "a full disk is told" {
	local file=$(golden nvprof_mix)
	run "$ktime" show --log-file /dev/full "$file"
	[ "$status" -eq 1 ]
	prints "ktime: the report of $file was not written: No space left on device"
}

@test "what nvprof had and ktime has not gets one line" {
	run sh -c "'$ktime' show --metrics all '$(golden nvprof_noapi)' 2>&1 >/dev/null"
	prints '======== Warning: --metrics is ignored: ktime times, it does not count: use `ncu --metrics`'
}
