#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# NVTX ranges: which GPU time is in which range, whatever the program does with them.
load helper

# "RANGE CALLS ALL-OPERATIONS ALL-NANOSECONDS OWN-OPERATIONS OWN-NANOSECONDS" by the names of a range
# and of those around it, of all threads together.
ranges()
{
	"$built/ktime" export --json - "${1:-session}" | jq -r '.ranges as $all |
		def path: (if .parent == null then "" else ($all[.parent] | path) + "/" end) +
			(if .domain == "" then "" else .domain + "@" end) + .name;
		[$all[] | {path: path, calls, all, own, style}] | group_by([.path, .style])[] |
		[.[0].path + (if .[0].style == "start/end" then " (start/end)" else "" end),
			(map(.calls) | add), (map(.all.operations) | add), (map(.all.time) | add),
			(map(.own.operations) | add), (map(.own.time) | add)] | @tsv' | tr '\t' ' ' | LC_ALL=C sort
}

# in_ranges MODE: runs the program, with $options.
in_ranges()
{
	export KTIME_OPTIONS="-f -o session --keep-trace all $options"
	same_as_alone_but_for_levels "$programs/ranges" "$@"
}

# Without a tool NVTX answers that nobody counts the levels.
same_as_alone_but_for_levels()
{
	run --separate-stderr under_ktime "$@"
	[ "$status" -eq 0 ]
}

@test "a range holds what is called in it and in the ranges inside of it" {
	in_ranges nested
	is "main 1 11 11000 1 1000
main/inner 1 1 1000 1 1000
main/step 3 9 9000 3 3000
main/step/inner 3 6 6000 6 6000" ranges
	# A push and a pop answer the range's level, from 0.
	is "level 0 level 1 level 2 level 1 level 2 level 1 level 2" echo $output
}

@test "ranges are printed as a tree, those with most GPU time first" {
	in_ranges nested
	# Without the host's times.
	"$built/ktime" show session --quiet -s | sed -n '/NVTX/,$p' |
		sed -E 's/^(.{37}).{10}(.{10}).{10}/\1\2/; s/ +$//' >got
	is "NVTX ranges:
 GPU(%)  GPU time       Own   GPU ops     Calls  Range
 91.67%  11.000us  1.0000us        11         1  main
 75.00%  9.0000us  3.0000us         9         3    step
 50.00%  6.0000us  6.0000us         6         3      inner
  8.33%  1.0000us  1.0000us         1         1    inner" cat got
}

@test "folded stacks have the GPU's time by range and kernel, and what is in no range" {
	in_ranges nested
	"$built/ktime" export --folded folded session
	is "[CUDA memset] 1000
main;[CUDA memset] 1000
main;inner;[CUDA memset] 1000
main;step;[CUDA memset] 3000
main;step;inner;[CUDA memset] 6000" env LC_ALL=C sort folded
	# A semicolon parts ranges, and a line's end lines.
	in_ranges named $'a;b\nc 5'
	"$built/ktime" export -f --folded folded session
	[ "$(grep -c 'a,b\\x0ac 5@a,b\\x0ac 5;\[CUDA memset\] [0-9]*$' folded)" -eq 1 ] || { cat folded; false; }
	[ "$(awk '{ sum += $NF } END { print sum }' folded)" = \
		"$("$built/ktime" export --json - session | jq '[.rows[] | select(.kind == "memset") | .cupti.total] | add')" ]
}

@test "each domain has a stack of its own, and they need not be nested" {
	in_ranges domains
	is "library@call 1 6 6000 2 2000
library@call/library@call 1 4 4000 4 4000
outer 1 1 1000 0 0
outer/library@call 0 1 1000 1 1000" ranges
	is "level 0 level 0 level 0 the same domain: 1 level 1 level -1" echo $output
}

@test "a thread's ranges hold what that thread calls" {
	in_ranges threads
	is "both 2 3 3000 0 0
both/one 1 1 1000 1 1000
both/two 1 2 2000 2 2000
starter 1 4 4000 4 4000" ranges
	[ "$("$built/ktime" export --json - session | jq '[.ranges[].thread] | unique | length')" -ge 2 ]
}

@test "a start/end range holds what all threads call, also one that began before CUDA did" {
	in_ranges started
	is "inside 1 1 1000 1 1000
library@other (start/end) 1 6 6000 6 6000
request (start/end) 1 3 3000 3 3000" ranges
	is 1 counter ranges_unbalanced
}

@test "names come as text, wide, registered and not at all, and long ones are cut" {
	in_ranges names
	is " 1 3 3000 3 3000
LONG 1 5 5000 5 5000
aten::mm 3 3 3000 3 3000
aten::mm, sizes = [[2, 3]] 3 3 3000 3 3000
café 1 2 2000 2 2000
wide 1 4 4000 4 4000
wide €@registered 1 1 1000 1 1000" sh -c \
		"$(declare -f ranges); built='$built'; ranges | sed 's/x\\{511\\} /LONG /' | LC_ALL=C sort"
}

@test "a pop without a range is answered with -1 and counted" {
	in_ranges unbalanced
	is "balanced 1 1 1000 1 1000" ranges
	is "pop -1 pop -1" echo $output
	says "NVTX ranges ended that had not begun: 3."
}

@test "ranges that are open at the end last until then" {
	in_ranges open
	is "never closed 1 3 3000 3 3000
never ended (start/end) 1 3 3000 3 3000" ranges
	is "1 1" sh -c "'$built/ktime' export --json - session | jq '.ranges[].open' | xargs"
}

@test "what is nested deeper than ktime follows counts in the range around it" {
	in_ranges deep
	is "after 1 4 4000 4 4000" sh -c "$(declare -f ranges); built='$built'; ranges | grep ^after"
	ranges | awk '$NF > 0 { own += $NF } END { exit own != 6000 }'
	is 2000 sh -c "$(declare -f ranges); built='$built'; ranges | awk '/^level/ { own += \$NF } END { print own }'"
	says "NVTX ranges: 72 did not fit"
	[ -z "$output" ]
}

@test "more names than ktime keeps are one range, and no time is lost" {
	in_ranges many
	is 40000 counter operations
	ranges | awk '{ calls += $(NF - 4); own += $NF } /^\(further ranges\)/ { further = $NF }
		END { print calls, own, (NR > 30000), (further > 1000000) }' >got
	is "40000 40000000 1 1" cat got
}

@test "each module of the program that uses NVTX is followed, on one stack" {
	in_ranges modules "$programs/libranges.so"
	is "of the module 1 3 3000 1 1000
of the module/of the program 1 2 2000 2 2000" ranges
}

@test "an NVTX of before domains, with a shorter table, is followed" {
	in_ranges old
	is "attached: 1" echo "$output"
	is "old 1 3 3000 3 3000" ranges
}

@test "a forked child has no ranges, and its parent's go on" {
	in_ranges forked
	is "child: -2" echo "$output"
	is "parent 1 3 3000 3 3000" ranges
}

@test "a graph's nodes count in the range of the capture, whole launches in that of the launch" {
	in_ranges graph
	is "capture 1 6 6000 6 6000
launch 1 0 0 0 0" ranges
	is "6 capture" eval '"$built/ktime" export --json - session | jq -r ".trace[] | select(.graph_node != null) | .range" | uniq -c | xargs'
	"$built/ktime" export -f --chrome chrome.json --sqlite nsys.sqlite session
	is 6 jq '[.traceEvents[] | select(.args.range == "capture")] | length' chrome.json
	is "6 capture" sqlite3 -separator ' ' nsys.sqlite "SELECT count(*), StringIds.value FROM CUPTI_ACTIVITY_KIND_MEMSET
		JOIN StringIds ON StringIds.id = range GROUP BY 2"
	options='--graph graph' in_ranges graph
	is "launch 1 2 6000 2 6000" sh -c "$(declare -f ranges); built='$built'; ranges | grep ^launch"
	says "no record of CUPTI's says when a node ran"
}

# Every graph is recorded all the time, without --graph node: each that is made costs a part of the budget, on a
# busy machine much of it.
all_recorded="--budget 100 --events all"

# In every way: each node counts in the range that it was made in, and in the launch's if in none.
nodes_in_ranges()
{
	export KTIME_OPTIONS="-f -o session $options" SIM_KERNEL_NS='first=2000,second=3000'
	same_as_alone "$programs/node_ranges" "$@"
}

@test "the nodes of a graph count in the ranges that they were made in, in every way to make them" {
	options='--graph node' nodes_in_ranges 10
	is "added to a clone 1 10 30000 10 30000
after the hole 1 10 10000 10 10000
before the hole 1 10 20000 10 20000
beside the child 1 10 10000 10 10000
by hand 1 20 30000 20 30000
captured 1 60 120000 20 40000
captured/inner 1 40 80000 40 80000
child 1 20 40000 20 40000
first 1 20 40000 20 40000
new child 1 20 40000 20 40000
old child 1 20 40000 20 40000
other thread 1 10 10000 10 10000
replay 9 40 50000 40 50000
second 1 20 40000 20 40000
this thread 1 10 10000 10 10000" ranges
	is "280 490000" counts_of_all
	is "replay 90" eval '"$built/ktime" export --json - session | jq -r ".ranges[] | select(.graph_launches) | \"\(.name) \(.graph_launches)\""'
	is "90" eval '"$built/ktime" show session | awk "/Launched  Range/ { on = 1 } on && /replay/ { print \$8 }"'
}

# All operations in ranges, and their time.
counts_of_all()
{
	ranges | awk '{ operations += $(NF - 1); time += $NF } END { print operations, time }'
}

@test "nodes count in the start/end ranges of the launch, whatever range they were made in" {
	options='--graph node' nodes_in_ranges wide 10
	is "replay 1 10 20000 10 20000
run (start/end) 1 1010 2620000 1010 2620000
wide 1 1000 2600000 600 1800000
wide/inner 1 400 800000 400 800000" ranges
	is "replay 10" eval '"$built/ktime" export --json - session | jq -r ".ranges[] | select(.graph_launches) | \"\(.name) \(.graph_launches)\""'
}

@test "nodes captured in a start/end range count in it wherever their graph is launched, and once if in it" {
	options='--graph node' nodes_in_ranges started 10
	is "captured in (start/end) 2 70 100000 70 100000
launched in (start/end) 1 30 40000 30 40000
pushed 1 30 60000 30 60000
replay 3 60 60000 60 60000" ranges
	is "30" eval '"$built/ktime" export --json - session | jq -r ".ranges[] | select(.graph_launches) | .graph_launches"'
}

@test "where all launches are recorded without their calls, nodes count in their ranges" {
	options=$all_recorded nodes_in_ranges variants 5
	is "replay 5 0 0 0 0
variant 0 1 2 4000 2 4000
variant 1 1 4 8000 4 8000
variant 2 1 6 12000 6 12000
variant 3 1 8 16000 8 16000
variant 4 1 10 20000 10 20000" ranges
	# With the launches as wholes in "launched in" and, once, in "captured in".
	options= nodes_in_ranges started 10
	is "captured in (start/end) 2 50 100000 50 100000
launched in (start/end) 1 10 40000 10 40000
pushed 1 30 60000 30 60000
replay 3 30 60000 30 60000" ranges
}

@test "where launches are recorded in windows, the nodes' operations are exact, their time is estimated" {
	not_under_sanitizers "there may be too few windows"
	options= nodes_in_ranges wide 4000
	says "Kernels are recorded in windows"
	is "wide 1 400000 1040000000 240000 720000000
wide/inner 1 160000 320000000 160000 320000000" sh -c "$(declare -f ranges); built='$built'; ranges | grep ^wide"
	# Launches as wholes.
	is 4000 eval '"$built/ktime" export --json - session | jq ".ranges[] | select(.name == \"run\").own.operations"'
	is "240000 3000 3000" eval '"$built/ktime" export --json - session | jq -r ".ranges[] | select(.name == \"wide\")
		.parts[] | select(.kind == \"kernel\") | \"\(.calls) \(.minimum) \(.maximum)\""'
}

@test "nodes of a child graph that replaces another count in the ranges that they were made in" {
	for options in "$all_recorded" '--graph node'; do
		nodes_in_ranges child 10
		is "new 1 20 40000 20 40000
replay 2 10 10000 10 10000" ranges
	done
}

@test "a child graph of which the driver or CUPTI does not tell keeps its times, in the range of the launch" {
	local fault
	for fault in cuptiGetGraphExecId cuGraphGetNodes cuGraphNodeGetType cuGraphChildGraphNodeGetGraph; do
		options='--graph node' SIM_FAULT=$fault:*:999 nodes_in_ranges child 10
		is "new 1 0 0 0 0
replay 2 30 50000 30 50000" ranges
	done
}

@test "a start/end range that two threads end at once has ended once" {
	options='--graph node' nodes_in_ranges twice 2000
	is "captured 1 30 60000 10 20000
captured/inner 1 20 40000 20 40000
ended twice (start/end) 2000 0 0 0 0
replay 1 10 10000 10 10000" ranges
	is 2000 counter ranges_unbalanced
}

# The first graph uses up the budget, and three windows lack half of its records: from then on none opens.
@test "the nodes of a graph that is launched in no window are exact by range, their time is estimated" {
	not_under_sanitizers "there may be too few windows"
	options= SIM_CUPTI_VERSION=139900 SIM_CUPTI_MISS=nodes nodes_in_ranges after 6000
	says "Kernels are not recorded from "
	is "captured in (start/end) 1 1010 2620000 1010 2620000
wide 1 1000 2600000 600 1800000
wide/inner 1 400 800000 400 800000" sh -c "$(declare -f ranges); built='$built'; ranges | grep '^wide\|^captured'"
	"$built/ktime" export --json - session >json
	is "600 true" jq -r '.ranges[] | select(.name == "wide") |
		"\(.parts[] | select(.kind == "kernel").untimed) \(.own.estimated)"' json
	# What is left to the launch's range: the launches, with the share of the node in no range.
	is "10 10" jq -r '.ranges[] | select(.name == "replay") | "\(.own.operations) \(.graph_launches)"' json
	[ "$(report | grep -c 'is in the ranges of the launches')" -eq 0 ]
}

@test "child graphs are followed 128 deep, and what is deeper has its times all the same" {
	options=$all_recorded nodes_in_ranges deep 128
	is "deepest 1 10 30000 10 30000
outermost 1 10 20000 10 20000
replay 1 0 0 0 0" ranges
	options=$all_recorded nodes_in_ranges deep 300
	is "first 10 20000
second 10 30000" kernels
	says "CUPTI's records do not say which node they are of"
}

# Of all launches, by themselves and as nodes.
kernels()
{
	"$built/ktime" export --json - session |
		jq -r '.rows[] | select(.kind == "kernel") | "\(.name) \(.node_calls) \(.cupti.total)"' | sort
}

@test "where the driver does not say what nodes do, their records do" {
	local fault
	for fault in cuGraphGetNodes cuGraphNodeGetType cuGraphKernelNodeGetParams_v2; do
		options=$all_recorded SIM_FAULT=$fault:*:999 nodes_in_ranges deep 1
		is "first 10 20000
second 10 30000" kernels
	done
}

@test "30,000 ranges in a graph of 100,000 nodes" {
	not_under_sanitizers "the simulated device takes minutes for it"
	options='--graph node' nodes_in_ranges paths 30000
	is "200000 200000000" counts_of_all
	is "30001" sh -c "$(declare -f ranges); built='$built'; ranges | wc -l"
}

@test "with events alone the ranges have the events' times" {
	options='--timer events' in_ranges nested
	is "main 1 11 11000 1 1000
main/inner 1 1 1000 1 1000
main/step 3 9 9000 3 3000
main/step/inner 3 6 6000 6 6000" ranges
}

# What events have timed of a range stands for all of it, as in the rows.
@test "a range around everything has all calls and 100 % of the time, also by a sample of events" {
	export SIM_KERNEL_NS=first=3000,second=9000
	options='--timer events --budget 1' in_ranges launches
	"$built/ktime" export --json - session | jq -c '([.rows[] | select(.kind == "kernel")]) as $rows |
		.ranges[0].all as $all | [([$rows[].events.count] | add) < 20000,
		($all.operations * 1000 | round),
		($all.time / ([$rows[] | .estimate.total // .events.total] | add) - 1 | fabs) < 0.0001,
		([.ranges[].own.time] | add) == $all.time]' >got
	is '[true,20000000,true,true]' cat got
}

@test "an operation whose record CUPTI drops counts in its range with its row's average" {
	SIM_CUPTI_DROP=3 in_ranges nested
	[ "$(counter cupti_dropped)" -gt 0 ]
	is "main 1 11 11000 1 1000
main/inner 1 1 1000 1 1000
main/step 3 9 9000 3 3000
main/step/inner 3 6 6000 6 6000" ranges
	is true sh -c "'$built/ktime' export --json - session | jq '[.ranges[].all.estimated] | any'"
}

@test "API calls count in the range that they were made in" {
	in_ranges nested
	"$built/ktime" export --json - session | jq -r '.ranges[] | . as $range | .parts[] |
		select(.kind == "driver") | [$range.id, .name, .calls] | @tsv' | sort >got
	is "0	cuMemsetD8Async	1
1	cuMemsetD8Async	3
2	cuMemsetD8Async	6
3	cuMemsetD8Async	1" cat got
}

@test "--nvtx-kernels prints nvprof's tables of each range" {
	options='--nvtx-kernels -s' in_ranges nested
	report | sed -n '/^NVTX result:/,/^Timing:/p' | sed 's/(id = [0-9]*)/(id)/; s/  */ /g' >got
	grep -v 'Type\|API calls' got | sed 's/^ Range: \(100.00%\) [0-9.a-z]* \([0-9]*\) .* /Range: \1 \2 /' >cut
	is 'NVTX result:
 Thread "<unnamed>" (id)
 Domain "<unnamed>"
 Range "main"
Range: 100.00% 1 main
 GPU activities: 100.00% 11.000us 11 1.0000us 1.0000us 1.0000us [CUDA memset]

 Range "step"
Range: 100.00% 3 step
 GPU activities: 100.00% 9.0000us 9 1.0000us 1.0000us 1.0000us [CUDA memset]

 Range "inner"
Range: 100.00% 4 inner
 GPU activities: 100.00% 7.0000us 7 1.0000us 1.0000us 1.0000us [CUDA memset]' \
		sed '/^Timing/d; /^Overhead/d' cut
}

@test "--nvtx-include reports only what is called in these ranges" {
	local expression
	while read -r expression memsets; do
		options="--nvtx-include '$expression'" in_ranges nested
		[ "$(counter operations)" = "$memsets" ] || { echo "$expression: $(counter operations)"; false; }
		options="--timer events --nvtx-include '$expression'" in_ranges nested
		[ "$(counter operations)" = "$memsets" ] || { echo "events, $expression: $(counter operations)"; false; }
	done <<-'end'
		step/ 9
		inner/ 7
		main/inner/ 1
		main/*/inner 7
		main/+/inner 6
		[main/ 11
		[step/ 0
		inner] 7
		main] 1
		regex:^(in|st)/ 10
		other@step/ 0
		step 0
	end
	options="--nvtx-include main/inner/ --nvtx-include step/" in_ranges nested
	is 10 counter operations
	options="--nvtx-include library@call/" in_ranges domains
	is 7 counter operations
	options="--nvtx-include request" in_ranges started
	is 3 counter operations
	options="--nvtx-include nowhere/" in_ranges nested
	says "Warning: nothing was profiled: no CUDA call was made in the ranges of --nvtx-include"
}

@test "what is in none of the ranges of --nvtx-include keeps the GPU busy all the same" {
	in_ranges nested
	all=$("$built/ktime" export --json - session | jq '.use[0].busy')
	[ "$all" -gt 10000 ]
	options="--nvtx-include step/" in_ranges nested
	is "$all" jq '.use[0].busy' <("$built/ktime" export --json - session)
}

@test "a trace has the ranges, in JSON, in Chrome's format and in nsys's table" {
	in_ranges started
	"$built/ktime" export -f --chrome chrome.json --sqlite nsys.sqlite session
	is '["X","inside"] ["b","other"] ["b","request"] ["e","other"] ["e","request"]' sh -c \
		"jq -c '.traceEvents[] | select(.cat == \"user_annotation\") | [.ph, .name]' chrome.json | LC_ALL=C sort | xargs -d '\n'"
	is "59|inside|0
60|other|1
60|request|0
75|library|1" sqlite3 nsys.sqlite "SELECT eventType, coalesce(text, value), domainId FROM NVTX_EVENTS
		LEFT JOIN StringIds ON id = textId ORDER BY 1, 2"
	# Each start/end range has its start's thread alone, and ends after it began: nsys's reports leave out what
	# has an end's thread.
	is 2 sqlite3 nsys.sqlite "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60 AND end > start AND
		endGlobalTid IS NULL AND globalTid % 16777216 > 0 AND rangeId > 0"
}

@test "a trace of API calls has the ranges" {
	options="--print-api-trace --csv --quiet" in_ranges domains
	is '"[Range] library@call"
"[Range] library@call"
"[Range] outer"' sh -c "printf '%s\n' '$stderr' | grep -o '\"\[Range\][^\"]*\"' | sort"
	options="--print-api-trace --quiet" in_ranges nested
	is 8 grep -c '  \[Range\] ' <<<"$stderr"
	[ "$(grep -c '  \[Range\] step$' <<<"$stderr")" -eq 3 ]
}

@test "the variable by which NVTX finds ktime is set, and another tool's stays" {
	is set under_ktime "$programs/ranges" variable
	is "NVTX_INJECTION64_PATH=$(realpath "$built/libktime.so")" sh -c \
		"LD_PRELOAD='$built/libktime.so' env | grep ^NVTX"
	is "NVTX_INJECTION64_PATH=/other" sh -c \
		"NVTX_INJECTION64_PATH=/other LD_PRELOAD='$built/libktime.so' env | grep ^NVTX"
	# nsys sets it itself once CUDA has loaded its library.
	is 0 sh -c "CUDA_INJECTION64_PATH=/other LD_PRELOAD='$built/libktime.so' env | grep -c ^NVTX || true"
}

@test "a program under another tool that follows NVTX keeps that tool" {
	export NVTX_INJECTION64_PATH=$programs/libranges_tool.so
	options= in_ranges nested
	grep -q "the other tool was asked: 1" <<<"$stderr"
	[ -z "$(ranges)" ]
	is 12 counter operations
}

@test "a child that has the variable and not the preload is left alone" {
	run --separate-stderr alone "$programs/ranges" nested
	printf '%s\n' "$output" >without
	export NVTX_INJECTION64_PATH=$built/libktime.so
	run --separate-stderr alone "$programs/ranges" nested
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	is "$(cat without)" echo "$output"
}

@test "where graphs are recorded in windows nodes count in the range of the capture" {
	KTIME_OPTIONS="-f -o session" same_as_alone_but_for_levels "$programs/ranges" graph
	is "capture 1 6 6000 6 6000
launch 1 0 0 0 0" ranges
}

@test "names with control characters reach no terminal" {
	local form name=$'\e]0;x\a\xe2\x80\xae\xc2\x9b'
	options= in_ranges named "$name"
	printf '%s\n' "$stderr" >shown
	for form in "" --nvtx-kernels "--nvtx-kernels --csv" "--format nsys" --print-api-trace "--print-api-trace --csv" --csv; do
		"$built/ktime" show $form session >>shown 2>&1
	done
	grep -qF '\x1b]0;x\x07\xe2\x80\xae\xc2\x9b' shown
	! LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae|\xc2\x9b' shown || false
}
