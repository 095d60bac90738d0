#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check.sh address|thread BUILD [TEST…]: builds under a sanitizer and runs the unit tests and those on
# the simulated device, or the given bats files alone. What any of their processes is told of is
# shown. Ends with "N passed, N failed, N reports".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
: "${MAKE:=make}" "${JOBS:=-j$(nproc)}"
sanitizer=$1
export BUILD=$2
shift 2

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp XDG_RUNTIME_DIR=$scratch/run
mkdir "$TMPDIR" "$XDG_RUNTIME_DIR" "$scratch/reports"
unset KTIME_OPTIONS LD_PRELOAD

# shellcheck source=tests/sanitizers/environment.sh
. tests/sanitizers/environment.sh "$sanitizer" "$scratch/reports"
targets=(library command sim preload-programs unit-test-programs)
# For given files only the programs that they name, without optimization, and fewer changed inputs: most of the
# time goes into compiling and into these. ThreadSanitizer's code takes longer to run than to compile.
if [ $# -gt 0 ]; then
	[ "$sanitizer" = thread ] || sanitizer_flags="${sanitizer_flags/-O1/-O0}"
	mapfile -t targets < <(grep -ohE '\$(programs|built/sim|built/workloads)/[a-z0-9_/.]+' "$@" | sort -u |
		sed "s#^.programs#$BUILD/sim/preload#; s#^.built/workloads#$BUILD/sim/workloads#; s#^.built#$BUILD#")
	targets+=(library command sim-libraries)
	export FUZZ_INPUTS=500
fi
make_here=("$MAKE" --no-print-directory BUILD="$BUILD" CFLAGS="$sanitizer_flags" "$JOBS")
if ! "${make_here[@]}" "${targets[@]}" >"$scratch/build" 2>&1; then
	cat "$scratch/build"
	echo "not ok the build"
	exit 1
fi

# Only a program's twin under sim/ is built, and found by its folder here.
mkdir -p "$BUILD/workloads"
tests=("$@")
: >"$scratch/results"
if [ $# -eq 0 ]; then
	tests=(tests/preload/*.bats tests/sim/*.bats)
	for program in "$BUILD"/tests/unit/test_*; do
		if [[ $program == */test_no_memory* ]]; then
			echo "ok ${program##*/} # skip: it has an allocator of its own, as sanitizers have"
		elif timeout -k 10 900 "$program" >"$scratch/output" 2>&1; then
			echo "ok ${program##*/}"
		else
			echo "not ok ${program##*/}"
			sed 's/^/# /' "$scratch/output"
		fi
	done >"$scratch/results"
fi
if [ "$SANITIZE" = address ]; then
	if "${make_here[@]}" fuzz-check >"$scratch/output" 2>&1; then
		echo "ok the readers take changed inputs"
	else
		echo "not ok the readers take changed inputs"
		sed 's/^/# /' "$scratch/output"
	fi >>"$scratch/results"
fi
tests/bats.sh "${tests[@]}" >>"$scratch/results"

awk '/^not ok / { show = 1 } /^ok / { show = 0 } show' "$scratch/results"
reports=$(find "$scratch/reports" -type f | wc -l)
find "$scratch/reports" -type f -exec sed -n 1,60p {} \; | head -2000
grep -E '^ok .* # skip' "$scratch/results"
passed=$(grep '^ok ' "$scratch/results" | grep -vc '# skip')
failed=$(grep -c '^not ok ' "$scratch/results")
echo "$passed passed, $failed failed, $reports reports"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ] && [ "$reports" -eq 0 ]
