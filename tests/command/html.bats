#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

@test "show --html writes a page instead of the report" {
	run "$ktime" show --html page.html "$(golden nvprof_noapi)"
	[ "$status" -eq 0 ]
	prints ""
	grep -q '^<!doctype html>' page.html
	grep -q '<summary>k</summary>' page.html
	grep -q '<p class="full-name">k(void)</p>' page.html
	[ "$(tail -n 1 page.html)" = "</html>" ]
}

@test "a page on standard output is the same" {
	"$ktime" show --html page.html "$(golden nvprof_noapi)"
	"$ktime" show --html - "$(golden nvprof_noapi)" | cmp - page.html
}

@test "a page that exists is kept unless -f is given" {
	echo mine >page.html
	run "$ktime" show --html page.html "$(golden nvprof_noapi)"
	[ "$status" -eq 1 ]
	prints "ktime: page.html: File exists (-f replaces it)"
	[ "$(cat page.html)" = mine ]
	"$ktime" show -f --html page.html "$(golden nvprof_noapi)"
	grep -q '^</html>' page.html
}

@test "the options that choose rows and names hold for the page" {
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\n'
		printf 'kernel\t_Z5firstv\t1000\t901000\t0\n'
		printf 'kernel\t_Z6secondv\t1000\t11000\t0\n'
	} | session a
	"$ktime" show --html page.html --kernels second --names full a
	grep -q '<summary>second(void)</summary>' page.html
	! grep -q "first(" page.html || false
}

@test "every element of a page is closed, and every id is there once" {
	for set in nvprof_noapi nvprof_nokernels; do
		"$ktime" show --html $set.html "$(golden $set)"
		"$BATS_TEST_DIRNAME/page_table.py" $set.html
	done
}

# kernels NS: a profile of two kernels, the first of which takes so long, and of a copy.
kernels() {
	printf 'type\tname\tstart_ns\tend_ns\tdevice\n'
	for start in 0 100000 200000 300000; do
		printf 'kernel\t_Z5firsti\t%d\t%d\t0\n' $((start + 1000)) $((start + 1000 + $1))
	done
	printf 'kernel\t_Z6secondv\t1000\t11000\t0\n'
	printf 'api\tcudaLaunchKernel\t1000\t3000\t\n'
}

@test "the page of a comparison has the figures of its text" {
	kernels 20000 | session a
	kernels 30000 | session b
	"$ktime" diff --html page.html a b >text
	for table in gpu api; do
		"$BATS_TEST_DIRNAME/page_table.py" page.html $table-table
	done >got
	# Its columns are of fixed widths; the bar has no text.
	sed -n '/^ *Type /,/^$/{/^$/d;p}' text | python3 -c '
import sys
title, *lines = sys.stdin
verdict, name = title.index("Verdict"), title.index("Name")
for line in lines:
	cells = [line[18 + 10 * i:26 + 10 * i].strip() for i in range(6)]
	print("|".join([line[name:].strip(), line[verdict:name].strip(), line[78:verdict].strip(), "", *cells]))' >expected
	[ "$(wc -l <expected)" -eq 3 ]
	diff expected got
	grep -q '<td class="verdict slower">slower</td>' page.html
	grep -A2 -F '<h1>B is 1.44 times slower on the GPU (90.0 us → 130 us, one run a side: may be chance)</h1>' page.html | grep -qF '<p class="remark">More runs tell: <code>ktime diff '
	# From 20 us to 30 us: log(1.5) / log(4) of the right half.
	grep -q '<rect class="slower" x="50.00%" width="14.62%"' page.html
	grep -qF '<dd class="value">90.0 us → 130 us</dd><dd class="note">1.44 times slower</dd>' page.html
	sed -n '/^GPU rows: /,$p' text >lines
	[ "$(wc -l <lines)" -eq 2 ]
	while read -r line; do
		grep -qF "<li>$line</li>" page.html || { echo "not in the page: $line"; return 1; }
	done <lines
}

@test "the page of a comparison goes to standard output alone" {
	kernels 20000 | session a
	"$ktime" diff --html - a a >page.html
	"$BATS_TEST_DIRNAME/page_table.py" page.html
	[ "$(head -n 1 page.html)" = "<!doctype html>" ]
	run "$ktime" diff --html page.html a a
	[ "$status" -eq 1 ]
	[[ "$output" == *"page.html: File exists (-f replaces it)"* ]]
	"$ktime" diff -f --html page.html a a
}

@test "names of kernels stay text in a comparison" {
	{
		printf 'type\tname\tstart_ns\tend_ns\tdevice\n'
		printf 'kernel\t</script><b onclick="x">&\t1000\t901000\t0\n'
	} | session a
	"$ktime" diff --html page.html a a >/dev/null
	! grep -q '<b ' page.html || false
	[ "$("$BATS_TEST_DIRNAME/page_table.py" page.html gpu-table | cut -d'|' -f 1)" = '</script><b onclick="x">&' ]
}
