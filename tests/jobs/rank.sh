#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One process of a job: rank.sh FOLDER COUNT [KILLED]. Rank 5 is slow, and the others wait for it; rank
# KILLED is killed once the others have ended.
# Used by jobs.bats, which sets `root` and `built`.
set -eu
# shellcheck source=tests/waits.bash
. "$(dirname "$0")/../waits.bash"
cd "$1"
rank=${OMPI_COMM_WORLD_RANK-${PMI_RANK-${SLURM_PROCID-0}}}
reduce=ncclDevKernel_AllReduce_Sum_f32_RING_LL
export SIM_KERNEL_NS=work=10000,$reduce=25000
[ "$rank" -ne 5 ] || export SIM_KERNEL_NS=work=30000,$reduce=5000
export KTIME_OPTIONS="--gate off"
unset LD_PRELOAD
if [ "${3-}" = "$rank" ]; then
	"$built/ktime" -o run "$root/tests/sim/run" "$built/sim/preload/ranked" 4 "$PWD/others_ended" 2>"log.$rank" &
	wait_until 240 "the end of 15 ranks" eval '[ "$(find . -name "ended.*" | wc -l)" -eq 15 ]'
	touch others_ended
	wait $! || exit 0
	exit 1
fi
"$built/ktime" -o run "$root/tests/sim/run" "$built/sim/preload/ranked" "$2" 2>"log.$rank"
touch "ended.$rank"
