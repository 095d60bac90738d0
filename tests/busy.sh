#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# busy.sh [part]: what ends, waits, goes on as a daemon, or is one process of many, beside four loops that never
# rest: a test that takes a time for an event fails here, and so does ktime. Or the part that make check runs.
# The last line is "N passed, N failed"; what failed is shown above it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
: "${BUILD:=build}"
files=(tests/preload/{always_on,children,collecting,crowded,endings,energy,guest,killed,left,lives,merge,prometheus,ranks,signals,steer,top}.bats
	tests/command/launch.bats)
units=(background_thread child cupti_finalize screen steer)
if [ "${1-}" = part ]; then
	export BATS_FILTER='goes on as a daemon|stays in its profile|second Ctrl-C|is gone|whose calls add up|SIGTERM$'
	files=(tests/preload/{left,signals,steer,top,killed,endings}.bats)
	units=(child)
fi

scratch=$(mktemp -d) || exit 1
export TMPDIR=$scratch/tmp XDG_RUNTIME_DIR=$scratch/run
mkdir "$TMPDIR" "$XDG_RUNTIME_DIR"
unset KTIME_OPTIONS LD_PRELOAD
loops=()
for i in 1 2 3 4; do
	timeout 1800 sh -c 'while :; do :; done' &
	loops+=($!)
done
trap 'kill "${loops[@]}"; rm -rf "$scratch"' EXIT

for unit in "${units[@]}"; do
	if timeout -k 10 300 "$BUILD/tests/unit/test_$unit" >"$scratch/output" 2>&1; then
		echo "ok test_$unit"
	else
		echo "not ok test_$unit"
		sed 's/^/# /' "$scratch/output"
	fi
done >"$scratch/results"
tests/bats.sh "${files[@]}" >>"$scratch/results"

awk '/^not ok / { show = 1 } /^ok / { show = 0 } show' "$scratch/results"
passed=$(grep '^ok ' "$scratch/results" | grep -vc '# skip')
failed=$(grep -c '^not ok ' "$scratch/results")
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
