#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A trace for Perfetto, read by protoc with the format's published field numbers and replayed as
# Perfetto does, is the trace that the profile has.

load common

# read_trace FILE: its slices, flows and counters.
read_trace() {
	protoc -I "$root/tests/command" --decode=perfetto.protos.Trace perfetto.proto <"$1" >text
	python3 "$root/tests/command/read_perfetto.py" <text
}

needs_protoc() {
	command -v protoc >/dev/null || skip "no protoc here (protobuf-compiler)"
}

# is_the_trace PROFILE: the slices are the records, and their sums the table's.
is_the_trace() {
	"$ktime" export -f --perfetto trace --json json "$1"
	read_trace trace >lines
	awk -F'\t' -v OFS='\t' '$1 == "slice" { print $4, $5, $6, $7 }' lines | LC_ALL=C sort >slices
	jq -r '.trace[] | [.kind, .name, .start, .end - .start] | @tsv' json | LC_ALL=C sort >records
	diff records slices
	[ -s slices ]
	awk -F'\t' -v OFS='\t' '{ count[$1 FS $2]++; sum[$1 FS $2] += $4 }
		END { for (row in count) printf "%s\t%d\t%.0f\n", row, count[row], sum[row] }' slices |
		LC_ALL=C sort >sums
	jq -r '[.rows[] | {kind, name, calls, total: .cupti.total}] | group_by([.kind, .name])[] |
		[.[0].kind, .[0].name, (map(.calls) | add), (map(.total) | add)] | @tsv' json |
		LC_ALL=C sort | diff - sums
}

@test "slices are the records, and their counts and sums those of the table" {
	needs_protoc
	local set
	for set in nsys_many nvprof_2gpu nvprof_demangle nvprof_mix nvprof_noapi nvprof_units; do
		is_the_trace "$(golden $set)" || { echo "of $set"; return 1; }
	done
}

@test "what overlaps or touches, begins together or takes no time keeps its length" {
	needs_protoc
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\tstream\tbytes\n'
		printf 'kernel\ta\t100\t200\t0\t7\t\n'
		printf 'kernel\tb\t100\t150\t0\t7\t\n'
		printf 'kernel\tc\t100\t200\t0\t7\t\n'
		printf 'kernel\td\t200\t200\t0\t7\t\n'
		printf 'kernel\te\t200\t300\t0\t7\t\n'
		printf 'kernel\tf\t150\t250\t0\t7\t\n'
		printf 'kernel\ta\t50\t100\t0\t7\t\n'
		printf 'memcpy\tHtoD\t120\t180\t0\t8\t4096\n'
		printf 'memcpy\tHtoD\t180\t190\t0\t8\t100\n'
		printf 'api\tx\t100\t200\t\t\t\n'
		printf 'api\ty\t100\t200\t\t\t\n'
		printf 'api\tz\t150\t250\t\t\t\n'
		printf 'api\tx\t200\t200\t\t\t\n'
	} | session records
	is_the_trace records
	[ "$(grep ^counter lines | cut -f 3-)" = "GPU 0: Tesla V100	Bytes in flight	120	4096
GPU 0: Tesla V100	Bytes in flight	180	0
GPU 0: Tesla V100	Bytes in flight	180	100
GPU 0: Tesla V100	Bytes in flight	190	0" ]
}

@test "an arrow leads from each call to what it started, and to nothing else" {
	needs_protoc
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\tstream\tcorrelation\n'
		printf 'kernel\tfirst\t200\t300\t0\t7\t5\n'
		printf 'kernel\tsecond\t300\t400\t0\t7\t5\n'
		printf 'kernel\torphan\t400\t500\t0\t7\t6\n'
		printf 'kernel\tearly\t10\t20\t0\t7\t8\n'
		printf 'api\tlaunch\t100\t150\t\t\t5\n'
		printf 'api\tmalloc\t160\t170\t\t\t7\n'
		printf 'api\tlate\t180\t190\t\t\t8\n'
	} | session records
	is_the_trace records
	[ "$(grep ^flow lines)" = "flow	launch	first" ]
}

@test "hostile names stay texts" {
	needs_protoc
	{
		printf 'type\tname\tstart_ns\tend_ns\n'
		printf 'kernel\ta"b\\c\x01\xff\xc3\xa9,{}\t1\t2\n'
		printf 'kernel\t%s\t3\t4\n' "$(printf 'n%.0s' {1..20000})"
	} | session records
	"$ktime" export --perfetto trace records
	read_trace trace >lines
	[ "$(grep -c ^slice lines)" -eq 2 ]
	grep -qF $'\ta"b\\c\x01\xef\xbf\xbd\xc3\xa9,{}\t1\t1\t' lines
	grep -q $'\tn\{20000\}\t3\t1\t' lines
}

@test "a part is what runs between --from and --to, in every format with a trace" {
	needs_protoc
	{
		printf 'type\tname\tstart_ns\tend_ns\tcorrelation\n'
		printf 'api\tlaunch\t1000000000\t1000000500\t1\n'
		printf 'kernel\ta\t1000000400\t1000001000\t1\n'
		printf 'kernel\tb\t1000001001\t1000002000\t2\n'
		printf 'kernel\tc\t1000002001\t1000003000\t3\n'
	} | session records
	"$ktime" export --from 1us --to 0.000002 --perfetto trace --chrome chrome --json json --sqlite sqlite records
	read_trace trace >lines
	[ "$(grep ^slice lines | cut -f 5 | xargs)" = "a b" ]
	[ "$(jq -r '.traceEvents[] | select(.ph == "X") | .name' chrome | xargs)" = "a b" ]
	[ "$(jq -r '.traceEvents[] | select(.name == "b") | .ts' chrome)" = 1.001 ]
	[ "$(jq -r '.trace[].name' json | xargs)" = "a b" ]
	[ "$(jq -r '.rows | length' json)" -eq 4 ]
	python3 -c "
import sqlite3
print(sqlite3.connect('sqlite').execute('select count(*) from CUPTI_ACTIVITY_KIND_KERNEL').fetchone()[0])" >count
	[ "$(cat count)" = 2 ]
	"$ktime" export --from 2001ns --chrome - records | jq -r '.traceEvents[] | select(.ph == "X") | .name' >names
	[ "$(cat names)" = c ]
	run "$ktime" export --from 1 --json - records
	[ "$status" -eq 1 ]
	prints "ktime: records has no record between --from and --to: its trace is from 0.000000 s to 0.000003 s"
	run "$ktime" export --from 2ms --to 1ms --json - records
	prints "ktime: --from is later than --to"
	run "$ktime" export --from 5m --json - records
	[ "$status" -eq 2 ]
	prints "ktime export: option --from: '5m' is not a valid TIME"
}

# held FILE: "DEVICE TIME BYTES" of its counters of what is held, by time.
held() {
	read_trace "$1" | awk -F'\t' '$1 == "counter" && $4 == "Memory held" { print substr($3, 1, 5), $5, $6 }' |
		sort -k 3,3n -k 2,2n
}

@test "what devices hold of memory is a counter of each, and begins a part with what was held" {
	needs_protoc
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\tbytes\n'
		printf 'kernel\ta\t1000000000\t1000000900\t0\t\n'
		printf 'held\tx\t1000000100\t1000000100\t0\t1000\n'
		printf 'held\tx\t1000000200\t1000000200\t1\t5000\n'
		printf 'kernel\tb\t1000000300\t1000000400\t1\t\n'
		printf 'held\tx\t1000000500\t1000000500\t0\t3000\n'
		printf 'held\tx\t1000000600\t1000000600\t0\t2000\n'
		printf 'memcpy\tHtoD\t1000000700\t1000000800\t1\t64\n'
		printf 'held\tx\t1000001000\t1000001000\t0\t0\n'
	} | session run
	is_the_trace run
	diff - <(held trace) <<-END
		GPU 0 1000000100 1000
		GPU 1 1000000200 5000
		GPU 0 1000000500 3000
		GPU 0 1000000600 2000
		GPU 0 1000001000 0
	END
	"$ktime" export -f --from 550ns --to 999ns --perfetto trace --chrome chrome run
	diff - <(held trace) <<-END
		GPU 0 1000000550 3000
		GPU 1 1000000550 5000
		GPU 0 1000000600 2000
	END
	jq -c '.traceEvents[] | select(.ph == "C") | [.name, .pid, .ts, .args.bytes]' chrome >lines
	diff - lines <<-END
		["Memory held",0,0.55,3000]
		["Memory held",1,0.55,5000]
		["Memory held",0,0.6,2000]
	END
	# A change at the edge replaces what was before it; nothing but what is held begins behind the last.
	"$ktime" export -f --from 600ns --to 650ns --perfetto trace run
	diff - <(held trace) <<-END
		GPU 0 1000000600 2000
		GPU 1 1000000600 5000
	END
	"$ktime" export -f --from 850ns --to 950ns --perfetto trace run
	diff - <(held trace) <<-END
		GPU 0 1000000850 2000
		GPU 1 1000000850 5000
	END
}

@test "a profile without a trace is told" {
	printf 'type\tname\tstart_ns\tend_ns\n' | session records
	run "$ktime" export --perfetto trace records
	[ "$status" -eq 1 ]
	prints "ktime: records has no trace, which --perfetto needs: record it with ktime --keep-trace all -o FILE"
	[ ! -e trace ]
}
