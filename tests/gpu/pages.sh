#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of real runs, to be looked at and to be shown in docs/: a training with a trace (or saxpy in streams,
# where there is no PyTorch), the same program timed by a sample of events, and two variants compared.
# Usage: pages.sh FOLDER; RUN, if set, is what the programs run under (tests/sim/run).
set -eu

folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
built=$root/${BUILD:-build}
ktime=$built/ktime

# profile NAME OPTIONS PROGRAM…
profile() {
	name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	"$ktime" $options --bandwidth -f -o "$folder/$name.ktime" ${RUN:-} "$@" >"$folder/$name.out" 2>&1
}

mkdir -p "$folder"
if ! profile trace '--keep-trace all' python3 "$root/tests/gpu/python/nvtx_training.py"; then
	echo "no PyTorch here: saxpy instead of a training"
	profile trace '--keep-trace all' "$built/workloads/saxpy" --streams 4
fi
profile sampled '--timer events --events 1/10' "$built/workloads/vecadd"
profile before '' "$built/workloads/matcopy" --repetitions 20 --type double
profile after '' "$built/workloads/matcopy" --repetitions 20 --type float
"$ktime" show -f --html "$folder/trace.html" "$folder/trace.ktime"
"$ktime" show -f --html "$folder/sampled.html" "$folder/sampled.ktime"
"$ktime" diff -f --html "$folder/diff.html" "$folder/before.ktime" "$folder/after.ktime" >"$folder/diff.out"
ls -l "$folder"/*.html
