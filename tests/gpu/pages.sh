#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of real runs, to be looked at and to be shown in docs/: a training with a trace, twelve
# kernels timed by a sample of events, and two variants compared. Needs PyTorch. Usage: pages.sh FOLDER
set -eu

folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
built=$root/${BUILD:-build}
ktime=$built/ktime

# profile NAME OPTIONS PROGRAM…: the program as a user would name it, in the folder where it lies.
profile() {
	name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	"$ktime" $options --bandwidth --energy -f -o "$folder/$name.ktime" "$@" >"$folder/$name.out" 2>&1
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$root/tests/gpu/python"
profile training '--keep-trace all --profile-from-start off' python3 nvtx_training.py
cd "$built/bench"
profile sampled '--timer events --events 1/10' ./launch_loop rows
cd "$built/workloads"
profile double '' ./matcopy --repetitions 20 --type double
profile float '' ./matcopy --repetitions 20 --type float
cd "$folder"
"$ktime" show -f --html training.html training.ktime
"$ktime" show -f --html sampled.html sampled.ktime
"$ktime" diff -f --html diff.html double.ktime float.ktime >diff.out
ls -l ./*.html
