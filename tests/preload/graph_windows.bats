#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Graphs whose nodes would cost more than the budget: CUPTI records in windows, calls are counted
# all, and what the windows say of their times is right.
load helper

# The program rests between launches, so that some windows fit into its time.
LAUNCHES=4000

# windows WHAT [OPTIONS]: the program of that name; kernels take 1, 5 and 20 us.
windows()
{
	export SIM_KERNEL_NS='first=1000,second=5000,third=20000'
	export KTIME_OPTIONS="-f -o session ${2-}"
	same_as_alone "$programs/graph_windows" "${launches:-$LAUNCHES}" "${nodes:-100}" "$1"
	[ "$status" -eq 0 ]
}

# "CALLS TOTAL NAME" of all GPU operations but graphs: the total as the table has it, in us.
totals()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.kind | IN("kernel", "memcpy", "memset")) |
		"\(.calls) \((.estimate.total // .cupti.total // .events.total // 0) / 1000 | round) \(.name)"' | LC_ALL=C sort
}

# are_totals EXPECTED: what `totals` prints. Under ThreadSanitizer a launch may take so long that no
# window is needed, or that the program ends before one: there the calls alone.
are_totals()
{
	if [ "${SANITIZE-}" = thread ]; then
		diff <(cut -d' ' -f1,3- <<<"$1" | sort) <(totals | cut -d' ' -f1,3- | sort)
	else
		is "$1" totals
	fi
}

# "CALLS NAME" of the graphs.
graphs()
{
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.kind == "graph") |
		"\(.calls) \(.name)"' | LC_ALL=C sort
}

recorded()
{
	"$built/ktime" export --json - session | jq '[.rows[] | select(.kind == "kernel") |
		.cupti.count] | add'
}

@test "all nodes are counted and a part of them is recorded, from which their time is estimated" {
	windows plain
	are_totals '400000 400000 first'
	is '4000 [CUDA graph 1]' graphs
	is 400000 counter graph_node_calls
	[ "${SANITIZE-}" != thread ] || skip "under ThreadSanitizer there may be no window"
	[ "$(counter windows)" -ge 1 ]
	[ "$(recorded)" -lt 400000 ]
	says "All calls are counted."
	says "GPU busy and idle: not known, as CUPTI's recording windows tell too little."
	[ "$(report | grep -c 'GPU 0:\|Finding:')" -eq 0 ]
	is '0 0' jq -r '"\(.use | length) \(.findings | length)"' <("$built/ktime" export --json - session)
	[ -z "$("$built/ktime" -i session --idle --quiet --print-api-summary)" ]
	says "rows marked ~ are estimates"
}

@test "child graphs, memsets and copies are counted and estimated like kernels" {
	windows mixed
	are_totals $'4000 4000 [CUDA memset]\n4000 4080 [CUDA memcpy HtoD]\n400000 400000 first\n8000 40000 second'
	# The child graph is a node too. Each kernel is listed once, whatever else there is.
	is '105 first second' jq -r '.rows[] | select(.kind == "graph") | "\(.nodes) \(.kernels / "\n" | join(" "))"' \
		<("$built/ktime" export --json - session)
}

@test "nodes that the program disables are not counted from then on" {
	windows disabled
	are_totals $'200000 1000000 second\n400000 400000 first'
	is $'2000 [CUDA graph 1]\n2000 [CUDA graph 2]' graphs
}

@test "an updated graph's launches are counted as what they are, however it is updated" {
	for how in updated changed changed_old changed_any child child_any; do
		windows "$how"
		are_totals $'2000 10000 second\n2000 40000 third\n400000 400000 first'
	done
}

# Long enough for some windows of each version. In 500 launches the kernel takes 1001 ns, in 500 17000:
# without versions the interval was as wide as 45 % of the total.
@test "versions of an updated graph are told apart though they run the same kernels" {
	not_under_sanitizers "there may be too few windows"
	for how in versions resized; do
		SIM_KERNEL_NS='first=1000' KTIME_OPTIONS="-f -o session" \
			same_as_alone "$programs/graph_windows" 12000 100 "$how"
		[ "$status" -eq 0 ]
		is '12000 [CUDA graph 1]' graphs
		is '1200000 first 12000 second' eval "totals | cut -d' ' -f1,3 | LC_ALL=C sort -k2 | xargs"
		"$built/ktime" export --json - session | jq -e '.rows[] | select(.name == "second").estimate |
			(.total - 108006000 | fabs) <= .error + 1000 and .error < 0.15 * 108006000'
	done
}

@test "two graphs in turn are told apart by their kernels" {
	windows two
	are_totals $'400000 400000 first\n8000 40000 second'
	is $'4000 [CUDA graph 1]\n4000 [CUDA graph 2]' graphs
}

@test "launches without a graph are counted and estimated beside graphs" {
	windows launches
	are_totals $'4000 20000 second\n400000 400000 first'
}

@test "copies are recorded all the time, also those that are launched by themselves" {
	export SIM_CUPTI_DIES=1
	windows copied
	are_totals $'4000 4080 [CUDA memcpy HtoD]\n400000 400000 first'
	is 4000 eval "\"$built/ktime\" export --json - session |
		jq '.rows[] | select(.kind == \"memcpy\").cupti.count'"
	[ "${SANITIZE-}" = thread ] || [ "$(recorded)" -lt 400000 ]
	# And under a budget.
	launches=$LONG windows launches "--budget 50"
}

@test "copies of a graph whose kernels are not recorded now are of no other graph" {
	windows copies
	are_totals $'12000 12240 [CUDA memcpy HtoD]\n4000 4000 [CUDA memset]\n400000 400000 first\n8000 40000 second'
	is $'4000 [CUDA graph 1]\n4000 [CUDA graph 2]' graphs
}

# Kernels are not recorded while a graph is made, memsets are.
@test "memsets of a graph whose kernels are not recorded now are of no other graph of one memset" {
	launches=600 nodes=3 windows makes
	is $'5 [CUDA graph 1]\n600 [CUDA graph 2]' graphs
	is '605 655 [CUDA memset]' eval 'totals | grep memset'
	# A CUPTI that does not tell the numbers of graphs leaves out what it cannot tell apart.
	SIM_FAULT='cuptiGetGraphExecId:*:999' launches=600 nodes=3 windows makes
	is $'5 [CUDA graph 1]\n600 [CUDA graph 2]' graphs
	is '605' eval "totals | grep memset | cut -d' ' -f1"
}

@test "a launch whose ends were lost when the recording was turned off is left out" {
	SIM_CUPTI_LOSE_ENDS=1 windows plain
	are_totals '400000 400000 first'
	[ "${SANITIZE-}" != thread ] || skip "under ThreadSanitizer there may be no window"
	is 1000 eval "\"$built/ktime\" export --json - session |
		jq '.rows[] | select(.kind == \"kernel\") | .cupti.maximum'"
}

@test "what recording costs a graph is not in the times of its launches outside windows" {
	[ "${SANITIZE-}" != thread ] || skip "under ThreadSanitizer there may be no window"
	SIM_EVENT_NS=0 SIM_CUPTI_NODE_NS=1000 windows plain
	# 100 us a launch, twice that while its nodes are recorded.
	"$built/ktime" export --json - session | jq -e '.rows[] | select(.kind == "graph") |
		.estimate.total / .calls < 150000'
}

@test "within the budget every node is recorded, also of graphs that are updated" {
	launches=100 nodes=3 windows updated
	are_totals $'300 300 first\n50 1000 third\n50 250 second'
	is 400 recorded
	is 0 counter windows
}

@test "--graph node, a trace and --timer cupti record every node" {
	launches=600
	for options in "--graph node" "--print-gpu-trace" "--timer cupti"; do
		windows plain "$options"
		is 60000 recorded
		is 0 counter windows
	done
}

# 28: CUDA 12.9 Update 1. Turning kernels off hung programs with it, and recording all nodes ended them.
@test "a CUPTI that bears neither windows nor all nodes times graphs as wholes, and the report says so" {
	launches=600 SIM_CUPTI_VERSION=28 windows plain
	is '600 [CUDA graph 1]' graphs
	is null recorded
	is 0 counter windows
	says "CUDA graphs are timed as wholes: CUPTI's version 28 can end or hang a program whose nodes are recorded."
	report | grep -q 'all the same' && false
	launches=600 SIM_CUPTI_VERSION=28 windows plain "--graph node"
	is null recorded
	says "CUDA graphs are timed as wholes: CUPTI's version 28 can end or hang a program whose nodes are recorded."
	# 24: CUDA 12.6, with which they can all be recorded.
	launches=600 SIM_CUPTI_VERSION=24 windows plain
	says "; --graph node records them all the same."
	launches=600 SIM_CUPTI_VERSION=24 windows plain "--graph node"
	is 60000 recorded
}

@test "a CUPTI that would begin to trace whole graphs amid the run is not started" {
	SIM_CUPTI_DIES=1 launches=1500 nodes=3 windows plain "--delay 0.2 --graph graph"
	is 0 counter cupti_records
	is false jq .session.cupti_active <("$built/ktime" export --json - session)
	says "CUPTI was not started: the program had already created CUDA graphs, whose launches may crash under CUPTI 130001; open the profiling window before the first graph is created, or use --timer events."
}

# What some version died of is left alone, and the first windows are a test.
@test "a CUPTI newer than all that were tried records in windows, of which nothing is said" {
	SIM_CUPTI_VERSION=139900 SIM_CUPTI_DIES=1 windows mixed
	[ "$(counter windows)" -ge 1 ]
	[ "$(report | grep -c "Kernels are not recorded")" -eq 0 ]
}

@test "no window opens or closes while a memset is in progress, of which CUPTI dies" {
	SIM_CUPTI_DIES=1 windows filled
	[ "${SANITIZE-}" = thread ] || [ "$(counter windows)" -ge 2 ]
}

@test "once windows lack records of what was launched in them, no more are opened, and the report says so" {
	[ "${SANITIZE-}" != thread ] || skip "under ThreadSanitizer there may be no window"
	for what in nodes launches; do
		launches=6000 SIM_CUPTI_VERSION=139900 SIM_CUPTI_DIES=1 SIM_CUPTI_MISS=$what windows launches
		local said
		said=$("$built/ktime" export --json - session | jq -r '.notes[] | select(startswith("Kernels are not"))')
		says "$said"
		grep -Eq ' s on: in 3 windows CUPTI \(version 139900\) recorded [0-9]+ of [0-9]+ kernels ' <<<"$said"
		if [ "$what" = nodes ]; then
			[[ $said = *" in graphs. All calls"* ]]
		else
			[[ $said = *" launched by themselves. All calls"* ]]
		fi
		is '600000 first 6000 second' eval "totals | cut -d' ' -f1,3 | LC_ALL=C sort -k2 | xargs"
	done
}

# The program's own clock and the device's are one, so that what the host did when is exact.
virtual()
{
	SIM_LAUNCH_NS=4000 SIM_KERNEL_NS='first=1000' KTIME_OPTIONS="--gate off --verbose -f -o $1 ${*:5}" \
		LD_PRELOAD=$built/sim/libktime_virtual.so "$root/tests/sim/run" \
		"$programs/graph_windows" "$2" "$3" "$4" 2>"$1.report"
	"$built/ktime" export --json - "$1" >"$1.json"
}

# holds EXACT: the estimates of told.json hold what causes the JSON has, and busy time.
holds()
{
	jq -e --argjson exact "$1" '.use[0] | (.last - .first) as $whole |
		({busy: {total: .busy, error}} + (.causes | map({key: .cause, value: {total, error}}) | from_entries)) as $told |
		.error < 0.02 * $whole and ($exact | to_entries | map(select(.value > 0.001 * $whole)) |
			length >= 3 and all((.value - $told[.key].total | fabs) <= $told[.key].error))' told.json >/dev/null ||
		{ echo "$1"; jq -c '.use[0]' told.json; return 1; }
}

@test "why the device was idle in a decoder and a server is an estimate that holds what it was" {
	not_under_sanitizers "there may be too few windows"
	virtual told 10000 300 decodes
	# A busy machine may leave the collector no time for them.
	[ "$(jq .counters.windows told.json)" -ge 6 ] || skip "too few windows"
	holds '{"busy": 3000000000, "program after waiting": 999900000, "launch latency": 39996000}'
	grep -Eq "GPU 0: busy ~[0-9.]+ ± [0-9.]+ % of " told.report
	grep -Eq "Idle: ~[0-9.]+ % the program between CUDA calls .*, ~[0-9.]+ % launch latency" told.report
	"$built/ktime" -i told --idle --quiet 2>&1 | grep -Eq "^ +Share +Time +± +Gaps"
	virtual exact 1500 300 serves --graph node &
	virtual told 1500 300 serves
	wait $!
	is '0 null' jq -r '"\(.counters.windows) \(.use[0].error)"' exact.json
	[ "$(jq .counters.windows told.json)" -ge 6 ] || skip "too few windows"
	holds "$(jq -c '.use[0] | {busy} + (.causes | map({key: .cause, value: .total}) | from_entries)' exact.json)"
}

# With a budget of the user's the run begins with events. The program rests for 0.3 ms after each
# launch: 12,000 launches take longer than the two seconds after which CUPTI starts at the earliest.
LONG=12000

@test "a budget that CUPTI does not fit into: all is counted, nodes too, and events time a sample" {
	windows launches "--budget 1"
	"$built/ktime" export --json - session >json
	is $'4000 null 20 second\n400000 null null first' jq -r '.rows[] | select(.kind == "kernel") |
		"\(.calls) \(.cupti.count) \(.estimate.total // null | if . then . / 1e4 | round / 100 else . end) \(.name)"' json
	is '4000 [CUDA graph 1]' graphs
	is 0 counter cupti_records
	is 400000 counter graph_node_calls
	says "Budget: 1 %; spent about "
	says "Nodes of graphs: 400,000 launched, counted and not timed; their time is in the graphs' rows."
	says "CUPTI was not started: it would have cost more than fits into the budget (--budget 1)."
}

@test "a budget that CUPTI fits into: it is started later, and its records stand for all calls" {
	launches=$LONG nodes=10 windows launches "--budget 50"
	are_totals $'12000 60000 second\n120000 120000 first'
	is '12000 [CUDA graph 1]' graphs
	[ "$(counter cupti_late_ns)" -ge 2000000000 ]
	[ "$(counter cupti_standing_ns)" -gt 0 ]
	[ "$(recorded)" -gt 0 ]
	is 0 counter windows
	says "CUPTI was started "
	says "GPU busy and idle: not known, as CUPTI was not on from the start."
}

@test "a budget that not all records fit into: plain launches are recorded in windows too" {
	not_under_sanitizers "a launch takes so long that half of the time is enough for all records"
	launches=$LONG windows launches "--budget 50"
	are_totals $'12000 60000 second\n1200000 1200000 first'
	[ "$(counter windows)" -ge 1 ] || skip "a launch took so long that half of the time was enough for all records"
	says "recording all of them would exceed the budget of 50 %. All calls are counted."
	says "GPU busy and idle: not known, as CUPTI was not on from the start."
}

@test "with a budget, --graph node, a trace and --timer cupti have CUPTI on from the start" {
	launches=100 nodes=3
	for options in "--graph node" "--print-gpu-trace" "--timer cupti"; do
		windows plain "--budget 1 $options"
		is 300 recorded
	done
}

@test "with a budget, a run that ends before CUPTI would be started says so" {
	launches=100 nodes=3 windows launches "--budget 50"
	is 0 counter cupti_records
	says "CUPTI was not started: the run was too short to pay for that (--budget 50)."
}

@test "with a budget, a CUPTI that bears no windows is not used, and the report says why" {
	SIM_CUPTI_VERSION=28 launches=100 nodes=3 windows launches "--budget 50"
	is 0 counter cupti_records
	says "CUPTI is not used: with --budget it records in windows, which version 28 cannot do safely; use the CUPTI of CUDA 12.4, or of 13.0 Update 1 or later."
}

@test "without a thread to start CUPTI late the run is left to the events, and the report says so" {
	# The collector has been started by then.
	LD_PRELOAD=$built/libktime.so:$programs/libno_threads.so NO_THREADS_AFTER=1 \
		KTIME_OPTIONS="--verbose --gate off -f -o session --budget 50" run --separate-stderr \
		"$root/tests/sim/run" "$programs/graph_windows" "$LONG" 10 launches
	[ "$status" -eq 0 ]
	is 0 counter cupti_records
	is 120000 counter graph_node_calls
	says "CUPTI was not started: no thread for that (Resource temporarily unavailable)"
	says "Signals that end the program end it without a report: ktime's second thread could not be started."
}

@test "a CUPTI that refuses when it is started late leaves the run to the events" {
	SIM_CUPTI_REFUSE=39 launches=$LONG nodes=10 windows launches "--budget 50"
	is '12000 60000 second' eval "totals 2>/dev/null | grep second"
	is 0 counter cupti_records
	is 120000 counter graph_node_calls
	says "CUPTI refused: another tool uses CUPTI"
}
