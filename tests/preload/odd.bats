#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs and libraries that define the driver's names themselves work as they do alone, and what
# they have the driver do is in the report.
load helper

# odd OPERATIONS PROGRAM [LIBRARY]: nothing is said but the report, by the loader neither.
odd()
{
	export KTIME_OPTIONS="-f -o session"
	same_as_alone "$programs/$2" ${3:+"$programs/$3"}
	[ "$status" -eq 0 ]
	is "$1" counter operations
	says "all $1 GPU operations timed"
	[ -z "$(grep -v "^==[0-9]*== \|^ " <<<"$stderr")" ]
}

@test "pointers that a program fills itself, in the program" {
	odd 6 odd_pointers
	grep -qx "before: NULL" ktime.out
	grep -qx "default is its own" ktime.out
}

@test "pointers that a program fills itself, in a library that it is linked with" {
	odd 6 odd_pointers_linked
	grep -qx "before: NULL" ktime.out
	grep -qx "default is its own" ktime.out
}

@test "pointers that a program fills itself, in a library that it opens" {
	odd 3 odd libodd_pointers.so
	grep -qx "before: NULL" ktime.out
	grep -qx "default is its own" ktime.out
}

@test "functions that open the driver at their first call, in the program" {
	odd 6 odd_functions
	is 14 grep -c "^own " ktime.out
	grep -qx "default is its own" ktime.out
}

@test "functions that open the driver at their first call, in a library that it is linked with" {
	odd 6 odd_functions_linked
	is 14 grep -c "^own " ktime.out
	grep -qx "default is its own" ktime.out
}

@test "functions that open the driver at their first call, in a library that it opens" {
	odd 3 odd libodd_functions.so
	is 7 grep -c "^own " ktime.out
	grep -qx "default is NULL" ktime.out
}

@test "functions that call the next ones of their name, in the program" {
	odd 6 odd_next
	is 14 grep -c "^own " ktime.out
}

@test "functions that call the next ones of their name, in a library that it is linked with" {
	odd 6 odd_next_linked
	is 14 grep -c "^own " ktime.out
}

@test "functions that call the next ones of their name, in a library that it opens" {
	odd 3 odd libodd_next.so
	is 7 grep -c "^own " ktime.out
}

# tracer LD_PRELOAD OPERATIONS
tracer()
{
	not_under_sanitizers "the tracer would be in the shell that starts the program too"
	export KTIME_OPTIONS="-f -o session"
	# The driver, which the tracer needs, for the shell that starts the program too.
	LD_LIBRARY_PATH=$built/sim/lib run --separate-stderr env LD_PRELOAD="$1" \
		"$root/tests/sim/run" "$programs/sanitized_gcc-undefined"
	[ "$status" -eq 0 ]
	is 21 eval 'grep -c "^own " <<<"$output"'
	is 9 counter operations
}

@test "functions that call the next ones of their name, in another preload before and behind" {
	tracer "$built/libktime.so:$programs/libodd_next.so"
	tracer "$programs/libodd_next.so:$built/libktime.so"
}

# Each reference to one of its own exports would be the program's definition, where it has one.
@test "libktime.so refers to what it exports without the loader" {
	readelf -rW "$built/libktime.so" | awk '{ print $5 }' | sed 's/@.*//' | sort -u >referred
	nm -D --defined-only "$built/libktime.so" | awk '{ print $NF }' | sort -u >exported
	[ -z "$(comm -12 referred exported)" ]
}
