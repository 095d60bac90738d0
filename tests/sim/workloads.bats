#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The workloads beside saxpy on the simulated device, without ktime: their results are right, their
# figures follow from the device's times, and they explain themselves.

load common

plain_workloads="vecadd matcopy bandwidth flops latency async heat"

@test "every workload explains itself, and no option is missing" {
	for program in saxpy $plain_workloads; do
		simulate "$workloads/$program" --help
		[ "$status" -eq 0 ]
		[[ "$output" == "usage: "* ]]
		# Each option of the source's table is in the text.
		for option in $(sed -n 's/.*WORKLOAD_[A-Z]*("\([a-z-]*\)".*/\1/p' \
			"$BATS_TEST_DIRNAME"/../../workloads/"$program"{,_common}.c* 2>/dev/null); do
			[[ "$output" == *"--$option"* ]] || { echo "$program: no --$option"; false; }
		done
	done
}

# refuses PROGRAM MESSAGE ARGUMENT…
refuses() {
	local program=$1 message=$2
	shift 2
	simulate "$workloads/$program" "$@"
	[ "$status" -eq 2 ] || { echo "$program $*: $status"; return 1; }
	[[ "$output" == *"$message"* ]] || { echo "$program $*: $output"; return 1; }
}

@test "a malformed option is refused" {
	refuses vecadd "--n wants a whole number from 1, not '0'" --n 0
	refuses vecadd "--block wants a whole number from 1 to 1024, not '1025'" --block 1025
	refuses vecadd "--wait wants spin or block, not 'sleep'" --wait sleep
	refuses matcopy "--type wants int or float or double, not 'half'" --type half
	refuses matcopy "--repetitions wants a whole number from 1 to 128, not '1e3'" --repetitions 1e3
	refuses bandwidth "--bytes wants a whole number from 1, not '32M'" --bytes 32M
	refuses bandwidth "--memory wants both or pinned or pageable, not 'managed'" --memory managed
	refuses flops "--kernel wants all or add or multiply-add, not 'multiply'" --kernel multiply
	refuses latency "no such file: No such file or directory" --cubin "no such file"
	refuses heat "--variant wants copies or resident or coalesced or graph, not 'fast'" --variant fast
	refuses async "--milliseconds wants a whole number from 1 to 1000, not ''" --milliseconds ''
	for program in $plain_workloads; do
		refuses "$program" "usage: " --no-such-option
		refuses "$program" "usage: " superfluous
	done
}

@test "saxpy's variants compute the same, also where the slices are no multiple of four" {
	for program in saxpy saxpy_shared saxpy_driver; do
		for variant in plain grid-stride float4; do
			simulate "$workloads/$program" --variant $variant --block 512 --n 100003 \
				--threads 2 --streams 3 --repetitions 12
			[ "$status" -eq 0 ]
			[ "${lines[0]}" = "Max error: 0.000000" ]
		done
	done
}

@test "saxpy's grid-stride kernel has as many threads as the device holds at a time" {
	# 132 multiprocessors of 2048 threads: 1000 ns and 1 ns for 256 threads, and 2400 of the events.
	simulate "$workloads/saxpy" --variant grid-stride
	[ "${lines[2]}" = "Kernel time by events (us): 4.456 in all, 4.456 per launch" ]
	simulate "$workloads/saxpy" --variant float4
	[ "${lines[2]}" = "Kernel time by events (us): 23.880 in all, 23.880 per launch" ]
}

@test "vecadd adds, copies three vectors to the device and one back, and times one launch" {
	log=$BATS_TEST_TMPDIR/log
	SIM_LOG=$log simulate "$workloads/vecadd"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Vector size 16777216" ]
	[ "${lines[1]}" = "vector_add <<<16384, 1024>>>, the host waits in a loop" ]
	[[ "${lines[2]}" == "Kernel time by gettimeofday() (us): "* ]]
	[[ "${lines[3]}" == "Kernel time by clock() (us): "* ]]
	[ "${lines[4]}" = "Kernel time by events (us): 68.936" ]
	[ "${lines[5]}" = "Arrays match." ]
	work=$(awk '$2 ~ /^cu(Memcpy|Memset|LaunchKernel)/ { print $2, $4 }' "$log")
	[ "$work" = "cuMemcpyHtoD_v2 67108864
cuMemcpyHtoD_v2 67108864
cuMemcpyHtoD_v2 67108864
cuLaunchKernel 0
cuMemcpyDtoH_v2 67108864" ]
}

@test "vecadd waits asleep for an event" {
	log=$BATS_TEST_TMPDIR/log
	SIM_LOG=$log simulate "$workloads/vecadd" --n 1000 --wait block
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "vector_add <<<1, 1024>>>, the host waits asleep" ]
	[ "${lines[5]}" = "Arrays match." ]
	! grep -q cuCtxSynchronize "$log" || false
}

@test "matcopy copies by each variant and type, and tells what its bandwidth is of DRAM's" {
	for type in int float double; do
		simulate "$workloads/matcopy" --n 500 --type $type
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == "Copy of a 500 x 500 matrix of $type: "* ]]
		[ "$(grep -c ' right$' <<<"$output")" -eq 3 ]
		[ "${lines[5]}" = "Both matrices fit the L2 cache (62.915 MB): no share of DRAM's bandwidth." ]
	done
	SIM_KERNEL_NS='*=100000' simulate "$workloads/matcopy" --n 3000 --variant transposed
	[ "$status" -eq 0 ]
	expect_output "Copy of a 3000 x 3000 matrix of float: 72.000 MB read and written, launches: 1
variant        time (us)        GB/s    of DRAM  result
transposed       102.400     703.125      14.3%  right"
}

@test "heat's variants compute the same" {
	for variant in copies resident coalesced graph; do
		simulate "$workloads/heat" --variant $variant --n 65 --steps 203
		[ "$status" -eq 0 ]
		[[ "$output" == "203 steps of a 65 x 65 grid: "* ]]
	done
}

@test "a call that fails ends the program, which names it" {
	SIM_FAULT=cuMemcpyHtoD_v2:1:1 simulate "$workloads/matcopy" --n 100
	[ "$status" -eq 1 ]
	[[ "$output" == *"matcopy: cudaMemcpy("*": invalid argument" ]]
}

@test "bandwidth times copies of each direction and kind of memory" {
	simulate "$workloads/bandwidth"
	[ "$status" -eq 0 ]
	expect_output "direction         memory         bytes   a copy (us)        GB/s
host to device    pinned      33554432       673.488      49.822
device to host    pinned      33554432       673.488      49.822
device to device  -           33554432        36.954    1816.011
host to device    pageable    33554432      3360.642       9.985
device to host    pageable    33554432      3360.642       9.985
Result: PASS"
	simulate "$workloads/bandwidth" --range --memory pinned --copies 1
	[ "$status" -eq 0 ]
	[ "$(grep -c '^host to device' <<<"$output")" -eq 9 ]
	[ "$(grep -c '^device to device' <<<"$output")" -eq 9 ]
}

@test "flops counts N*N additions and 128*N multiply-adds a thread, beside the peak of the device" {
	simulate "$workloads/flops" --n 10 --blocks 2 --threads 32
	[ "$status" -eq 0 ]
	expect_output "Peak of float (GFLOP/s): 66908.2
Peak of double (GFLOP/s): 33454.1
kernel        type    blocks  threads     time (us)       GFLOP/s   of peak  result
add           float        2       32         3.401         1.882    0.003%  right
add           double       2       32         3.401         1.882    0.006%  right
multiply-add  float        2       32         3.401        48.174    0.072%  right
multiply-add  double       2       32         3.401        48.174    0.144%  right"
	simulate "$workloads/flops" --n 2 --kernel add --type float
	[ "$(grep -c ' right$' <<<"$output")" -eq 15 ]
}

@test "latency notices that a kernel did not do its work" {
	# The simulated device has no code for it.
	simulate "$workloads/latency"
	[ "$status" -eq 1 ]
	expect_output "latency: overhead: thread 0's result is wrong"
}

@test "async tells by the kernel ahead which calls have waited, and what events miss" {
	SIM_KERNEL_NS=_Z4spinx=5000000 simulate "$workloads/async"
	[ "$status" -eq 0 ]
	returned=$(sed -nE 's/^  (.*[^ ]) +[0-9.]+  (yes|no) +(yes|no)$/\1: \2/p' <<<"$output")
	[ "$returned" = "kernel launch: yes
cudaMemcpy DtoD, 4 MB: yes
cudaMemcpy HtoD, 64 KB, pageable: no
cudaMemcpy HtoD, 4 MB, pageable: no
cudaMemcpy HtoD, 64 KB, pinned: no
cudaMemcpy DtoH, 64 KB, pageable: no
cudaMemcpyAsync HtoD, 4 MB, pinned: yes
cudaMemcpyAsync DtoH, 4 MB, pinned: yes
cudaMemcpyAsync HtoD, 4 MB, pageable: yes
cudaMemcpyAsync DtoH, 4 MB, pageable: yes
cudaMemset, 4 MB: yes
cudaMemsetAsync, 4 MB: yes
cudaDeviceSynchronize: no" ] || { echo "$returned"; false; }
	events=$(sed -nE 's/^  (events .*[^ ]) +([0-9.]+)$/\1: \2/p' <<<"$output")
	[ "$events" = "events in the kernel's stream: 5.002
events in another stream, which has no kernel: 0.001
events around a kernel that waits for one in another stream: 5.002
events in the default stream around two kernels side by side: 5.008" ] || { echo "$events"; false; }
}
