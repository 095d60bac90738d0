#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How busy a device was and why it was idle, to the nanosecond: a build of ktime whose host clock is the
# simulated device's. A launch takes the host 2 us, and its kernel starts 4 us after the call's begin.
load helper

model=$BATS_TEST_DIRNAME/timeline_model.py

# timeline COMMAND…: runs them (see programs/timeline.c), and leaves the profile in `session`.
timeline()
{
	SIM_LAUNCH_NS=${SIM_LAUNCH_NS-4000} KTIME_OPTIONS="--verbose ${timer---timer cupti} -f -o session ${options-}" \
		LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" \
		"$programs/timeline" "$@" 2>report
	"$built/ktime" export --json - session >session.json
}

# "WHOLE BUSY KERNELS COPIES" of each device, in nanoseconds, and then its causes: "CAUSE GAPS TOTAL LONGEST".
use()
{
	jq -r '.use[] | "\(.last - .first - .excluded) \(.busy) \(.busy_kernels) \(.busy_copies)",
		(.causes[] | [.cause, .function // empty, .gaps, .total, .longest] | join(" "))' session.json
}

# The same of random commands, as the model has it.
as_the_model_says()
{
	local seed=$1 commands
	# The model has no time between two events.
	export SIM_DEVICES=2 SIM_EVENT_NS=0
	export SIM_CALL_NS=cuMemAlloc_v2=70001,cuMemFree_v2=90007,cuCtxSynchronize=6011,cuStreamSynchronize=5003
	mapfile -t commands < <(python3 "$model" make "$seed")
	timeline "${commands[@]}"
	python3 "$model" expect "${commands[@]}" >expected
	python3 "$model" said session.json | diff expected - || { echo "seed $seed"; return 1; }
}

@test "the program between its calls, and launch latency" {
	timeline k,10000 h,50000 k,10000
	is '62000 20000 20000 0
program 1 38000 38000
launch latency 1 4000 4000' use
	grep -q 'GPU 0: busy 32.3 % of 62.0 us (kernels 32.3 %); idle 67.7 %' report
	grep -q 'Idle: 61.3 % the program between CUDA calls, 6.5 % launch latency.$' report
}

@test "code after a synchronizing call is told apart" {
	timeline k,10000 s h,30000 k,10000
	is '54000 20000 20000 0
program after waiting 1 30000 30000
launch latency 1 4000 4000' use
	grep -q 'Idle: 55.6 % the program between CUDA calls (55.6 % after a synchronizing call), 7.4 % launch latency.$' report
}

@test "calls that kept the host from launching, by name" {
	export SIM_CALL_NS=cuMemAlloc_v2=300000,cuMemFree_v2=200000,cuCtxSynchronize=7000
	timeline k,10000 m k,10000 s f k,10000
	is '533000 30000 30000 0
launch latency 2 8000 4000
call cuMemAlloc 1 288000 288000
call cuMemFree 1 200000 200000
call cuCtxSynchronize 1 7000 7000' use
}

@test "an operation that was launched long before waits for the device" {
	export SIM_DEVICES=2
	timeline k,10000 d,1 k,100000 r,0 d,0 w,0 k,10000
	is '112000 20000 20000 0
dependency 1 92000 92000
100000 100000 100000 0' use
}

@test "a launch that takes long at first is one that loads its module" {
	export SIM_CALL_NS=cuLaunchKernel=390000
	SIM_LAUNCH_NS=400000 timeline k,10000 1/h,50000 1/k,10000,1
	is '452000 20000 20000 0
program 1 32000 32000
first launch 1 392000 392000
launch latency 1 8000 8000' use
}

@test "copies, memsets and kernels, and how far they overlap" {
	timeline k,10000,0 k,100000,0 c,2500000,1 s h,10000 C,1000000 z,2000000
	is '181000 163000 110000 104000
program after waiting 1 10000 10000
launch latency 1 4000 4000
short 1 4000 4000' use
	grep -q 'busy 90.1 % of 181 us (kernels 60.8 %, copies 57.5 %, both at once 28.2 %; kernels take 1.1 times as long as copies); idle 9.9 %' report
}

@test "gaps are those of the thread that launched next" {
	timeline k,10000 1/h,100000 1/k,5000,1 h,150000 k,8000
	is '160000 23000 23000 0
program 1 88000 88000
launch latency 1 4000 4000
program 1 41000 41000
launch latency 1 4000 4000' use
	[ "$(jq '.use[0].causes[].thread' session.json | sort -u | wc -l)" -eq 2 ]
	options=--idle timeline k,10000 1/h,100000 1/k,5000,1 h,150000 k,8000
	[ "$(grep -c '^before operations of thread ' report)" -eq 2 ]
}

@test "each device has its own" {
	export SIM_DEVICES=2
	timeline k,10000 d,1 h,30000 k,40000 d,0 k,10000
	is '44000 20000 20000 0
program 1 18000 18000
launch latency 1 4000 4000
call cuLaunchKernel 1 2000 2000
40000 40000 40000 0' use
}

@test "several contexts on one device are said" {
	timeline k,10000 n k,40000 h,80000 k,10000
	grep -q 'GPU 0: several contexts share it' report
	[ "$(jq .use[0].several_contexts session.json)" = true ]
}

@test "a gap in which the profiling window was closed counts for nothing" {
	timeline k,10000 h,50000 k,10000 s - h,5000000 k,7000 s + h,5000000 k,10000 h,50000 k,10000
	is '124000 40000 40000 0
program 2 76000 38000
launch latency 2 8000 4000' use
	[ "$(jq '.use[0].excluded' session.json)" -gt 10000000 ]
}

@test "once the program makes graphs the call that ended a gap is found by its time" {
	local commands=(k,10000 h,50000 g h,30000 g s h,20000 g g g m f g S,0 h,9000 c,500000 h,40000 g)
	export SIM_EVENT_NS=0 SIM_CALL_NS=cuMemAlloc_v2=70000,cuMemFree_v2=90000,cuCtxSynchronize=7000
	options='--graph node' timeline "${commands[@]}"
	use >matched
	timer= timeline "${commands[@]}"
	use | diff matched -
	[ "$(jq '[.use[].causes[] | select(.cause == "unresolved")] | length' session.json)" -eq 0 ]
}

@test "once the program makes graphs a record that comes behind later ones counts all the same" {
	timer= SIM_EVENT_NS=0 timeline g s 1/k,10000,1 ! @,2000000 k,10000 h,50000 k,10000 s ! 1/k,20000,1 1/S,1 ! h,30000 k,10000
	[ "$(jq -c '.use[0] | [.busy, .late]' session.json)" = '[90000,0]' ]
}

@test "programs of random commands are as a second account of the device's time has them" {
	for seed in 1 2 3 4 5 6 7 110 162; do
		as_the_model_says $seed
	done
}

@test "records that come late, in pieces and newest first change nothing" {
	SIM_CUPTI_LATE=64 as_the_model_says 8
	SIM_CUPTI_LATE=3 as_the_model_says 12
	SIM_CUPTI_REVERSE=1 as_the_model_says 14
}

@test "without activity records it is said that busy and idle are not known" {
	KTIME_OPTIONS='--timer events' same_as_alone "$programs/timeline" k,10000 h,50000 k,10000
	says "GPU busy and idle: not known, as CUDA events say how long an operation took and not when."
	[ "$(report | grep -c 'GPU 0:')" -eq 0 ]
}
