#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each finding, in a program that has it and in one that has not, on the simulated device's clock.
load helper

# The findings of a program of commands (see programs/timeline.c), one a line: "KEY COUNT NANOSECONDS".
findings()
{
	SIM_LAUNCH_NS=${SIM_LAUNCH_NS-4000} KTIME_OPTIONS="--verbose --timer cupti -f -o session ${options-}" \
		LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" \
		"$programs/timeline" "$@" 2>report
	"$built/ktime" export --json - session |
		jq -r '.findings[] | "\(.finding) \(.count // "-") \(.time)"'
}

# The same with the device and on how many: "KEY DEVICE DEVICES PERCENT".
findings_by_device()
{
	findings "$@" >/dev/null
	"$built/ktime" export --json - session |
		jq -r '.findings[] | "\(.finding) \(.device // "-") \(.devices // "-") \(.percent | round)"'
}

# times COUNT COMMAND…: so often, in $repeated.
times()
{
	local count=$1
	shift
	repeated=()
	for ((; count > 0; count--)); do repeated+=("$@"); done
}

@test "asynchronous copies of pageable memory are found, and of pinned memory not" {
	findings k,9000000 p,20000000 p,20000000 k,1000000 >out
	grep -qx 'pageable copies 2 2002000' out
	grep -q 'Finding: 2 asynchronous copies of pageable memory, 2.00 ms of the GPU.s 12.0 ms: pin the buffer (cudaHostAlloc), or the call waits for the copy.$' report
	findings k,9000000 c,20000000 c,20000000 k,1000000 >out
	! grep -q '^pageable' out || false
}

# 60 MB at 20 GB/s, 4 us of latency and 1 us of the copy's own.
@test "synchronous copies are found, asynchronous ones not" {
	findings k,1000000 C,60000000 C,60000000 k,1000000 >out
	grep -qx 'synchronous copies 2 6010000' out
	findings k,1000000 p,60000000 p,60000000 k,1000000 >out
	! grep -q '^synchronous' out || false
}

@test "calls that take longer than all of the device's time are no percentage of it" {
	SIM_CALL_NS=cuMemcpyHtoD_v2=20000000 findings C,20000 C,20000 >out
	grep -q '^synchronous copies 2 400' out
	grep -q 'Finding: 2 synchronous copies (cuMemcpyHtoD) kept the host waiting, 40.0 ms: the Async functions' report
	is null jq '.findings[0].percent' <("$built/ktime" export --json - session)
}

@test "synchronous memsets of pinned memory are found, and of device memory not" {
	export SIM_CALL_NS=cuMemsetD8_v2=600000
	findings k,1000000 Z,1000 Z,1000 k,1000000 >out
	grep -qx 'synchronous copies 2 1210000' out
	findings k,1000000 y,1000 y,1000 k,1000000 >out
	! grep -q '^synchronous' out || false
}

@test "what the program does after a memset that waited is after a synchronizing call" {
	findings k,1001 Z,100000 h,5000000 k,100000 >out
	is 5000000 jq '.use[0].causes[] | select(.cause == "program after waiting").total' <("$built/ktime" export --json - session)
	findings k,1001 y,100000 h,5000000 k,100000 >out
	is 0 jq '[.use[0].causes[] | select(.cause == "program after waiting")] | length' <("$built/ktime" export --json - session)
}

@test "synchronizing calls after which the GPU is idle are found, and others not" {
	times 10 k,100000 s h,100000
	findings "${repeated[@]}" k,100000 >out
	grep -qx 'synchronizing calls 10 1000000' out
	is '{"count":10,"longest_ns":100000,"before":"first","after":"first"}' jq -c '.idle.causes[] | select(.a_ns == 1e6).b_gaps' \
		<("$built/ktime" diff --json - session session)
	times 10 k,100000 k,100000 s
	findings "${repeated[@]}" k,100000 >out
	! grep -q '^synchronizing' out || false
}

@test "a long gap is found, and many short ones not" {
	findings k,100000 h,700000000 k,100000 >out
	grep -qx 'long gap - 699898000' out
	times 10 k,100000 h,70000000
	findings "${repeated[@]}" k,100000 >out
	! grep -q '^long gap' out || false
}

@test "short kernels are launch-bound if the GPU waits for launches, and not if it is behind them" {
	times 1100 k,1001
	findings "${repeated[@]}" >out
	grep -q '^launch-bound 1100 ' out
	times 1100 k,4000
	findings "${repeated[@]}" >out
	! grep -q '^launch-bound' out || false
}

@test "allocation for which the GPU waits is found, and while it works not" {
	export SIM_CALL_NS=cuMemAlloc_v2=300000,cuMemFree_v2=200000
	times 5 k,100000 m f
	findings "${repeated[@]}" k,100000 >out
	grep -q '^allocation 10 ' out
	findings k,9000000 m m m k,100000 >out
	! grep -q '^allocation' out || false
}

@test "copies and kernels that never run at once are found, and those that do not" {
	times 5 k,1000000,0 c,50000000,0
	findings "${repeated[@]}" >out
	grep -qx 'no overlap - 5000000' out
	times 5 k,1000000,0 c,50000000,1
	findings "${repeated[@]}" >out
	! grep -q '^no overlap' out || false
}

@test "a launch that loads code for long is found, and one that does not not" {
	export SIM_CALL_NS=cuLaunchKernel=300000000
	SIM_LAUNCH_NS=301000000 findings k,1000000 1/h,1000000 1/k,1000000,1 >out
	grep -q '^loading - ' out
	export SIM_CALL_NS=
	findings k,1000000 1/h,1000000 1/k,1000000,1 >out
	! grep -q '^loading' out || false
}

@test "a GPU that is idle most of the time is found, and one that is not not" {
	findings k,100000 h,5000000 k,100000 >out
	grep -qx 'low use - 4902000' out
	grep -q 'Finding: the GPU was idle, 4.90 ms of the GPU.s 5.10 ms, 4.90 ms of it while the program was between CUDA calls: do the program.s own work in another thread, or larger batches.$' report
	grep -q "Without idle time (4.90 ms) the GPU's 5.10 ms would be 200 us at best.$" report
	is '"gpu" 4902000 200000' jq -r '.without_findings | "\"\(.of)\" \(.idle) \(.left)"' <("$built/ktime" export --json - session)
	findings k,9000000 h,4000000 k,9000000 >out
	! grep -q '^low use' out || false
}

@test "a trace splits idle time by the ranges that the host was in, in figures that add up" {
	options='--keep-trace all' findings k,100000 '[train' '[load' h,5000000 k,100000 ] '[step' h,2000000 k,100000 ] \
		h,1000000 k,100000 ] h,500000 k,100000 >out
	grep -q "Of the 8.11 ms without GPU work the host was in load for 4.90 ms (of its 5.00 ms), in step for 1.90 ms, elsewhere for 1.31 ms.$" report
	is '8108000 load 4900000 5002000 step 1902000 2002000 0 0 1306000' jq -r '.findings[0].idle_by_range |
		[.idle, (.ranges[] | .range, .idle, .host), .others, .in_others, .elsewhere] | join(" ")' \
		<("$built/ktime" export --json - session)
}

@test "a GPU that waits while the program loads is idle, and that is no matter of batches" {
	findings k,1000000 h,59000000000 k,999000000 >out
	grep -qx 'long gap - 58998998000' out
	! grep -q '^low use' out || false
	! grep -q 'larger batches' report || false
}

@test "each device is held to the rules, and the one where it is worst is named" {
	export SIM_DEVICES=2
	# Device 0 is busy, device 1 idle for most of its time: together they are not.
	findings_by_device k,9000000 d,1 k,1000000 h,7000000 k,1000000 d,0 k,9000000 >out
	grep -qx 'low use 1 1 75' out
	grep -q 'Finding: GPU 1: the GPU was idle, 6.00 ms of the GPU.s 8.00 ms, 6.00 ms of it while' report
	findings_by_device k,100000 d,1 k,100000 h,7000000 k,100000 d,0 k,100000 >out
	grep -qx 'low use 0 2 97' out
	grep -q 'Finding: GPU 0: the GPU was idle, 6.91 ms of the GPU.s 7.11 ms, 6.90 ms of it while .*, and on 1 other GPU: do' report
	findings_by_device k,9000000 d,1 k,9000000 d,0 k,9000000 d,1 k,9000000 >out
	! grep -q '^low use' out || false
}

@test "--findings off leaves them out of the report" {
	options='--findings off' findings k,100000 h,5000000 k,100000 >out
	grep -q '^low use' out
	! grep -q Finding report || false
}

@test "a job whose processes wait for the slowest one has that time as one finding" {
	local rank
	# Rank 1 computes for 30 ms more, and rank 0 waits meanwhile.
	for rank in 0 1; do
		PMI_RANK=$rank PMI_SIZE=2 SIM_LAUNCH_NS=4000 KTIME_OPTIONS="--timer cupti -f -o run" \
			LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" "$programs/timeline" \
			"k,$((50000000 + rank * 30000000))" s h,10000000 k,50000000 s \
			"h,$((40000000 - rank * 30000000))" k,1000000 2>/dev/null
	done
	"$built/ktime" show --verbose run.*.ktime >text
	"$built/ktime" show --summary run.*.ktime | grep -q 'GPU 0: busy .* of 302 ms, all processes together, from its first'
	grep -q 'Finding: the work is uneven: rank 1 has 30.0 ms more to do in first than rank 0 (3 calls in each, on average 1.30 times as long); for rank 0 the GPU that all share is idle for 30.0 ms more: it probably waits (a wait in MPI is not seen). Even work saves up to 15.0 ms of a process.s 151 ms, to about 136 ms: give each rank calls of equal length.$' text
	# What is left: 10 ms in each, after either wait.
	grep -q 'Finding: in all processes 4 synchronizing calls, after which the program itself worked and the GPU was idle, 20.0 ms of a process.s 151 ms: look at what the program does there' text
}
