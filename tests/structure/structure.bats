#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rules that hold for the sources and for what is built from them.
load ../waits

setup() {
	cd "$BATS_TEST_TMPDIR"
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	built=$root/${BUILD:-build}
	mkdir tree
	cp -r "$root/preload" "$root/cupti" "$root/report" tree
	mkdir tree/tests
	cp -r "$root/tests/structure" tree/tests
	check=$root/tests/structure/check.py
}

# plant LINE FILE, FILE being one of the copy: what check.py says of the copy only with the line.
plant() {
	python3 "$check" tree | sort >before || true
	echo "$1" >>"tree/$2"
	run python3 "$check" tree
	[ "$status" -eq 1 ]
	sort <<<"$output" | comm -13 before - >found
}

@test "the sources keep to the include table" {
	python3 "$check"
}

@test "an include of a folder that stands higher is found" {
	plant '#include "preload/lifecycle/lifecycle.h"' preload/base/clock.c
	line=$(wc -l <tree/preload/base/clock.c)
	[ "$(cat found)" = "preload/base/clock.c:$line: preload/base may not include preload/lifecycle" ]
}

@test "an include that is not written from the root is found" {
	plant '#include "clock.h"' preload/base/pointer_map.c
	line=$(wc -l <tree/preload/base/pointer_map.c)
	[ "$(cat found)" = "preload/base/pointer_map.c:$line: \"clock.h\" is not a path from the root" ]
}

@test "a circle of four rooms is found" {
	mkdir -p tree/report/ring
	echo report/ring >>tree/tests/structure/folders.txt
	for arrow in a:b b:c c:d; do
		echo "#include \"report/ring/${arrow#*:}.h\"" >"tree/report/ring/${arrow%:*}.h"
	done
	plant '#include "report/ring/a.h"' report/ring/d.h
	[ "$(cat found)" = "a circle of 4 rooms: report/ring/a report/ring/b report/ring/c report/ring/d" ]
}

@test "libktime.so and the portable command ask for no symbol newer than those of glibc 2.28" {
	"$root/tests/structure/glibc.sh" "$built/libktime.so"
	"$root/tests/structure/glibc.sh" "$built/tests/command/old_glibc_ktime"
	# It runs its constructors itself, without which it would know no stdout.
	XDG_RUNTIME_DIR=$PWD TMPDIR=$PWD "$built/tests/command/old_glibc_ktime" list >/dev/null
}

@test "a symbol of a newer glibc is found" {
	echo 'void newer(void); void newer(void) {}' >newer.c
	echo 'GLIBC_2.99 { newer; };' >newer.map
	cc -shared -fPIC -Wl,--version-script=newer.map newer.c -o libnewer.so
	echo 'void newer(void); void user(void); void user(void) { newer(); }' >user.c
	cc -shared -fPIC user.c -L. -lnewer -o libuser.so
	run "$root/tests/structure/glibc.sh" libuser.so
	[ "$status" -eq 1 ]
	[ "$output" = "libuser.so: newer is of glibc 2.99: add it to preload/base/old_glibc.S" ]
}

@test "nothing in a test waits without end" {
	run python3 "$root/tests/structure/check_waits.py"
	[ "$output" = "" ] || { echo "$output"; false; }
}

@test "a wait without an end is found" {
	printf '%s\n' '@test "waits" {' 'until [ -e file ]; do sleep 1; done' 'wait # for all' 'wait "$program"' \
		'timeout 1 sleep 2; for i in 1 2; do sleep 1; done' 'run sleep 1' '}' >tree/tests/waits.bats
	printf '%s\n' 'import subprocess' 'subprocess.run(["true"])' 'subprocess.run(["true"], timeout=1).wait()' \
		>tree/tests/waits.py
	run python3 "$root/tests/structure/check_waits.py" tree
	[ "$status" -eq 1 ]
	[ "$output" = "tests/waits.bats:2: a sleep: wait_until has an end
tests/waits.bats:3: a wait for everything: name the process
tests/waits.py:2: subprocess.run without a timeout
tests/waits.py:3: wait() without a timeout" ] || { echo "$output"; false; }
}

# bats goes on after a command with a "!" before it that fails, unless that is a test's last.
@test "a check that something is not so fails its test" {
	run grep -vF '||' <(grep -rhE '^[[:space:]]*! ' "$root/tests" --include='*.bats')
	[ "$output" = "" ]
}
