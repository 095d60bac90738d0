#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The reference program in its three builds, without ktime.

load common

@test "saxpy's result and figures are the same in its three builds" {
	for program in saxpy saxpy_shared saxpy_driver; do
		simulate "$workloads/$program"
		[ "$status" -eq 0 ]
		expect_output "Max error: 0.000000
Kernel launches: 1 (threads: 1, streams per thread: 1, the default one)
Kernel time by events (us): 85.320 in all, 85.320 per launch
Effective bandwidth (GB/s): 2949.581
Throughput (GFLOP/s): 491.597"
	done
}

@test "saxpy's result is right with many launches on many streams and threads" {
	for program in saxpy saxpy_shared saxpy_driver; do
		simulate "$workloads/$program" --n 100000 --threads 4 --streams 4 --repetitions 1000
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "Max error: 0.000000" ]
		[ "${lines[1]}" = "Kernel launches: 4000 (threads: 4, streams per thread: 4)" ]
	done
}

@test "saxpy makes two copies to the device, one launch and one copy back" {
	for program in saxpy saxpy_shared saxpy_driver; do
		log=$BATS_TEST_TMPDIR/$program
		SIM_LOG=$log simulate "$workloads/$program" --n 1000
		[ "$status" -eq 0 ]
		work=$(awk '$2 ~ /^cu(Memcpy|Memset|LaunchKernel)/ { print $2, $4, $5 }' "$log")
		[ "$work" = "cuMemcpyHtoD_v2 4000 0
cuMemcpyHtoD_v2 4000 0
cuLaunchKernel 0 0
cuMemcpyDtoH_v2 4000 0" ]
	done
}

@test "saxpy refuses a bad option and explains itself" {
	simulate "$workloads/saxpy" --n ten
	[ "$status" -eq 2 ]
	[[ "$output" == *"--n wants a whole number from 1, not 'ten'"* ]]
	simulate "$workloads/saxpy" --help
	[ "$status" -eq 0 ]
	[[ "$output" == usage:* ]]
}
