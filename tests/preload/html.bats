#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The pages of programs on the simulated device: their figures are those of the text.
load helper

table=$BATS_TEST_DIRNAME/../command/page_table.py
reduce=ncclDevKernel_AllReduce_Sum_f32_RING_LL

# ranked RANK RANKS COUNT: one process of a job; rank 2 is slow, and the others wait for it.
ranked()
{
	local times=work=10000,$reduce=25000
	[ "$1" -ne 2 ] || times=work=30000,$reduce=5000
	PMI_RANK=$1 PMI_SIZE=$2 SIM_KERNEL_NS=$times KTIME_OPTIONS="-o run" \
		under_ktime "$programs/ranked" "$3" 2>/dev/null
}

@test "the page of a job has its processes side by side, and what they have of each row" {
	for rank in 0 1 2; do
		ranked $rank 4 100
	done
	"$built/ktime" show run.*.ktime >text
	"$built/ktime" show --html page.html run.*.ktime
	is "$reduce|1.36|500.00us|1.8333ms|2.5000ms|3|100|rank 0|100
work|1.80|1.0000ms|1.6667ms|3.0000ms|3|100|rank 2|100
[CUDA memcpy HtoD]|1.00|120.40us|120.40us|120.40us|3|100|-|-" "$table" page.html balance-table
	# Rank, GPU time, collectives, waiting, busy, idle, memory and the node, as in the text.
	sed -n '/^Slowest processes/,$p' text |
		awk 'NR > 2 { print $1 "||" $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 " " $8 "|" $9 }' >expected
	[ "$(cut -d'|' -f 1 expected | tr '\n' ' ')" = "2 0 1 " ]
	"$table" page.html processes-table | diff expected -
	grep -q '<li>Processes: 3 on 1 node, which share one GPU, of 4 ranks (PMI); times are sums over them.</li>' page.html
	grep -q '<li>No profile of rank 3.</li>' page.html
	grep -q '>The slowest alone, rank 2: <code>ktime show --html run.2.html run.2.ktime</code>' page.html
	grep -q '<span>The work is uneven: rank 2 has 2.00 ms more to do in work than the others on average' page.html
	! grep -q 'id="use"' page.html || false
}

@test "the page has NVTX ranges as a tree" {
	KTIME_OPTIONS="-o session" under_ktime "$programs/ranges" nested >/dev/null 2>&1
	"$built/ktime" show --quiet -s session | sed -n '/^NVTX/,$p' | sed '1,2d' |
		awk '{ print $8 "|" $1 "|" $2 "|" $3 "|" $4 "|" $5 "|" $6 "|" $7 }' >expected
	[ "$(wc -l <expected)" -eq 4 ]
	"$built/ktime" show --html page.html session
	"$table" page.html ranges-table | diff expected -
	is 'data-depth="0"
data-depth="1"
data-depth="2"
data-depth="1"' eval "sed '/ranges-table/,/<.table>/!d' page.html | grep -o 'data-depth=\"[0-9]*\"'"
}

@test "the page has copies beside their link, and by size from a trace" {
	KTIME_OPTIONS="--bandwidth --keep-trace all -o session" \
		under_ktime "$built/workloads/saxpy" >/dev/null 2>&1
	"$built/ktime" show --bandwidth --quiet session |
		awk '/^ *Bytes/ { inside = 1; next } inside && NF == 0 { exit } inside { print $NF == "HtoD]" ? "HtoD" : "DtoH", $1, $2, $3, $4 }' >expected
	"$built/ktime" show --html page.html session
	"$table" page.html copies-table |
		awk -F'|' '{ print $1 ~ /HtoD/ ? "HtoD" : "DtoH", $4, $7, $8, $9 }' | diff expected -
	[ -s expected ]
	# All bytes of the table are in the classes.
	is "$("$table" page.html copies-table | awk -F'|' '{ print $1, $3, $4 }')" \
		eval "'$table' page.html copy-sizes-table | awk -F'|' '{ print \$1, \$4, \$5 }'"
	"$table" page.html
}

# causes_agree COMMAND…: of programs/timeline.c, the idle time of device 0 in the page's timeline is what
# the report has, cause by cause.
causes_agree()
{
	KTIME_OPTIONS="--timer cupti --keep-trace all -f -o session" LD_PRELOAD=$built/sim/libktime_virtual.so \
		"$root/tests/sim/run" "$programs/timeline" "$@" 2>report
	"$built/ktime" show -f --html page.html session
	"$built/ktime" export --json - session | jq -r '.use[0].causes | group_by(.cause)[] |
		"idle-\(.[0].cause | sub("^launch |program (?=after)"; "") | gsub(" "; "-")) \(map(.total) | add)"' | sort >expected
	"$(dirname "$table")/page_timeline.py" page.html | jq -r '.[] | select(.label == "GPU 0 idle").records |
		group_by(.[3])[] | "\(.[0][3]) \(map(.[1]) | add)"' | sort >got
	diff expected got
}

@test "idle time in the page's timeline adds up to that of the report, cause by cause" {
	SIM_LAUNCH_NS=4000 causes_agree k,10000 h,50000 k,1100 k,1100 k,1100 C,4000000 h,30000 k,20000 \
		c,1000000,1 h,300000 g h,90000 1/k,9000,2
	[ "$(wc -l <expected)" -ge 4 ]
	[ "$("$table" page.html timeline-table | cut -d'|' -f 1 | head -n 1)" = "GPU 0 idle" ]
	! grep -q 'of idle time more under' page.html || false
	# A launch that takes long at first loads its module.
	SIM_CALL_NS=cuLaunchKernel=390000 SIM_LAUNCH_NS=400000 causes_agree k,10000 1/h,50000 1/k,10000,1
	grep -q '^idle-first-launch ' expected
	# An allocation by the driver API is in no trace: the page says so.
	! SIM_CALL_NS=cuMemAlloc_v2=300000 SIM_LAUNCH_NS=4000 causes_agree k,10000 m k,10000 || false
	grep -q '<p class="remark">GPU 0: the timeline has 288.00us of idle time more under “the program between CUDA calls”, which the bar above has mostly under “a CUDA call”, as' page.html
}
