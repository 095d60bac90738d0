#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# 16 ranks of a job by real launchers, on the simulated device: the slow one is named, with its
# imbalance exactly; one that is killed is named, and what it did until then is merged.

bats_require_minimum_version 1.5.0
load ../waits

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
built=$root/${BUILD:-build}
export root built

setup()
{
	cd "$BATS_TEST_TMPDIR"
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
	mkdir "$XDG_RUNTIME_DIR"
	unset KTIME_OPTIONS LD_PRELOAD
	# Open MPI's own.
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	unset "${!SLURM_@}"
}

teardown()
{
	[ ! -e slurm ] || "$root/tests/jobs/slurm.sh" stop "$PWD/slurm"
	local left=("$BATS_TEST_TMPDIR"/run/*)
	[ ! -e "${left[0]}" ] || { echo "left: ${left[*]}"; false; }
}

need()
{
	command -v "$1" >/dev/null || skip "no $1 here"
}

start_slurm()
{
	need srun
	need munged
	[ "$(id -u)" -eq 0 ] || skip "slurmd needs root"
	"$root/tests/jobs/slurm.sh" start "$PWD/slurm" 3>&-
	export SLURM_CONF=$PWD/slurm/slurm.conf
}

# is_merged LAUNCHER: 16 ranks of 10 calls each. Of the slow one `work` takes 300 us, of the others 100.
is_merged()
{
	[ "$(find . -name 'run.*.ktime' | wc -l)" -eq 16 ]
	for ((rank = 0; rank < 16; rank++)); do
		grep -q "Rank $rank of 16 ($1), local rank $rank, on $(hostname)\." "log.$rank"
	done
	grep -qF "All ranks in one report: ktime show $PWD/run.*.ktime" log.0
	"$built/ktime" merge -o merged run.*.ktime
	"$built/ktime" show merged | tr -s ' ' >report
	grep -qxF "======== Processes: 16 on 1 node, which share one GPU, of 16 ranks ($1); times are sums over them." report
	grep -qxF " 2.67 100.00us 112.50us 300.00us 16 rank 5 on $(hostname) work" report
	[ "$("$built/ktime" export --json - merged |
		jq -c '.job.rows[] | select(.name == "work") | [.minimum, .mean, .maximum, .imbalance, .slowest_rank]')" = \
		'[100000,112500,300000,2.6666666666666665,5]' ]
	grep -A2 '^Slowest processes' report | tail -1 | grep -qE '^ 5 '
	[ "$("$built/ktime" export --json - merged |
		jq -c '[.job.processes[] | select(.rank.number != 5) | .waiting_least] | unique')" = '[200000]' ]
}

# is_merged_killed: rank 7 was killed after 4 calls, the other 15 ended after 10.
is_merged_killed()
{
	"$built/ktime" show run.*.ktime | tr -s ' ' >report
	grep -qxF "======== Killed, or still running: rank 7 on $(hostname); what it did until then is in the sums." report
	# 14 of 10 calls of 10 us, one of 10 of 30 us, 4 of 10 us.
	grep -qF " 1.7400ms 154 11.298us 10.000us 30.000us work" report
	grep -qxF " 2.76 40.000us 108.75us 300.00us 16 rank 5 on $(hostname) work" report
}

@test "Open MPI: the slow rank of 16 is named, with its imbalance" {
	need mpirun.openmpi
	mpirun.openmpi --oversubscribe -np 16 "$root/tests/jobs/rank.sh" "$PWD" 10
	is_merged "Open MPI"
}

@test "Open MPI: a killed rank is named, and its rows are merged" {
	need mpirun.openmpi
	mpirun.openmpi --oversubscribe -np 16 "$root/tests/jobs/rank.sh" "$PWD" 10 7
	is_merged_killed
}

@test "MPICH: the slow rank of 16 is named, with its imbalance" {
	need mpirun.mpich
	mpirun.mpich -np 16 "$root/tests/jobs/rank.sh" "$PWD" 10
	is_merged PMI
}

@test "MPICH: a killed rank is named, and its rows are merged" {
	need mpirun.mpich
	mpirun.mpich -np 16 "$root/tests/jobs/rank.sh" "$PWD" 10 7
	is_merged_killed
}

@test "Slurm: the slow rank of 16 is named, with its imbalance" {
	start_slurm
	timeout 300 srun -n 16 "$root/tests/jobs/rank.sh" "$PWD" 10
	is_merged Slurm
}

@test "Slurm: a killed rank is named, and its rows are merged" {
	start_slurm
	timeout 300 srun -n 16 "$root/tests/jobs/rank.sh" "$PWD" 10 7
	is_merged_killed
}

@test "Slurm: a batch script has no rank, and mpirun in it gives its own" {
	start_slurm
	need mpirun.mpich
	cat >batch <<-END
		#!/bin/bash
		cd "$PWD"
		"$built/ktime" "$root/tests/sim/run" "$built/sim/preload/ranked" 1 2>batch.log
		mpirun.mpich -launcher fork -np 2 "$built/ktime" -o mpi "$root/tests/sim/run" "$built/sim/preload/ranked" 1 2>mpi.log
	END
	timeout 300 sbatch --wait -n 2 -o batch.out batch
	grep -q '^==[0-9]*== Profiling result' batch.log
	! grep '== Rank' batch.log || false
	[ "$(grep -o '== Rank.*' mpi.log | sort)" = "== Rank 0 of 2 (PMI), local rank 0, on $(hostname).
== Rank 1 of 2 (PMI), local rank 1, on $(hostname)." ]
	[ "$(echo mpi*ktime)" = "mpi.0.ktime mpi.1.ktime" ]
}
