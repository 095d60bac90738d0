#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What event pairs hold by themselves is measured on the device, and the clocks' check does not depend on
# what it checks.
load helper

# "OVERHEAD STANDARD_ERROR PAIRS" of kernels, or of copies.
overhead()
{
	"$built/ktime" export --json - session |
		jq -r ".overheads.$1 | \"\(.overhead) \(.standard_error) \(.pairs)\""
}

# "AVERAGE NAME" of the rows by events, in nanoseconds; pageable copies hold the host's part.
averages()
{
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.events and .host_included == 0) |
		"\(.events.total / .events.count | round) \(.name)"' | sort -k2
}

# Each kind of work 10 times, in turns in one stream.
kinds()
{
	KTIME_OPTIONS=${options-$events} same_as_alone "$programs/gates" kinds
}

setup_file()
{
	export KTIME_GATE=auto
	export events="--timer events --events all -f -o session"
}

@test "the overhead is that of the device, whatever it is" {
	for device in "1400 1000" "600 200" "9000 3000"; do
		read -r event kernel <<<"$device"
		SIM_EVENT_NS=$event SIM_KERNEL_EVENT_NS=$kernel SIM_READING_NS=$kernel kinds
		is "$((event + kernel)) 4" eval "overhead kernel | cut -d' ' -f1,3"
		is "$event 1 16" overhead copy
		averages >measured
		[ ! -e first ] || diff first measured
		cp measured first
	done
	is '1001 first' grep first first
}

@test "the stated uncertainty holds the truth where a kernel takes more or less beside its readings" {
	for reading in 0 300 1000 1900 4000; do
		SIM_READING_NS=$reading kinds
		read -r measured error pairs <<<"$(overhead kernel)"
		# The truth is 2400. A uniform distribution ends at 1.73 standard deviations.
		[ $(((measured - 2400) * 100)) -le $((175 * error)) ]
		[ $(((2400 - measured) * 100)) -le $((175 * error)) ]
		[ "$error" -gt 250 ]
	done
}

@test "while CUPTI records, the overhead is a pair's time less CUPTI's of ktime's own operations" {
	options="--events all -f -o session --cross-check"
	SIM_READING_NS=4000 kinds
	is '2400 1 4' overhead kernel
	is '1400 1 4' overhead copy
	is 0 counter unmatched_records
	! report | grep -q self_timing || false
	# Kernels and memsets: the copies and what follows them change engines.
	is 20 eval "report | awk '/^ *agree/ { checked += \$3 } END { print checked }'"
}

@test "a clock that is wrong on one kind of operation does not agree" {
	options="--events all -f -o session --cross-check"
	SIM_MEMSET_EVENT_NS=23800 kinds
	report | grep -qE "^ *DISAGREE .* 24.8.*us.*memset. .reason unknown."
	says "Timers: CUPTI and events disagree by more than 0.2 us and 2 % on 1 of"
	is 10 eval "report | awk '/^ *agree/ { checked += \$3 } END { print checked }'"
}

# "CALLS TIMED QUEUED AVERAGE" of the kernel, of 10 us, by the calls that were timed.
queued()
{
	SIM_QUEUED_NS=700 SIM_KERNEL_NS='*=10000' KTIME_OPTIONS="--timer events $1 -f -o session" \
		same_as_alone "$programs/queued" "$2"
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.name == "first") |
		"\(.calls) \(.events.count) \(.queued // 0) \(.events.total / .events.count)"'
}

@test "times of a row by events are right where its launches were queued" {
	# All but the first 20 launches, and the one into the idle stream behind them.
	queued "--events all" memsets >row
	is '40 40 19 10000' cat row
	# Each behind another gated one, but for those two.
	queued "--events all" launches >row
	is '220 0 10000' eval "cut -d' ' -f1,3,4 row"
	# Behind calls that have a pair or have none, as it happens.
	queued "--events 1/2" launches >row
	read -r calls timed queued average <row
	is '220 10000' echo "$calls $average"
	[ "$queued" -gt 0 ]
	[ "$queued" -lt "$timed" ]
	is '700 16' eval "overhead queued | cut -d' ' -f1,3"
}

@test "an overhead that cannot be measured is not taken off, and a line says so" {
	for call in cuModuleLoadData cuModuleGetFunction cuModuleGetGlobal_v2 cuLaunchKernel_ptsz \
		cuMemHostRegister_v2; do
		KTIME_OPTIONS=$events SIM_FAULT=$call:*:999 same_as_alone "$built/workloads/saxpy" --n 1024
		is '0 0 0' overhead kernel
		says "Times of kernels, memsets and device copies include the event-pair overhead, which was not measured (a running program's is, at its end)"
	done
	options="--events all -f -o session --cross-check"
	SIM_FAULT=cuLaunchKernel_ptsz:*:999 kinds
	is 0 eval "report | grep -cE '^ *(agree|DISAGREE)'"
	says "(the event-pair overhead was not measured)"
}

@test "where devices are of several kinds a line says on which one the overhead was measured" {
	SIM_DEVICES=2 KTIME_OPTIONS=$events same_as_alone "$programs/gates" contexts
	! report | grep "Event-pair overhead was measured" || false
	SIM_DEVICES=2 SIM_MIXED=1 KTIME_OPTIONS=$events same_as_alone "$programs/gates" contexts
	says "Event-pair overhead was measured on device "
	says "a Other GPU"
	is 1 eval "report | grep -c 'a Other GPU.*Simulated GPU\|a Simulated GPU.*Other GPU'"
}

@test "nothing is measured while a stream captures" {
	KTIME_OPTIONS=$events SIM_LOG=$PWD/calls same_as_alone "$built/sim/programs/capture"
	[ -z "$(awk '$2 == "cuStreamBeginCapture_v2" { on = 1 } $2 == "cuStreamEndCapture" { on = 0 }
		on && $2 == "cuModuleLoadData" { print }' calls)" ]
}

@test "rows whose pairs may hold a wait are counted, and no others" {
	# The pinned copies behind kernels, the copies within the device behind those, and the copies to pageable memory.
	options="$events --verbose" kinds
	says "Upper bounds: 3 of 5 rows by CUDA events"
	is $'[CUDA memcpy HtoD]\n[CUDA memcpy DtoH]\n[CUDA memcpy DtoD]' eval "report | sed -n 's/^Upper bound: //p'"
	# Only kernels, each behind the one before.
	KTIME_OPTIONS=$events same_as_alone "$programs/gates" blocked
	! report | grep -q "Upper bounds" || false
	KTIME_OPTIONS="$events --gate off" same_as_alone "$programs/gates" blocked
	says "Upper bounds: 1 of 1 rows by CUDA events"
}
