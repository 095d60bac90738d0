#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `ktime diff` reads ktime's files and other profilers', and its status can fail a build.

load common

# records AVERAGE: 40 calls of a kernel within 1 % of the average, and two copies.
records() {
	printf 'type\tname\tstart_ns\tend_ns\tdevice\tbytes\n'
	local call start=1000
	for call in $(seq 40); do
		printf 'kernel\t_Z3addPKfi\t%d\t%d\t0\t\n' $start \
			$((start + $1 + $1 * (call % 5 - 2) / 200))
		start=$((start + 1000000))
	done
	printf 'memcpy\tHtoD\t%d\t%d\t0\t4096\n' $start $((start + 2000)) \
		$((start + 9000)) $((start + 11000))
}

# The CSV line of a row.
csv_row() {
	"$ktime" diff --csv "$1" "$2" | grep -F "$3"
}

@test "the same run differs in nothing" {
	records 10000 | session a
	run "$ktime" diff --fail-above 0 a a
	[ "$status" -eq 0 ]
	prints "no difference beyond 0 %
A: a (ktime profile)
B: a (ktime profile)

            Type   Calls A   Calls B    Time A    Time B     Avg A     Avg B   Ratio  Verdict      Name
 GPU activities:        40        40  400.00us  400.00us  10.000us  10.000us   1.000  same         add(float const *, int)
                         2         2  4.0000us  4.0000us  2.0000us  2.0000us   1.000  same         [CUDA memcpy HtoD]

All GPU activities: 404.00us in A, 404.00us in B, ratio 1.000: same
GPU rows: 2 same
One run a side: how much runs differ is not known, so each time may differ by chance; a row is judged by how much its calls differ. Faster, slower: by more than 0 %; under 0 %: by less; cannot tell: it could be either. Ratio: Time B / Time A."
}

@test "--fail-above ends with 3 beyond it, with 0 within it" {
	records 10000 | session a
	records 10800 | session b
	run "$ktime" diff --fail-above 5% a b
	[ "$status" -eq 3 ]
	grep -qF '1.080' <<<"$output"
	grep -qx 'ktime: the total of GPU activities takes 7.9% longer: above 5%' <<<"$output"
	grep -qx 'ktime: add(float const \*, int) takes 8.0% longer: above 5%' <<<"$output"
	run "$ktime" diff --fail-above 10 a b
	[ "$status" -eq 0 ]
	run "$ktime" diff --fail-above 5% b a
	[ "$status" -eq 0 ]
	run "$ktime" diff a b
	[ "$status" -eq 0 ]
}

@test "a copy that takes longer for more data is more data, and fails as one that is slower does" {
	local bytes call
	for bytes in 4096 8192; do
		printf 'type\tname\tstart_ns\tend_ns\tdevice\tbytes\n'
		for call in 1 2 3 4; do
			printf 'memcpy\tHtoD\t%d\t%d\t0\t%d\n' $((call * 100000)) $((call * 100000 + bytes)) $bytes
		done
	done >both
	head -5 both | session a
	tail -5 both | session b
	run "$ktime" diff --fail-above 5 a b
	[ "$status" -eq 3 ]
	[[ ${lines[0]} == "B is 2.00 times slower on the GPU (16.4 us -> 32.8 us, one run a side): "* ]]
	[ "${lines[1]}" = "Why: more data, 16 KB -> 32 KB at 1.000 GB/s as before in [CUDA memcpy HtoD]." ]
	grep -q ' more data *\[CUDA memcpy HtoD\]: bytes 16 KB -> 32 KB' <<<"$output"
	grep -qx 'ktime: \[CUDA memcpy HtoD\] takes 100.0% longer: above 5%' <<<"$output"
}

# runs SIDE AVERAGE...: a profile for each average, in the folder SIDE.
runs() {
	mkdir "$1"
	local side=$1 run=0 average
	shift
	for average; do
		records "$average" | session "$side/$run.ktime"
		run=$((run + 1))
	done
}

@test "several runs a side show what is more than noise between them" {
	runs a 10000 10070 9930 10030 9970
	runs b 10500 10590 10420 10530 10460
	run "$ktime" diff a b
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "B is 1.050 times slower on the GPU (404 us -> 424 us): 1 of 2 GPU rows slower; most in add (400 us -> 420 us)" ]
	[ "${lines[1]}" = "Why: longer calls, 10.0 us -> 10.5 us a call in add." ]
	[ "${lines[2]}" = "A: a (ktime profile, 5 runs)" ]
	[ "${lines[5]}" = " GPU activities:        40        40  400.00us  420.00us  10.000us  10.500us   1.050   1.041..1.059  slower       add(float const *, int)" ]
	[ "${lines[7]}" = "All GPU activities: 404.00us in A, 424.00us in B, ratio 1.050 (95 %: 1.041..1.058): slower" ]
	[ "${lines[8]}" = "GPU rows: 1 same, 1 slower" ]
	[ "${lines[9]}" = "5 and 5 runs. Faster, slower: by more than 2 %, wrong in at most 2 of 100 comparisons. Same: within 2 %. Ratio: Time B / Time A." ]
	# The files one by one are the same comparison.
	diff <("$ktime" diff a b | tail -n +5) <("$ktime" diff a/*.ktime -- b/*.ktime | tail -n +5)
	run "$ktime" diff b a
	[ "${lines[8]}" = "GPU rows: 1 same, 1 faster" ]
	# The first three runs of a, and its others, are of one program.
	run "$ktime" diff a/{0,1,2}.ktime -- a/{3,4}.ktime
	[ "${lines[1]}" = "A: a/0.ktime … a/2.ktime (ktime profile, 3 runs)" ]
	[ "${lines[2]}" = "B: a/3.ktime a/4.ktime (ktime profile, 2 runs)" ]
	[ "${lines[7]}" = "GPU rows: 2 same" ]
	run "$ktime" diff --threshold 6 a b
	[ "${lines[7]}" = "GPU rows: 2 same" ]
	run "$ktime" diff --fail-above 4 a b
	[ "$status" -eq 3 ]
	[[ "$output" == *"ktime: add(float const *, int) takes 5.0% longer: above 4%"* ]]
	run "$ktime" diff --fail-above 6 a b
	[ "$status" -eq 0 ]
}

@test "one run a side is compared beyond the threshold only" {
	records 10000 | session a
	records 10800 | session b
	csv_row a b add | grep -qF '"under threshold"'
	"$ktime" diff a b | grep -F ' under 10 %   add('
	"$ktime" diff --csv --threshold 5 a b | grep -F add | grep -qF '"slower"'
	"$ktime" diff a b | grep -qx 'One run a side: how much runs differ is not known, so each time may differ by chance; a row is judged by how much its calls differ. Faster, slower: by more than 10 %; under 10 %: by less; cannot tell: it could be either. Ratio: Time B / Time A.'
}

@test "ten times the calls of one run a side are more time, and the first line says it" {
	records 10000 | session a
	{ records 10000; for _ in {1..9}; do records 10000 | tail -n +2 | grep ^kernel; done; } |
		awk -F'\t' -v OFS='\t' 'NR > 1 { length_ns = $4 - $3; $3 = NR * 100000; $4 = $3 + length_ns } 1' |
		session b
	run "$ktime" diff a b
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "B is 9.91 times slower on the GPU (404 us -> 4.00 ms, one run a side): 1 of 2 GPU rows with more time by more calls; most in add (400 us -> 4.00 ms, 40 -> 400 calls)" ]
	[ "${lines[1]}" = "Why: more calls, 40 -> 400 in add." ]
	[ "${lines[2]}" = "Calls differ by more than 10 % in 1 of 2 rows: add 40 -> 400." ]
	[ "${lines[6]}" = " GPU activities:        40       400  400.00us  4.0000ms  10.000us  10.000us  10.000  more time    add(float const *, int)" ]
	run "$ktime" diff --fail-above 50 a b
	[ "$status" -eq 3 ]
	[ "${lines[-1]}" = "ktime: add(float const *, int) takes 900.0% longer: above 50%" ]
	"$ktime" diff --html page.html a b >out.txt
	grep -qF "<title>$(head -1 out.txt | sed 's/ -> / → /g; s/>/\&#62;/g')</title>" page.html
}

@test "CSV has times in nanoseconds" {
	records 10000 | session a
	records 20000 | session b
	run --separate-stderr "$ktime" diff --csv a b
	[ "$stderr" = "ktime: B is 1.99 times slower on the GPU (404 us -> 804 us, one run a side: may be chance): 1 of 2 GPU rows slower; most in add (400 us -> 800 us)" ]
	[ "${lines[0]}" = '"Type","Calls A","Time A","Avg A","Calls B","Time B","Avg B","Ratio","Low","High","Probability","Verdict","Name","Name B","Bytes A","Bytes B"' ]
	[[ ${lines[1]} == '"GPU activities",40,400000,10000.000,40,800000,20000.000,2,,,'*',"slower","add(float const *, int)",,,' ]]
}

@test "versions of one kernel are one row, by its name without template arguments" {
	local length
	for length in 2000 1000; do
		[ $length = 2000 ] && set -- a d double || set -- b f float
		printf 'type\tname\tstart_ns\tend_ns\tdevice\tbytes\nkernel\t_Z4copyI%sEvPKT_PS0_i\t1000\t%d\t0\t\n' \
			$2 $((1000 + length)) | session $1
	done
	run "$ktime" diff --json out.json --html page.html a b
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "B is 2.00 times faster on the GPU (2.00 us -> 1.00 us, ratio 0.500, one run a side: may be chance): cannot tell in which GPU rows; most in copy<double> -> <float> (2.00 us -> 1.00 us)" ]
	[ "${lines[1]}" = "More runs tell: ktime diff a MORE -- b MORE" ]
	[ "${lines[2]}" = "Why: shorter calls, 2.00 us -> 1.00 us a call in copy<double> -> <float>." ]
	[ "${lines[6]}" = " GPU activities:         1         1  2.0000us  1.0000us  2.0000us  1.0000us   0.500  cannot tell: 1 call  copy<double> -> <float>" ]
	[ "${lines[8]}" = "GPU rows: 1 cannot tell (1 of these rows compares two versions of a kernel, whose names differ in template arguments or parameters)" ]
	[ "$(jq -c '.rows[0] | [.verdict, .why]' out.json)" = '["cannot tell","1 call"]' ]
	[ "$(jq -c '.rows[0] | [.name, .name_b]' out.json)" = \
		'["void copy<double>(double const *, double*, int)","void copy<float>(float const *, float*, int)"]' ]
	[[ $(csv_row a b copy) == *',"void copy<double>(double const *, double*, int)","void copy<float>(float const *, float*, int)",,' ]]
	grep -qF '<dd class="value name">copy&#60;double&#62; → &#60;float&#62;</dd>' page.html
	grep -qF '>copy&#60;double&#62; → &#60;float&#62;<small>A: void copy&#60;double&#62;(' page.html
}

@test "bytes and GB/s of both sides stand in the row: of copies, and of kernels by --bytes" {
	records 10000 | session a
	records 10000 | sed 's/4096$/1024/' | session b
	run --separate-stderr "$ktime" diff --json out.json --bytes 'add=1000/launch' --bytes none=1/launch a b
	[ "$status" -eq 0 ]
	[ "$stderr" = "ktime: Warning: --bytes 'none=1/launch' matches no kernel's full name" ]
	[[ ${lines[4]} == *"  same         add(float const *, int)" ]]
	[[ ${lines[5]} == *"  same         [CUDA memcpy HtoD]: bytes 8.0 KB -> 2.0 KB (0.250), 2.048 -> 0.5120 GB/s" ]]
	[ "$(jq -c '[.rows[] | .a.runs[0].bytes, .b.runs[0].bytes]' out.json)" = '[40000,40000,8192,2048]' ]
	[[ $(csv_row a b HtoD) == *'"[CUDA memcpy HtoD]",,8192,2048' ]]
	"$ktime" diff --html page.html a b >out.txt
	grep -qF '[CUDA memcpy HtoD]<small>bytes 8.0 KB → 2.0 KB (0.250), 2.048 → 0.5120 GB/s</small>' page.html
}

@test "JSON and Markdown go to files, or to standard output instead of the table" {
	runs a 10000 10070 9930
	runs b 20000 20100 19900
	run "$ktime" diff --json out.json --markdown out.md a b
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "$(jq -r .why out.json)" ]
	[ "${lines[2]}" = "A: a (ktime profile, 3 runs)" ]
	[ "$(jq -r .verdict out.json)" = "${lines[0]}" ]
	[ "$(jq -c '[.format, .runs_a, .runs_b, .threshold_percent, .gpu_total.a_ns, .gpu_total.verdict]' out.json)" = \
		'[1,3,3,2,404000,"slower"]' ]
	[ "$(jq -c '.rows[0] | [.type, .name, .verdict, .a.runs[1], (.average.ratio * 100 | round), (.total.ratio * 100 | round)]' out.json)" = \
		'["gpu","add(float const *, int)","slower",{"run":1,"calls":40,"total_ns":402800,"average_ns":10070},200,200]' ]
	diff out.json <("$ktime" diff --json - a b)
	[ "$(head -9 out.md)" = "$(printf '%s\n\n' "**$(sed "s/>/\&#62;/g" <<<"${lines[0]}")**" "$(sed "s/>/\&#62;/g" <<<"${lines[1]}")" "All GPU activities: 404.00us in A, 804.00us in B, ratio 1.990 (95 %: 1.962..2.019): slower" \
		"GPU rows: 1 same, 1 slower" \
		"3 and 3 runs. Faster, slower: by more than 2 %, wrong in at most 2 of 100 comparisons. Same: within 2 %. Ratio: Time B / Time A.")" ]
	[ "$(sed -n 13p out.md)" = "| GPU | 40 | 40 | 400.00us | 800.00us | 10.000us | 20.000us | 2.000 | 1.971..2.029 | slower | <code>add(float const &#42;, int)</code> |" ]
	diff out.md <("$ktime" diff --markdown - a b)
	run "$ktime" diff --json /dev/full a b
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "ktime: /dev/full: No space left on device" ]
}

@test "an SQLite export of the same run differs in nothing" {
	"$ktime" export --sqlite out.sqlite "$(golden nsys_many)"
	run "$ktime" diff "$(golden nsys_many)" out.sqlite
	[ "$status" -eq 0 ]
	[ "${lines[2]}" = "B: out.sqlite (nsys SQLite export)" ]
	[ "${lines[-2]}" = "GPU rows: 12 same; API rows: 5 same" ]
}

@test "nsys's CSV of the same run differs in nothing" {
	run "$ktime" diff "$(golden nsys_many)" "$golden/nsys_many.csv"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "ktime: $golden/nsys_many.csv: 6 rows passed over after line 24: sizes of copies, not times" ]
	[ "${lines[3]}" = "B: $golden/nsys_many.csv (nsys CSV)" ]
	[ "${lines[-2]}" = "GPU rows: 12 same; API rows: 5 same" ]
}

@test "nvprof's CSV of the same run differs in nothing" {
	awk '/^\$ nvprof --csv$/ {on = 1; next} /^$/ {on = 0} on' "$golden/nvprof_mix.txt" >nvprof.csv
	run "$ktime" diff "$(golden nvprof_mix)" nvprof.csv
	[ "$status" -eq 0 ]
	[ "${lines[2]}" = "B: nvprof.csv (nvprof CSV)" ]
	[ "${lines[-2]}" = "GPU rows: 5 same; API rows: 2 same" ]
}

@test "nvprof's names of kernels are found by ktime's and nsys's" {
	local set=$(golden nvprof_demangle)
	"$ktime" show --quiet --csv "$set" >nvprof.csv
	"$ktime" show --quiet --csv --format nsys "$set" >nsys.csv
	run "$ktime" diff nvprof.csv nsys.csv
	[ "${lines[-2]}" = "GPU rows: 6 same" ]
	run "$ktime" diff "$set" nvprof.csv
	[ "${lines[-2]}" = "GPU rows: 6 same" ]
}

@test "units are read: nsys's in the header, nvprof's in a row, with micro in both spellings" {
	cat >nsys.csv <<-END
	Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...
	Time (%),Total Time (μs),Instances,Avg (μs),Med (μs),Min (μs),Max (μs),StdDev (μs),Name
	100.0,40.5,4,10.125,10.0,9.5,11.0,0.5,"f(int, int)"
	END
	cat >nvprof.csv <<-END
	==12== Profiling result:
	"Time(%)","Time","Calls","Avg","Min","Max","Name"
	%,ms,,us,us,us,
	100.00,0.040500,4,10.125000,9.500000,11.000000,"f(int, int)"

	==12== API calls:
	"Time(%)","Time","Calls","Avg","Min","Max","Name"
	%,s,,ms,ms,ms,
	100.00,0.001000,1,1.000000,1.000000,1.000000,"cudaMalloc"
	END
	run --separate-stderr "$ktime" diff --csv nsys.csv nvprof.csv
	[ "$status" -eq 0 ]
	[[ ${lines[1]} == '"GPU activities",4,40500,10125.000,4,40500,10125.000,1,,,1,"same","f(int, int)",,,' ]]
	[ "${lines[2]}" = '"API calls",,,,1,1000000,1000000.000,,,,,"only in B","cudaMalloc",,,' ]
}

@test "calls without a time are read from CSV, and are no difference" {
	cat >some.csv <<-END
	"Type","Time(%)","Time","Calls","Avg","Min","Max","Med","p95","p99","StdDev","Name"
	,%,us,,us,us,us,us,us,us,us,
	"GPU activities",100.000000,40.000000,40,1.000000,1.000000,1.000000,1.000000,1.000000,1.000000,0.000000,"k"
	"GPU activities",0.000000,,2,,,,,,,,"[CUDA memcpy HtoD]"
	END
	cat >all.csv <<-END
	Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
	100.0,40000,40,1000.0,1000.0,1000,1000,0.0,k

	Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
	100.0,14000,2,7000.0,7000.0,7000,7000,0.0,[CUDA memcpy Host-to-Device]
	END
	run "$ktime" diff --fail-above 0 some.csv all.csv
	[ "$status" -eq 0 ]
	[ "${lines[-2]}" = "GPU rows: 1 same, 1 untimed" ]
	[ "$(csv_row some.csv all.csv HtoD)" = \
		'"GPU activities",2,,,2,14000,7000.000,,,,,"untimed","[CUDA memcpy HtoD]",,,' ]
	run "$ktime" diff some.csv some.csv
	[ "${lines[-2]}" = "GPU rows: 1 same, 1 untimed" ]
	sed 's/,2,,/,,,/' some.csv >no_calls.csv
	run "$ktime" diff --fail-above 5 some.csv no_calls.csv
	[ "$status" -eq 4 ]
	[ "${lines[0]}" = "ktime: no_calls.csv: 1 row passed over after line 3: no calls" ]
	[ "${lines[-1]}" = "ktime: cannot tell whether B is slower: rows are missing" ]
}

@test "of nsys's other reports nothing is taken twice or for CUDA" {
	cat >nsys.csv <<-END
	Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range
	100.0,5,1,5.0,5.0,5,5,0.0,PushPop,step

	Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
	100.0,5,1,5.0,5.0,5,5,0.0,poll

	Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
	100.0,5,1,5.0,5.0,5,5,0.0,k

	Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,Operation
	60.0,5,1,5.0,5.0,5,5,0.0,CUDA_KERNEL,k
	40.0,3,1,3.0,3.0,3,3,0.0,CUDA_API,cudaFree

	Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
	12.000,3,4.000,4.000,4.000,4.000,0.000,[CUDA memcpy Host-to-Device]
	END
	run --separate-stderr "$ktime" diff --csv nsys.csv nsys.csv
	[ "$status" -eq 0 ]
	[ "${stderr_lines[0]}" = "ktime: nsys.csv: 1 row passed over after line 1: ranges and markers" ]
	[ "${stderr_lines[1]}" = "ktime: nsys.csv: 1 row passed over after line 4: calls of other libraries" ]
	[ "${stderr_lines[2]}" = "ktime: nsys.csv: 1 row passed over after line 14: sizes of copies, not times" ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} == '"GPU activities",1,5,'*'"k",,,' ]]
	[[ ${lines[2]} == '"API calls",1,3,'*'"cudaFree",,,' ]]
}

@test "what cannot be compared is told in one line" {
	records 10000 | session a
	# With what JSON begins with at the start of a line.
	{ printf '\001\377x%.0s' {1..3000}; printf '\n[{\001\n'; } >garbage
	printf 'SQLite format 3\0' >cut.sqlite
	: >empty
	printf 'Time (%%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name\n1,x,1,1,1,1,k\n' >bad.csv
	printf '"Time(%%)","Time","Calls","Avg","Min","Max","Name"\n%%,parsecs,,us,us,us,\n' >unit.csv
	echo x >x.nsys-rep
	local file
	for file in garbage cut.sqlite empty bad.csv unit.csv x.nsys-rep /dev none; do
		run "$ktime" diff a $file
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ ${lines[0]} == "ktime: $file: "* ]]
	done
	run "$ktime" diff a bad.csv
	prints "ktime: bad.csv: line 2: bad total time"
	run "$ktime" diff a unit.csv
	prints "ktime: unit.csv: line 2: unknown unit \"parsecs\""
	run "$ktime" diff a garbage
	prints "ktime: garbage: neither a profile nor text; of a report of nsys (.nsys-rep, .qdrep) give what \`nsys export --type sqlite\` makes"
	run "$ktime" diff a "$BATS_TEST_DIRNAME/common.bash"
	prints "ktime: $BATS_TEST_DIRNAME/common.bash: no profile, database of nsys, or table of nvprof, nsys or ktime"
}

@test "a wrong usage is told" {
	run "$ktime" diff one
	[ "$status" -eq 2 ]
	prints "ktime diff: one file given; usage: ktime diff [options] A B, ktime diff [options] A... -- B..."
	run "$ktime" diff a b c
	[ "$status" -eq 2 ]
	prints "ktime diff: put -- between the runs of A and those of B"
	run "$ktime" diff a b --
	[ "$status" -eq 2 ]
	prints "ktime diff: put -- between the runs of A and those of B"
	run "$ktime" diff --fail-above five a b
	[ "$status" -eq 2 ]
	prints "ktime diff: option --fail-above: 'five' is not a valid PERCENT"
	run "$ktime" diff --threshold -1 a b
	[ "$status" -eq 2 ]
	run "$ktime" diff --top 3 a b
	[ "$status" -eq 2 ]
	prints "ktime diff: unknown option --top (--help lists the options)"
	run "$ktime" diff --help
	[ "$status" -eq 0 ]
	grep -q -- --fail-above <<<"$output"
}

@test "a full disk is told" {
	records 10000 | session a
	run sh -c "'$ktime' diff a a 2>&1 >/dev/full"
	[ "$status" -eq 1 ]
	prints "ktime: standard output: No space left on device"
}

# database FILE SQL…: made by the shell of SQLite, which is there with its library's headers or not.
database() {
	command -v sqlite3 >/dev/null || skip "no sqlite3 here to make the file"
	sqlite3 "$1" "create table CUPTI_ACTIVITY_KIND_KERNEL(start, \"end\", demangledName);
		insert into CUPTI_ACTIVITY_KIND_KERNEL values(1, 2, 3); $2"
}

@test "a view without an end, and a product of tables, end" {
	database view.sqlite "create view StringIds as with recursive r(id, value) as
		(select 1, 'x' union all select id + 1, value from r) select * from r"
	database product.sqlite "create table StringIds(id, value);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
			insert into StringIds select 3, 'x' from n;
		insert into CUPTI_ACTIVITY_KIND_KERNEL select 1, 2, 3 from StringIds"
	database long.sqlite "create table StringIds(id, value text
		generated always as (hex(zeroblob(300000000)))); insert into StringIds(id) values(3)"
	for file in view product long; do
		run "$ktime" diff $file.sqlite $file.sqlite
		[ "$status" -eq 1 ]
		[[ "$output" == "ktime: $file.sqlite: no export of nsys's or nvprof's: "* ]]
	done
}

@test "a summary may come from a pipe, and a profile may not" {
	records 10000 | session a
	"$ktime" show --csv a >a.csv
	run "$ktime" diff <(cat a.csv) a.csv
	[ "$status" -eq 0 ]
	[[ "$output" == *"GPU rows: 2 same"* ]]
	run "$ktime" diff <(cat a) a.csv
	[ "$status" -eq 1 ]
	[[ "$output" == "ktime: /dev/fd/"*": a pipe can bring text alone: name the file" ]]
	run "$ktime" diff /dev/zero a.csv
	[ "$status" -eq 1 ]
	[ "$output" = "ktime: /dev/zero is neither a regular file nor a pipe" ]
}

@test "of several runs in a file --part takes one for each side" {
	local header='Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name'
	printf '%s\n' "$header" '100.0,3000,3,1000.0,1000.0,900,1100,100.0,k' '' \
		"$header" '100.0,6000,3,2000.0,2000.0,1900,2100,100.0,k' >two.csv
	run "$ktime" diff two.csv two.csv
	[ "$status" -eq 1 ]
	prints "ktime: two.csv: 2 runs or processes in one file: choose one with --part 1 (line 1), --part 2 (line 4)"
	run "$ktime" diff --csv --part 1,2 two.csv two.csv
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == '"GPU activities",3,3000,1000.000,3,6000,2000.000,2,'* ]]
	run "$ktime" diff --part 3 two.csv two.csv
	[ "$status" -eq 1 ]
	run "$ktime" diff --part 0 two.csv two.csv
	[ "$status" -eq 2 ]
	# A cut file is said to be one in every form.
	printf '%s\n' "$header" '60.0,3000,3,1000.0,1000.0,900,1100,100.0,k' '40.0,2000,2,1000.0,1000.0,9' |
		head -c -1 >cut.csv
	run --separate-stderr "$ktime" diff --fail-above 5 --part 1 --json - two.csv cut.csv
	[ "$status" -eq 4 ]
	[ "${stderr_lines[0]}" = "ktime: cut.csv: the shares of the table in line 1 add up to 60 %: rows are missing" ]
	[ "${stderr_lines[1]}" = "ktime: cut.csv: 1 row passed over after line 2: the file ends in the middle of it" ]
	[ "$(jq -c '[.damaged, (.unread | length)]' <<<"$output")" = '[true,2]' ]
}
