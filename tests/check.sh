#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds everything and runs every test that needs no GPU; make check calls it. The last line is
# "N passed, N failed"; what failed is shown above it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
: "${MAKE:=make}" "${JOBS:=-j2}" "${BUILD:=build}" "${UNIT_TESTS:=}"

# What the tests write, session files included, lies here and nowhere else.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp XDG_RUNTIME_DIR=$scratch/run
mkdir "$TMPDIR" "$XDG_RUNTIME_DIR"
unset KTIME_OPTIONS LD_PRELOAD
results=$scratch/results

# step NAME COMMAND…: one test, its output shown if it fails.
step()
{
	local name=$1
	shift
	if "$@" >"$scratch/output" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$scratch/output"
	fi
}

# unit_test PROGRAM: its results, at once, as others run beside it.
unit_test()
{
	local output status results
	output=$(CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 300 "$1" 2>&1)
	status=$?
	results=$(grep -E '^ok ' <<<"$output")
	[ $status -ne 124 ] || output+=$'\n'"# it has not ended after 300 s"
	# What failed, and behind it all that was said: a test's message comes before its result.
	if [ $status -ne 0 ]; then
		results+=$'\n'$(grep -E '^not ok ' <<<"$output" || echo "not ok ${1##*/} (status $status)")
		results+=$'\n'$(grep -vE '^((not )?ok |1\.\.|# (not )?ok - )' <<<"$output" | sed 's/^\(# \)\?/# /')
	fi
	flock "$2" printf '%s\n' "${results#$'\n'}"
}

# Two at a time for each processor, as some wait.
unit_tests()
{
	export -f unit_test
	# shellcheck disable=SC2016,SC2086 # for the shell inside; a list
	printf '%s\0' $UNIT_TESTS | xargs -0 -n 1 -P "$((2 * $(nproc)))" bash -c 'unit_test "$1" "$0"' "$scratch"
}

# What takes longest first.
command_line_tests()
{
	local files
	mapfile -t files < <(printf '%s\n' tests/preload/{graph_windows,collecting,left}.bats tests/{browser,gpu}/*.bats \
		tests/preload/{faults,endings,steer,memory,saxpy,signals,lives}.bats \
		tests/{preload,command,sim,structure}/*.bats | awk '!listed[$0]++')
	tests/bats.sh "${files[@]}"
}

# But for the folder that ccache keeps in XDG_RUNTIME_DIR, where it is what compiles.
nothing_left()
{
	local left
	left=$(find "$XDG_RUNTIME_DIR" "$TMPDIR" -mindepth 1 -name ccache-tmp -prune -o -print)
	[ -z "$left" ] || { echo "$left"; false; }
}

# The section's heading, then what went wrong in it.
run()
{
	echo "$1"
	shift
	"$@" | tee -a "$results" | awk '/^not ok / { show = 1 } /^ok / { show = 0 } show'
}

: >"$results"
# shellcheck disable=SC2086 # UNIT_TESTS is a list
run "build" step "everything builds" "$MAKE" --no-print-directory WERROR=1 "$JOBS" all sim preload-programs command-programs bare-tracer coverage-programs $UNIT_TESTS
if ! grep -q '^not ok' "$results"; then
	run "clang's warnings" step "clang finds nothing" "$MAKE" --no-print-directory clang-check
	run "format" step "the sources are formatted" "$MAKE" --no-print-directory format-check
	run "unit tests" unit_tests
	run "structure, and tests on the simulated device" command_line_tests
	run "beside busy loops" step "a part of make check-busy" tests/busy.sh part
	# A tenth of what make check-asan and check-tsan run.
	run "address sanitizer" step "no report of a part of the tests" tests/sanitizers/check.sh \
		address "$BUILD/asan" tests/preload/{captures,killed}.bats
	run "thread sanitizer" step "no report of a part of the tests" tests/sanitizers/check.sh \
		thread "$BUILD/tsan" tests/preload/{crowded,captures}.bats
	run "what is left" step "nothing is left behind" nothing_left
fi

skipped=$(grep -cE '^ok .* # skip' "$results")
passed=$(($(grep -c '^ok ' "$results") - skipped))
failed=$(grep -c '^not ok ' "$results")
[ "$skipped" -eq 0 ] || grep -E '^ok .* # skip' "$results"
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
