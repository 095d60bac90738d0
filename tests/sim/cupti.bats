#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The simulated CUPTI, used by a program of its own, without ktime.

load common

@test "records have the device's times, and go back once their work is finished" {
	SIM_KERNEL_NS='first=50000000' simulate "$programs/records" 100000 2
	[ "$status" -eq 0 ]
	expect_output "flush
synchronize and flush
buffer
copy 1 bytes 1000 stream 7: 1050
call cuMemcpyHtoD_v2: 0
memset 1000: 1000
call cuMemsetD8Async: 0
kernel first stream 7 correlation 10: 50000000
call cuLaunchKernel: 0
kernel first stream 13 correlation 11: 50000000
call cuLaunchKernel: 0
call cuCtxSynchronize: 0
flush by force
buffer
kernel first stream 7 correlation 13: 0
call cuLaunchKernel: 0"
}

@test "full buffers go back, and no record is lost" {
	simulate "$programs/records" 1000 200
	[ "$status" -eq 0 ]
	[ "$(grep -c '^kernel first' <<<"$output")" -eq 201 ]
	[ "$(grep -c '^buffer' <<<"$output")" -gt 50 ]
	! grep -q dropped <<<"$output" || false
}

@test "records are dropped and counted where SIM_CUPTI_DROP says so" {
	SIM_CUPTI_DROP=10 simulate "$programs/records" 100000 97
	[ "$(grep -c '^kernel first' <<<"$output")" -eq 88 ]
	[ "$(awk '/^dropped/ { dropped += $2 } END { print dropped }' <<<"$output")" -eq 10 ]
}

@test "records come late where SIM_CUPTI_LATE says so, and all at a forced flush" {
	SIM_CUPTI_LATE=3 simulate "$programs/records" 100000 5
	before=$(sed '/^flush by force/,$d' <<<"$output" | grep -c '^kernel')
	[ "$before" -eq 2 ]
	[ "$(grep -c '^kernel' <<<"$output")" -eq 6 ]
}

@test "CUPTI refuses where SIM_CUPTI_REFUSE says so" {
	SIM_CUPTI_REFUSE=39 simulate "$programs/records" 100000 5
	[ "$status" -eq 1 ]
	[[ "$output" == *"cuptiActivityRegisterCallbacks(request, complete) is 39, not 0" ]]
}
