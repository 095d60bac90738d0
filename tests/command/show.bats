#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

@test "show prints a session file on stdout" {
	run sh -c "'$ktime' show '$(golden nvprof_noapi)' 2>/dev/null"
	[ "$status" -eq 0 ]
	prints "======== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:  100.00%  5.0000us         1  5.0000us  5.0000us  5.0000us  k(void)
No API activities were profiled."
}

@test "show --markdown prints GitHub's tables, and the lines around them as a list" {
	"$ktime" show --markdown "$(golden nvprof_noapi)" >page
	diff - page <<-'end'
		- Profiling result:

		| Type | Time(%) | Time | Calls | Avg | Min | Max | Name |
		|---|---:|---:|---:|---:|---:|---:|---|
		| GPU activities: | 100.00% | 5.0000us | 1 | 5.0000us | 5.0000us | 5.0000us | <code>k(void)</code> |

		No API activities were profiled.
	end
	# Traces are such tables too.
	"$ktime" show --markdown --quiet --idle --memory --print-gpu-trace "$(golden nvprof_mix)" >page
	grep -q '^| Start | Duration |' page
	! grep -q '^=' page || false
	# Of several processes the tables of the job too.
	"$ktime" show --markdown "$(golden nvprof_mix)" "$(golden nvprof_noapi)" >page
	[ "$(grep -c '^|---' page)" -eq 3 ]
	for other in --csv "--format nsys"; do
		run "$ktime" show --markdown $other "$(golden nvprof_mix)"
		[ "$status" -eq 2 ]
	done
}

@test "show --summary says what, where, why and what next on one screen" {
	"$ktime" show --summary "$(golden nvprof_mix)" >page
	[ "$(cut -c1-12 page | grep -v '^ ' | sed 's/ *$//' | paste -sd ' ')" = "What Where Why What next" ]
	[ "$(wc -l <page)" -le 24 ]
	"$ktime" show --summary --top 1 "$(golden nvprof_mix)" >first
	[ "$(grep -c ' calls\? *of ' first)" -eq 1 ]
	grep -q 'and [0-9]* more rows$' first
	# Commands are whole.
	grep -qxF "            all of it: ktime show $(golden nvprof_mix)" page
	cp "$(golden nvprof_mix)" "a b.ktime"
	"$ktime" show --summary "a b.ktime" | grep -qxF "            to look at: ktime show --html 'a b.html' 'a b.ktime'"
	"$ktime" show --summary "$(golden nvprof_mix)" "$(golden nvprof_noapi)" | grep -q '^ *slowest: process '
	for part in mix noapi units; do
		cp "$(golden nvprof_$part)" job.$part.ktime
	done
	"$ktime" show --summary job.*.ktime | grep -qxF "            all of it: ktime show job.*.ktime"
	"$ktime" show --summary job.{mix,noapi}.ktime | grep -qxF "            all of it: ktime show job.mix.ktime job.noapi.ktime"
	# As busy as the report has it, which leaves out what a window excludes.
	zcat "$root/tests/golden/profile_layout34.ktime.gz" >earlier
	busy='s/.*\(GPU [0-9]: busy .* of [0-9.]* [mu]*s\).*/\1/p'
	"$ktime" show --verbose earlier | sed -n "$busy" >expected
	"$ktime" show --summary earlier | sed -n "$busy" | diff expected -
	[ -s expected ]
}

@test "traces have the first rows of --top" {
	mix=$(golden nvprof_mix)
	for trace in --print-gpu-trace --print-api-trace "--print-gpu-trace --print-api-trace"; do
		"$ktime" show --quiet --csv $trace "$mix" >all
		"$ktime" show --quiet --csv --top 2 $trace "$mix" >first
		[ "$(tail -n +3 first | wc -l)" -eq 2 ]
		diff <(sed -n '3,4p' all | rev | cut -d, -f1-2) <(sed -n '3,4p' first | rev | cut -d, -f1-2)
	done
}

@test "-i prints on stderr as nvprof did" {
	run sh -c "'$ktime' -i '$(golden nvprof_noapi)' 2>/dev/null"
	[ "$status" -eq 0 ]
	prints ""
	run sh -c "'$ktime' --csv -i '$(golden nvprof_noapi)' 2>&1 >/dev/null"
	[ "${lines[1]}" = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"' ]
}

@test "options may follow the file, and several files are one report" {
	run "$ktime" show "$(golden nvprof_nokernels)" --quiet \
		"$(golden nvprof_noapi)" --print-gpu-summary
	[ "$status" -eq 0 ]
	"$ktime" show --quiet --print-gpu-summary "$(golden nvprof_noapi)" >expected
	printf '%s\n' "${lines[@]}" | sed '/^By process:/,$d' | diff expected -
	[[ "$output" == *"By process:"*"Slowest processes"* ]]
}

@test "a long API call does not choose the unit of the kernels' columns" {
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\n'
		printf 'kernel\t_Z1kv\t1000\t901000\t0\n'
		printf 'api\tcudaMalloc\t1000\t100001000\t\n'
	} | session a
	run "$ktime" show --quiet --csv a
	[ "${lines[1]}" = ',%,us,,us,us,us,' ]
	[ "${lines[2]}" = '"GPU activities",100.000000,900.000000,1,900.000000,900.000000,900.000000,"k(void)"' ]
	[ "${lines[3]}" = '"API calls",100.000000,100000.000000,1,100000.000000,100000.000000,100000.000000,"cudaMalloc"' ]
	run "$ktime" show --quiet -u col --print-api-summary a
	[ "${lines[1]}" = "                        %        ms                  ms        ms        ms" ]
}

@test "where nobody reads the output any more, all commands end silently" {
	profile=$(golden nvprof_mix)
	mkfifo pipe
	for command in "show" "show --csv" "export --json -" "diff $profile" "help all"; do
		run bash -c 'exec 8<>pipe 9>pipe 8<&-; exec "$@" 2>&1 >&9' bash "$ktime" $command $([[ $command == help* ]] || echo "$profile")
		prints ""
		[ "$status" -eq 141 ]
	done
}

@test "show writes to a log file" {
	run "$ktime" show --log-file "out.%%" --quiet "$(golden nvprof_noapi)"
	[ "$status" -eq 0 ]
	prints ""
	[ "$(wc -l <out.%)" -eq 3 ]
}

@test "a file of garbage, a directory and no file are told" {
	head -c 100000 /dev/urandom >garbage
	run "$ktime" show garbage
	[ "$status" -eq 1 ]
	prints "ktime: garbage: not a ktime profile"
	run "$ktime" -i garbage
	[ "$status" -eq 1 ]
	run "$ktime" show .
	prints "ktime: .: Is a directory"
	run "$ktime" show none
	prints "ktime: none: No such file or directory"
}

@test "a full disk is told" {
	local file=$(golden nvprof_mix)
	run "$ktime" show --log-file /dev/full "$file"
	[ "$status" -eq 1 ]
	prints "ktime: the report of $file was not written: No space left on device"
}

@test "what nvprof had and ktime has not gets one line" {
	run sh -c "'$ktime' show --analysis-metrics '$(golden nvprof_noapi)' 2>&1 >/dev/null"
	prints '======== Warning: --analysis-metrics is ignored: --metrics chooses what ktime reads of the counters'
}

# kernels NAME…: the profile "table" of kernels with these mangled names, 100 ns each.
kernels() {
	local name start=0
	{
		printf 'type\tname\tstart_ns\tend_ns\n'
		for name; do
			printf 'kernel\t%s\t%d\t%d\n' "$name" $start $((start + 100))
			((start += 100))
		done
	} | session table
}

# on_terminal COLUMNS OPTION…: what show prints on a terminal of that width.
on_terminal() {
	local columns=$1
	shift
	TERM=${TERM_HERE-dumb} script -qec "stty cols $columns; '$ktime' show $*" /dev/null </dev/null | tr -d '\r'
}

@test "off a terminal names are full, --names shortens them, and equal ones are numbered" {
	kernels _ZN2at6kernelILi4EfEEvT0_ _ZN2at6kernelILi8EfEEvT0_ _Z3fooi _Z3foof plain
	[ "$("$ktime" show --quiet --sort name --print-gpu-summary table | awk 'NR > 1' | cut -c76-)" = \
"  foo(float)
  foo(int)
  plain
  void at::kernel<int=4, float>(float)
  void at::kernel<int=8, float>(float)" ]
	[ "$("$ktime" show --quiet --sort name --names short --print-gpu-summary table | awk 'NR > 1' | cut -c78-)" = \
"at::kernel<int=4, float>
at::kernel<int=8, float>
foo #1
foo #2
plain" ]
	[ "$("$ktime" show --quiet --sort name --names base --print-gpu-summary table | awk 'NR > 1' | cut -c78-)" = \
"foo #1
foo #2
kernel #1
kernel #2
plain" ]
}

@test "on a terminal names are as short as tells rows apart, and the table fits" {
	kernels _ZN2at6kernelILi4EfEEvT0_ _ZN2at6kernelILi8EfEEvT0_ _ZN2at4fillEi \
		_Z35a_rather_long_kernel_name_that_is_cv
	[ "$(on_terminal 80 --quiet --sort name --print-gpu-summary table)" = \
"Time(%)      Time     Calls       Avg       Min       Max  Name
GPU activities:
 25.00%     100ns         1     100ns     100ns     100ns  a_rather_l...is_c
 25.00%     100ns         1     100ns     100ns     100ns  fill
 25.00%     100ns         1     100ns     100ns     100ns  kernel #1
 25.00%     100ns         1     100ns     100ns     100ns  kernel #2" ]
	[ "$(on_terminal 150 --quiet --sort name --print-gpu-summary table)" = \
"            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   25.00%     100ns         1     100ns     100ns     100ns  a_rather_long_kernel_name_that_is_c
                   25.00%     100ns         1     100ns     100ns     100ns  at::kernel<int=4, float>
                   25.00%     100ns         1     100ns     100ns     100ns  at::kernel<int=8, float>
                   25.00%     100ns         1     100ns     100ns     100ns  fill" ]
	[ "$(COLUMNS=80 on_terminal 150 table | wc -L)" -eq 76 ]
	[ "$(on_terminal 40 --print-gpu-summary --format nvprof table)" = \
		"$("$ktime" show --print-gpu-summary table)" ]
	[ "$(on_terminal 40 --print-gpu-summary --names full table)" = \
		"$("$ktime" show --print-gpu-summary table)" ]
	[ "$(on_terminal 40 --csv table)" = "$("$ktime" show --csv table)" ]
}

@test "colour is for terminals that have it, and not with NO_COLOR" {
	kernels k
	[[ "$(TERM_HERE=xterm on_terminal 80 table)" == *$'\e[1m'* ]]
	[[ "$(TERM_HERE=xterm NO_COLOR=1 on_terminal 80 table)" != *$'\e'* ]]
	[[ "$(on_terminal 80 table)" != *$'\e'* ]]
	[[ "$(TERM=xterm "$ktime" show table)" != *$'\e'* ]]
	[[ "$(TERM_HERE=xterm on_terminal 80 --csv table)" != *$'\e'* ]]
}

@test "--kernels goes by the full name, and one that matches nothing is told" {
	kernels _ZN2at6kernelILi4EfEEvT0_
	run "$ktime" show --names base --print-gpu-summary --kernels '^void at::' table
	[[ "${lines[2]}" == *"  kernel" ]]
	run "$ktime" show --print-gpu-summary --kernels '^at' table
	prints "======== Warning: --kernels '^at' matches no kernel's full name
======== Profiling result:
No kernels were profiled."
	run "$ktime" show --quiet --print-gpu-summary --kernels '^at' table
	prints "No kernels were profiled."
}

@test "a device that there is not is told" {
	kernels k
	run "$ktime" show --devices 0,3 table
	[ "${lines[0]}" = "======== Warning: --devices 3: there is only device 0" ]
}

@test "a name with control characters changes no terminal" {
	{
		head -1 "$golden/nvprof_noapi.records.tsv"
		printf 'kernel\tred\e[31m\xc2\x9b\t1000000000\t1000005000\t0\t1\t7\t1\t\t64x1x1\t256x1x1\t16\t0\t0\t\t\n'
	} | session red
	local options
	for options in "--format nvprof" "--format nsys" --print-gpu-trace; do
		run "$ktime" show $options red
		[ "$status" -eq 0 ]
		[[ "$output" == *'red\x1b[31m\xc2\x9b'* ]]
		[[ "$output" != *$'\e'* ]]
	done
	run "$ktime" diff red red
	[[ "$output" == *'red\x1b[31m\xc2\x9b'* ]]
	[[ "$output" != *$'\e'* ]]
	for options in --csv "--csv --format nsys" "--csv --print-gpu-trace"; do
		run "$ktime" show $options red
		[[ "$output" == *'red\x1b[31m\xc2\x9b'* ]]
	done
	# JSON has its own way.
	run "$ktime" export --json - red
	[[ "$output" == *'"red\u001b[31m\u009b"'* ]]
}

@test "a message repeats nothing that changes a terminal" {
	local bad=$'\e]0;x\a\xe2\x80\xae\xc2\x9b\xff' line words=(
		"show BAD" "show --unit BAD a" "show --BAD a" "show --csv --names BAD a" "show --html BAD BAD"
		"show --print-gpu-trace --context-name BAD golden" "show -i BAD" "--help BAD" "show --help BAD"
		"BAD" "/BAD" "--log-file BAD/x true" "-o BAD/x true" "--BAD true" "--kernels BAD[ true" "diff BAD a" "diff BAD BAD"
		"diff --fail-above BAD a a" "export BAD" "export --json BAD/x golden" "export --from BAD golden"
		"merge -o BAD/x golden" "merge -o out BAD" "on BAD" "off --profile BAD" "snapshot -o BAD/x 1"
		"window 1 BAD -o x" "window BAD 1s -o x" "top -n 1 -b --profile BAD" "list BAD" "clean BAD" "prometheus BAD"
		"prometheus --profile BAD" "bench BAD" "devices BAD" "diff --bytes BAD a a" "show --bytes @BAD golden")
	cp "$(golden nvprof_noapi)" golden
	for line in "${words[@]}"; do
		output=$("$ktime" ${line//BAD/"$bad"} 2>&1) || true
		! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae|\xc2\x9b|\xff' <<<"$output" ||
			{ echo "$line: $output" | cat -v; return 1; }
	done
}
