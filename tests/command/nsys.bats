#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --format nsys prints what nsys prints of the same records.

load common

same_as_nsys() {
	"$ktime" show --quiet --format nsys --csv "$(golden $1)" | diff - "$golden/$2.csv"
}

@test "CSV equals that of nsys: a program of many calls" {
	same_as_nsys nsys_many nsys_many
}

@test "CSV equals that of nsys: one of each" {
	same_as_nsys nvprof_mix nsys_mix
}

@test "CSV equals that of nsys: from 1 ns to 12345 s" {
	same_as_nsys nvprof_units nsys_units
}

@test "CSV equals that of nsys: rows of two devices are one" {
	same_as_nsys nvprof_2gpu nsys_2gpu
}

@test "text equals that of nsys" {
	"$ktime" show --quiet --format nsys "$(golden nsys_many)" |
		diff - "$golden/nsys_many.txt"
}

@test "the summary options choose the reports" {
	run "$ktime" show --quiet --format nsys --print-api-summary \
		"$(golden nvprof_mix)"
	[ "$status" -eq 0 ]
	[ "$(grep -c '\*\*' <<<"$output")" -eq 1 ]
	grep -q '(cuda_api_sum):' <<<"$output"
	run "$ktime" show --quiet --format nsys --print-gpu-summary \
		"$(golden nvprof_mix)"
	[ "$(grep -c '\*\*' <<<"$output")" -eq 3 ]
}

@test "filters, --top and --demangling work on nsys's rows" {
	run "$ktime" show --quiet --format nsys --csv --print-gpu-summary --kernels '^foo|foo<' \
		"$(golden nvprof_demangle)"
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[1]}" = '58.3,700,1,700.0,700.0,700,700,0.0,"void foo<int, (bool)1>(T1 *)"' ]
	run "$ktime" show --quiet --format nsys --csv --print-gpu-summary --top 1 \
		--demangling off "$(golden nvprof_demangle)"
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[1]}" = '22.2,1000,1,1000.0,1000.0,1000,1000,0.0,_Z6vecAddPKfS0_Pfi' ]
}

@test "what the session has none of is said in text alone" {
	run sh -c "'$ktime' show --format nsys '$(golden nvprof_nokernels)' 2>/dev/null"
	grep -qx 'SKIPPED: the profile does not contain CUDA kernel data.' <<<"$output"
	run "$ktime" show --quiet --format nsys --csv "$(golden nvprof_nokernels)"
	! grep -q SKIPPED <<<"$output" || false
}
