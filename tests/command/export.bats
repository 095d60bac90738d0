#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `ktime export` writes is whole, is what other tools read, and replaces nothing unasked.

load common

# A launch on a thread, its kernel, and a copy on another stream.
records() {
	printf '%s\t' type name start_ns end_ns device context stream correlation bytes grid \
		block registers static_smem dynamic_smem src_kind
	printf 'dst_kind\n'
	printf 'api\tcudaLaunchKernel\t1000\t1500\t\t\t\t5\t\t\t\t\t\t\t\t\n'
	printf 'kernel\t_ZN1n3addIiEEvPT_\t2000\t4500\t0\t1\t7\t5\t\t8x2x1\t256x1x1\t32\t16\t64\t\t\n'
	printf 'memcpy\tHtoD\t3000\t3250\t1\t2\t13\t6\t4096\t\t\t\t\t\tpinned\tdevice\n'
	printf 'memset\tmemset\t5000\t5001\t1\t2\t13\t7\t64\t\t\t\t\t\tdevice\t\n'
}

@test "names that need it are escaped, and bytes that are no UTF-8 replaced" {
	{
		printf 'type\tname\tstart_ns\tend_ns\n'
		printf 'kernel\ta"b\\c\xff\xc3\xa9,d\t1\t2\n'
	} | session records
	"$ktime" export --json - records >out.json
	grep -qF '"mangled":"a\"b\\c'$'\xef\xbf\xbd\xc3\xa9'',d"' out.json
	run "$ktime" show --quiet --format nsys --csv records
	[ "${lines[1]}" = '100.0,1,1,1.0,1.0,1,1,0.0,"a""b\c\xff'$'\xc3\xa9'',d"' ]
}

@test "JSON holds both clocks, the counts and the trace" {
	records | session records
	run "$ktime" export --json - records
	[ "$status" -eq 0 ]
	grep -qF '"kind":"kernel","name":"void n::add<int>(T1 *)","mangled":"_ZN1n3addIiEEvPT_","device":0,"calls":1' <<<"$output"
	grep -qF '"clock":"cupti","table":"gpu","time":2500,"average":2500,"percent":90.876045074518359,"cupti":{"count":1,"total":2500,"average":2500,"minimum":2500,"maximum":2500,"deviation":0,"median":2500,"p90":2500,"p95":2500,"p99":2500,"p99.9":2500,' <<<"$output"
	grep -qF '"counters":{"operations":0,' <<<"$output"
	grep -qF '"untimed":{"left out by sampling":0,' <<<"$output"
	grep -qF '{"kind":"memcpy","name":"[CUDA memcpy HtoD]","start":3000,"end":3250,"correlation":6,"device":1,"context":2,"stream":13,"bytes":4096,"from":"pinned","to":"device",' <<<"$output"
}

# The two that most readers want, as docs/json-format.md begins with them.
@test "the expressions of the documentation find the slowest kernel and the GPU time" {
	records | session records
	"$ktime" export --json run.json records
	sed -n "s/^    jq /jq /p" "$root/docs/json-format.md" >expressions
	[ "$(wc -l <expressions)" -eq 2 ]
	# shellcheck source=/dev/null
	run bash ./expressions
	[ "${lines[0]}" = '2500 1 void n::add<int>(T1 *)' ]
	[ "${lines[1]}" = 2751 ]
}

@test "an existing file is replaced only with -f, and never by half a file" {
	echo mine >out.json
	run "$ktime" export --json out.json "$(golden nvprof_mix)"
	[ "$status" -eq 1 ]
	prints "ktime: out.json: File exists (-f replaces it)"
	[ "$(cat out.json)" = mine ]
	"$ktime" export -f --json out.json "$(golden nvprof_mix)"
	grep -q '"made_by":"ktime' out.json
	echo garbage >garbage
	run "$ktime" export -f --json out.json garbage
	[ "$status" -eq 1 ]
	prints "ktime: garbage: not a ktime profile"
	grep -q '"made_by":"ktime' out.json
	[ "$(ls)" = "garbage
out.json" ]
}

@test "a directory, a missing folder, a full disk and a pipe for SQLite are told" {
	local records=$(golden nvprof_mix)
	run "$ktime" export --json . "$records"
	prints "ktime: .: Is a directory"
	run "$ktime" export --sqlite none/out "$records"
	prints "ktime: none/out: No such file or directory"
	run "$ktime" export -f --chrome /dev/full "$records"
	[ "$status" -eq 1 ]
	prints "ktime: /dev/full: No space left on device"
	run "$ktime" export --sqlite - "$records"
	prints "ktime: -: --sqlite needs a regular file"
	[ -z "$(ls)" ]
}

@test "a wrong usage is told" {
	run "$ktime" export "$(golden nvprof_mix)"
	[ "$status" -eq 2 ]
	prints "ktime export: give --perfetto OUT, --chrome OUT, --sqlite OUT, --folded OUT or --json OUT"
	run "$ktime" export --json out.json
	[ "$status" -eq 2 ]
	prints "ktime export: no file given; usage: ktime export [options] FILE"
	run "$ktime" export --csv out.csv "$(golden nvprof_mix)"
	[ "$status" -eq 2 ]
	prints "ktime export: unknown option --csv (--help lists the options)"
	run "$ktime" export --help
	[ "$status" -eq 0 ]
}

@test "several outputs are written at once" {
	"$ktime" export --sqlite a --chrome b --json c "$(golden nvprof_mix)"
	[ "$(ls | tr '\n' ' ')" = "a b c " ]
	[ "$(head -c 15 a)" = "SQLite format 3" ]
	[ "$(head -n 1 b)" = '{"traceEvents":[' ]
	[ "$(head -n 1 c)" = '{"format":2,' ]
}

@test "a name that ends in .gz is compressed, whole or not at all" {
	local records=$(golden nvprof_mix)
	"$ktime" export --perfetto a --chrome b --json c "$records"
	"$ktime" export --perfetto a.gz --chrome b.gz --json c.gz "$records"
	for file in a b c; do
		gzip -t "$file.gz"
		gzip -dc "$file.gz" | cmp - "$file"
		[ "$(stat -c %s "$file.gz")" -lt "$(stat -c %s "$file")" ]
		[ "$(stat -c %a "$file.gz")" = "$(stat -c %a "$file")" ]
	done
	# Nothing but a suffix.
	"$ktime" export --json .gz "$records"
	cmp .gz c
	run "$ktime" export --sqlite d.gz "$records"
	[ "$status" -eq 1 ]
	prints "ktime: d.gz: --sqlite is not compressed: give a name without .gz"
	ln -s /dev/full full.gz
	run "$ktime" export -f --json full.gz "$records"
	[ "$status" -eq 1 ]
	prints "ktime: full.gz: No space left on device"
	run "$ktime" export --json a.gz "$records"
	[ "$status" -eq 1 ]
	prints "ktime: a.gz: File exists (-f replaces it)"
	[ "$(ls | xargs)" = "a a.gz b b.gz c c.gz full.gz" ]
}

@test "a bar on a terminal shows how far a long trace is" {
	command -v script >/dev/null || skip "no script(1) here"
	"$build/bench/many_records" long 500000
	script -qec "'$ktime' export --perfetto /dev/null --chrome /dev/null -f long" /dev/null </dev/null >screen
	grep -qE 'Exporting \[#{20} {20}\] 26[0-9]{4} of 50[0-9]{4}' screen
	[ "$(grep -o 'Exporting \[' screen | wc -l)" -ge 80 ]
	run --separate-stderr "$ktime" export --perfetto /dev/null -f long
	[ "$stderr" = "" ]
	"$build/bench/many_records" short 400000
	script -qec "'$ktime' export --perfetto /dev/null -f short" /dev/null </dev/null >screen
	[ ! -s screen ]
}

@test "the JSON Schema is one, and exports have the members that it names and no others" {
	/usr/bin/python3 -c 'import jsonschema' || skip "no jsonschema for Python"
	local layout
	"$ktime" export --json-schema >schema
	for layout in layout34 layout34_job; do
		zcat "$root/tests/golden/profile_$layout.ktime.gz" >$layout
		"$ktime" export --bytes '.=1K/launch' --flops '.=2K/launch' --work '.=3/launch pixels' --json $layout.json $layout
	done
	records | session records
	"$ktime" export --json records.json records
	jq -n input "$root/tests/golden/whole_json.txt" >whole.json
	/usr/bin/python3 "$root/tests/command/schema.py" schema layout34.json layout34_job.json records.json whole.json
}
