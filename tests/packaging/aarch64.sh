#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What was built for aarch64, run by qemu-aarch64 (qemu-user) on the simulated device. Usage: aarch64.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/../.."
export BUILD=$1 SIM_EMULATOR="qemu-aarch64 -L /usr/aarch64-linux-gnu"
command -v qemu-aarch64 >/dev/null || { echo "ktime: no qemu-aarch64: sudo apt-get install qemu-user" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The tests call the command by its path.
printf '#!/bin/sh\nexec %s -0 ktime %s "$@"\n' "$SIM_EMULATOR" "$(realpath "$BUILD/portable/ktime")" >"$BUILD/ktime"
chmod +x "$BUILD/ktime"

[[ $("$BUILD/ktime" --version) == "ktime "* ]]
"$BUILD/ktime" --help >/dev/null
KTIME_OPTIONS="-o $scratch/run.ktime" LD_PRELOAD=$PWD/$BUILD/portable/libktime.so \
	tests/sim/run "$BUILD/sim/workloads/saxpy_driver" >/dev/null 2>&1
"$BUILD/ktime" show "$scratch/run.ktime" >"$scratch/report"
grep -F 'saxpy(int, float, float*, float*)' "$scratch/report"
tests/bats.sh tests/preload/{entries,api_times}.bats
