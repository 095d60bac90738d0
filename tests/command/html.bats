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
	prints "ktime: page.html exists; -f overwrites it"
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
	! grep -q "first(" page.html
}
