#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The simulated runtime, without ktime.

load common

@test "each runtime call that works the device is one call of the driver's, with its bytes" {
	for way in static shared per_thread; do
		log=$BATS_TEST_TMPDIR/$way
		SIM_LOG=$log simulate "$programs/runtime_calls_$way"
		[ "$status" -eq 0 ]
		awk '$2 ~ /^(HtoD|DtoH|DtoD|HtoH|PtoP|HtoA|memset|movement|captured|kernel|graph)$/ { print $3 }' \
			<<<"$output" >"$log.asked"
		# What moves memory or launches, by the driver's log.
		awk '$2 ~ /^cu(Memcpy|Memset|MemPrefetch|LaunchKernel|LaunchCoop|GraphLaunch)/ && $5 == 0 { print $4 }' \
			"$log" >"$log.done"
		diff "$log.asked" "$log.done"
	done
}

@test "the per-thread default stream's calls reach the driver's entries for it" {
	log=$BATS_TEST_TMPDIR/log
	SIM_LOG=$log simulate "$programs/runtime_calls_per_thread"
	[ "$status" -eq 0 ]
	grep -q ' cuMemcpyHtoD_v2_ptds 0x2 101 0' "$log"
	grep -q ' cuLaunchKernel_ptsz ' "$log"
	! grep -qE ' cu(LaunchKernel|MemcpyHtoD_v2) ' "$log" || false
}

@test "a failed call's error is the thread's last until it is asked" {
	simulate "$programs/runtime_calls_static"
	[ "$status" -eq 0 ]
	[ "$(tail -4 <<<"$output")" = "cudaMemcpy failed 0 1
cudaPeekAtLastError none 0 1
cudaGetLastError none 0 1
cudaGetLastError none 0 0" ]
}
