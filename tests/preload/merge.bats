#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The profiles of a job's processes as one report: sums, and which process is slow. tests/jobs has
# the same with real launchers.

load helper

reduce=ncclDevKernel_AllReduce_Sum_f32_RING_LL

# ranked RANK RANKS ARGUMENT…: one process of a job; rank 2 is slow, and the others wait for it.
ranked()
{
	local times=work=10000,$reduce=25000
	[ "$1" -ne 2 ] || times=work=30000,$reduce=5000
	PMI_RANK=$1 PMI_SIZE=$2 SIM_KERNEL_NS=$times KTIME_OPTIONS="-o run ${KTIME_OPTIONS-}" \
		under_ktime "$programs/ranked" "${@:3}" 2>/dev/null
}

# job RANKS COUNT
job()
{
	local rank
	for ((rank = 0; rank < $1; rank++)); do
		ranked "$rank" "$1" "$2"
	done
}

# by_process FILE…: the table of rows over processes.
by_process()
{
	"$built/ktime" show "$@" | sed -n '/^By process:/,/^Slowest/p' | sed '1d;$d' | tr -s ' '
}

@test "the merged report has the most that a rank held of memory, and what all did not free" {
	job 4 3
	"$built/ktime" show --verbose run.*.ktime 2>&1 | grep -F 'Memory: ' | cut -d' ' -f 2- >line
	is "Memory: of one process at most 4.0 KB on device 0 (rank 0 on $(hostname) and 3 more); in all 4 of 4 allocations held at exit, 16 KB." cat line
	"$built/ktime" merge -o all.ktime run.*.ktime
	is '[4096,4096]' eval '"$built/ktime" export --json - all.ktime | jq -c ".job.processes[2] | [.memory_peak, .memory_held]"'
	is '["total",4096,16384]' eval '"$built/ktime" export --json - all.ktime | jq -c ".memory[] | select(.kind == \"total\") | [.kind, .peak, .held]"'
}

@test "the merged report names the slow rank, and its imbalance exactly" {
	job 4 10
	# work: 300 us against a mean of (3 * 100 + 300) / 4 = 150
	is "Imbalance Min Mean Max Processes Calls Slowest Its calls Name
 1.25 50.000us 200.00us 250.00us 4 10 rank 0 on $(hostname) 10 $reduce
 2.00 100.00us 150.00us 300.00us 4 10 rank 2 on $(hostname) 10 work
 1.00 12.040us 12.040us 12.040us 4 10 - - [CUDA memcpy HtoD]" by_process run.*.ktime
	run "$built/ktime" show run.*.ktime
	[[ "$output" == *"======== Processes: 4 on 1 node, which share one GPU, of 4 ranks (PMI); times are sums over them."* ]]
	# The total, the calls, the average, the least and the most of all ranks.
	[[ "$(tr -s ' ' <<<"$output")" == *" 600.00us 40 15.000us 10.000us 30.000us work"* ]]
}

@test "what was surely spent waiting follows from the sums" {
	job 4 10
	"$built/ktime" merge -o all.ktime run.*.ktime
	[ "$("$built/ktime" export --json - all.ktime |
		jq -c '[.job.processes[] | [.rank.number, .collectives, .waiting_least, .waiting]]')" = \
		'[[0,250000,200000,null],[1,250000,200000,null],[2,50000,0,null],[3,250000,200000,null]]' ]
	"$built/ktime" show --slowest 1 all.ktime | grep -A2 '^Slowest processes, by GPU time without collectives, 1 of 4:' |
		tail -1 | grep -qE '^ +2 +362\.04us +50\.000us +>0ns '
}

@test "a killed rank's rows up to the kill are in the sums, and it is named" {
	ranked 0 2 10
	run ranked 1 2 4 /dev/null
	"$built/ktime" show run.*.ktime >merged
	grep -qxF "======== Killed, or still running: rank 1 on $(hostname); what it did until then is in the sums." merged
	tr -s ' ' <merged | grep -qF " 140.00us 14 10.000us 10.000us 10.000us work"
}

@test "a merged profile can be merged again, in any order" {
	job 4 3
	"$built/ktime" merge -o all.ktime run.*.ktime
	"$built/ktime" show run.*.ktime >expected
	"$built/ktime" show all.ktime | diff expected -
	"$built/ktime" merge -o some.ktime run.[01].ktime
	"$built/ktime" merge -o others.ktime run.[23].ktime
	"$built/ktime" show some.ktime others.ktime | diff expected -
	"$built/ktime" merge -o again.ktime some.ktime others.ktime
	"$built/ktime" show again.ktime | diff expected -
	is "$(by_process run.*.ktime)" by_process run.3.ktime some.ktime run.2.ktime
}

@test "what cannot be merged is named and left out" {
	job 3 2
	cp run.0.ktime copy.ktime
	head -c 100000 run.1.ktime >short.ktime
	echo text >text.ktime
	printf '\377' | dd of=run.2.ktime bs=1 seek=8 conv=notrunc status=none
	(KTIME_OPTIONS="-o other" PMI_RANK=1 PMI_SIZE=9 under_ktime "$programs/ranked" 2 2>/dev/null)
	run --separate-stderr "$built/ktime" merge -o all run.0.ktime copy.ktime short.ktime text.ktime \
		run.2.ktime other.1.ktime none.ktime run.1.ktime
	[ "$status" -eq 0 ]
	is "ktime: left out: copy.ktime: given twice
ktime: left out: short.ktime: a ktime profile that is cut short
ktime: left out: text.ktime: not a ktime profile
ktime: left out: run.2.ktime: a profile of another version of ktime
ktime: left out: other.1.ktime: of another job
ktime: left out: none.ktime: No such file or directory" printf '%s\n' "$stderr"
	"$built/ktime" show all >report
	grep -qF "Processes: 2 on 1 node" report
	grep -qxF "======== No profile of rank 2." report
	grep -qxF "======== Left out: text.ktime: not a ktime profile." report
	run --separate-stderr "$built/ktime" merge -o all all.x text.ktime
	[ "$status" -eq 1 ]
}

@test "a profile that was written over in its middle is named damaged" {
	job 2 2
	local size at byte
	# Behind the header and the names: a part of the rows, wherever their segment lies.
	at=$(LC_ALL=C grep -obUaP 'segm\x01\x00' run.1.ktime | head -n 1 | cut -d: -f1)
	at=$((at + 464)) size=3000
	for byte in '\000' '\377' 'x'; do
		cp run.1.ktime over.ktime
		head -c $size /dev/zero | tr '\000' "$byte" |
			dd of=over.ktime bs=4096 seek=$at oflag=seek_bytes conv=notrunc status=none
		run "$built/ktime" show over.ktime
		[ "$status" -ne 0 ]
		[[ "$output" = "ktime: over.ktime: a ktime profile that is damaged" ]]
		run --separate-stderr "$built/ktime" merge -f -o all run.0.ktime over.ktime
		[ "$stderr" = "ktime: left out: over.ktime: a ktime profile that is damaged" ]
	done
}

@test "nothing is written where nothing can be merged, and no file is replaced unasked" {
	echo text >text.ktime
	run "$built/ktime" merge -o all.ktime text.ktime
	[ "$status" -eq 1 ]
	[ ! -e all.ktime ]
	job 2 1
	run "$built/ktime" merge -o text.ktime run.0.ktime
	[ "$status" -eq 1 ]
	[ "$output" = "ktime: text.ktime: File exists (-f replaces it)" ]
	"$built/ktime" merge -f -o text.ktime run.0.ktime
	run "$built/ktime" merge -o run.0.ktime run.1.ktime run.0.ktime
	[ "$status" -eq 2 ]
	run "$built/ktime" merge run.0.ktime
	[ "$output" = "ktime merge: no output given (-o FILE)" ]
}

@test "the calls of ranks that only count are in the sums, and they are named" {
	KTIME_OPTIONS="--ranks 0,2" job 4 5
	"$built/ktime" show run.*.ktime >merged
	grep -qxF "======== Counted only: rank 1 on $(hostname), rank 3 on $(hostname)." merged
	is " 1.50 50.000us 100.00us 150.00us 2 5 rank 2 on $(hostname) 5 work" grep ' work$' <(by_process run.*.ktime)
	"$built/ktime" merge -o all.ktime run.*.ktime
	[ "$("$built/ktime" export --json - all.ktime | jq '[.rows[] | select(.name == "work") | .calls] | add')" = 20 ]
}

@test "merging takes as much memory for many profiles as for few, but for a line of each" {
	not_under_sanitizers "it takes memory of its own"
	local few many
	few=$("$built/tests/command/merge_many" 50 40 2>&1 >first | cut -d' ' -f1)
	many=$("$built/tests/command/merge_many" 1050 40 2>&1 >last | cut -d' ' -f1)
	[ "$(cat first)" = "1.485 49 40 rows of 50 processes" ]
	[ "$(cat last)" = "1.499 1049 40 rows of 1050 processes" ]
	# 0.45 KB, and as much for finding out that one is given twice.
	[ $((many - few)) -lt 1500 ] || { echo "$few KiB, $many KiB"; false; }
}

@test "a bar on a terminal shows how far the merge is" {
	command -v script >/dev/null || skip "no script(1) here"
	job 2 1
	local files=(run.1.ktime)
	for ((i = 0; i < 79; i++)); do files+=(run.0.ktime); done
	script -qec "'$built/ktime' merge -o all.ktime ${files[*]}" /dev/null </dev/null >screen
	grep -qF 'Merging [####################                    ] 40 of 80' screen
	run --separate-stderr "$built/ktime" merge -f -o all.ktime "${files[@]}"
	[[ "$stderr" != *Merging* ]]
	[[ "$stderr" == *"ktime: left out: 58 more files" ]]
}

@test "traces merge into one timeline, each process's records under its rank" {
	KTIME_OPTIONS="--keep-trace all" job 2 3
	"$built/ktime" merge -o all.ktime run.*.ktime
	"$built/ktime" export --chrome all.json all.ktime
	[ "$(jq -r '.traceEvents[] | select(.name == "process_name") | [.pid, .args.name] | @tsv' all.json | sort -n)" = \
		"$(printf '%s\t%s\n' 1 "rank 0 on $(hostname): ranked" 2 "rank 1 on $(hostname): ranked" \
			1073741888 "rank 0 on $(hostname): GPU 0: Simulated GPU" \
			1073741952 "rank 1 on $(hostname): GPU 0: Simulated GPU")" ]
	[ "$(jq -c '[.traceEvents[] | select(.name == "work" and .ph == "X") | .pid] | group_by(.) | map(length)' all.json)" = "[3,3]" ]
	# An arrow begins in the process whose operation it leads to.
	[ "$(jq -c '[.traceEvents[] | select(.ph == "s" or .ph == "f")] | group_by(.id) |
		map([.[0].pid, (.[1].pid - 1073741824) / 64 | floor] | .[0] == .[1]) | unique' all.json)" = "[true]" ]
	"$built/ktime" show --print-gpu-trace all.ktime >trace
	"$built/ktime" show --print-gpu-trace run.*.ktime | diff trace -
	diff <("$built/ktime" show all.ktime | grep -v '^=* Trace:') <("$built/ktime" show run.*.ktime)
	"$built/ktime" show all.ktime | grep -q '^=* Clocks: the ends of a collective'
	[ "$(grep -c ' 0: Simulate.*work ' trace)" -eq 3 ]
	[ "$(grep -c ' 1: Simulate.*work ' trace)" -eq 3 ]
	[ "$("$built/ktime" export --json - all.ktime | jq -c '[.job.processes[] | has("waiting")]')" = "[true,true]" ]
	"$built/ktime" merge -o again.ktime all.ktime
	"$built/ktime" export --chrome - again.ktime | cmp all.json -
	run "$built/ktime" export --sqlite all.sqlite all.ktime
	[ "$output" = "ktime: all.ktime is merged: --sqlite exports the profile of one process" ]
}

# ranged RANK RANKS WAY
ranged()
{
	PMI_RANK=$1 PMI_SIZE=$2 KTIME_OPTIONS="-o run ${KTIME_OPTIONS-}" \
		under_ktime "$programs/ranges" "$3" 2>/dev/null
}

@test "NVTX ranges are summed by path, with their spread over the processes" {
	ranged 0 3 nested
	ranged 1 3 nested
	ranged 2 3 threads
	"$built/ktime" merge -o all.ktime run.*.ktime
	for rank in 0 1 2; do
		"$built/ktime" export --json - run.$rank.ktime | jq '.ranges' >ranges.$rank
	done
	# By path: the sums of what each process's profile has.
	paths='[.[] | .name as $name | {name: $name, calls, gpu: .all.time}] | group_by(.name) |
		map({name: .[0].name, calls: map(.calls) | add, gpu: map(.gpu) | add})'
	is "$(jq -s -c "add | $paths" ranges.[012])" jq -c ".ranges | $paths" <("$built/ktime" export --json - all.ktime)
	"$built/ktime" merge -o some.ktime run.[02].ktime
	"$built/ktime" show all.ktime >expected
	"$built/ktime" show run.1.ktime some.ktime | diff <(sed '/Overhead:/d' expected) <(sed '/Overhead:/d')
	sed -n '/^GPU time in NVTX ranges, by process:/,/^Slowest/p' expected | grep -q ' 11.000us .* 2  -  *main$'
}

@test "hardware counters are those of all launches that were read" {
	local rank
	for rank in 0 1; do
		KTIME_OPTIONS="-o run --metrics flop_count_sp" PMI_RANK=$rank PMI_SIZE=2 under_ktime \
			"$built/workloads/saxpy" --n 1024 --repetitions $((4 + 2 * rank)) >/dev/null 2>&1
	done
	"$built/ktime" show run.*.ktime | sed -n '/Metric result:/,$p' | tr -s ' ' >report
	grep -qxF " 5 flop_count_sp Floating Point Operations(Single Precision) 4096 4096 4096" report
}
