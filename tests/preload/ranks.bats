#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A process of a job knows its rank: in the report, in the profile, in file names. tests/jobs has
# the same with real launchers.

load helper

# rank N COMMAND…: as rank N of 4, started by MPICH.
rank()
{
	local number=$1
	shift
	PMI_RANK=$number PMI_SIZE=4 MPI_LOCALRANKID=$((number % 2)) "$@"
}

# of_session FILE FILTER
of_session()
{
	"$built/ktime" export --json - "$1" | jq -c "$2"
}

@test "the rank stands in the report's head, in the profile and in JSON" {
	KTIME_OPTIONS="-o kept" rank 3 same_as_alone "$programs/ranked" 3
	says "Rank 3 of 4 (PMI), local rank 1, on $(hostname)."
	says "Generated result file: kept.3.ktime"
	[ "$(of_session kept.3.ktime .session.rank)" = \
		'{"number":3,"local_rank":1,"world_size":4,"launcher":"PMI","job":""}' ]
	"$built/ktime" show kept.3.ktime | grep -qxF "======== Rank 3 of 4 (PMI), local rank 1, on $(hostname)."
}

@test "a process without a launcher has no rank" {
	KTIME_OPTIONS="-o kept.ktime" same_as_alone "$programs/ranked" 3
	! report | grep -q '^Rank' || false
	[ "$(of_session kept.ktime .session.rank)" = null ]
}

@test "ranks keep one name apart, and rank 0 says how to print all" {
	KTIME_OPTIONS="-o kept.ktime" rank 0 same_as_alone "$programs/ranked" 3
	says "All ranks in one report: ktime show kept.*.ktime"
	KTIME_OPTIONS="-o kept.ktime" rank 1 same_as_alone "$programs/ranked" 3
	! report | grep -q '^All ranks' || false
	[ "$(echo kept*)" = "kept.0.ktime kept.1.ktime" ]
}

@test "where a rank's name is taken the process's number is added, and -f takes it" {
	touch kept.2.ktime
	KTIME_OPTIONS="-o kept" rank 2 same_as_alone "$programs/ranked" 3
	[ ! -s kept.2.ktime ]
	files=(kept.2.[0-9]*.ktime)
	[ "$(of_session "${files[0]}" .session.rank.number)" = 2 ]
	says "Generated result file: ${files[0]}"
	KTIME_OPTIONS="-f -o kept" rank 2 same_as_alone "$programs/ranked" 3
	[ "$(of_session kept.2.ktime .session.rank.number)" = 2 ]
}

@test "%r in names is the rank" {
	KTIME_OPTIONS="-o %r.of --log-file log.%r" rank 2 under_ktime "$programs/ranked" 3 >/dev/null
	[ -s 2.of ]
	grep -q 'Rank 2 of 4' log.2
	KTIME_OPTIONS="-o %r.of" run --separate-stderr under_ktime "$programs/ranked" 3
	[[ "$stderr" == *"the rank of %r is not known: no launcher tells it"* ]]
}

@test "--rank-variable names the rank's variable" {
	KTIME_OPTIONS="--rank-variable JOB_RANK -o kept" JOB_RANK=11 same_as_alone "$programs/ranked" 3
	says "Rank 11 (JOB_RANK), on $(hostname)."
	[ -s kept.11.ktime ]
	KTIME_OPTIONS="--rank-variable JOB_RANK" same_as_alone "$programs/ranked" 3
	[[ "$stderr" == *"the variable JOB_RANK of --rank-variable is not set to a number"* ]]
}

@test "--ranks times some ranks and counts in all" {
	KTIME_OPTIONS="--ranks 0,3 -o kept" rank 3 same_as_alone "$programs/ranked" 3
	KTIME_OPTIONS="--ranks 0,3 -o kept" rank 1 same_as_alone "$programs/ranked" 3
	[ -z "$stderr" ]
	local filter='[.rows[] | select(.device) | [.name, .calls]]'
	[ "$(of_session kept.1.ktime "$filter")" = "$(of_session kept.3.ktime "$filter")" ]
	[ "$(of_session kept.3.ktime '[.rows[] | select(.device) | .cupti.count // 0] | add > 0')" = true ]
	[ "$(of_session kept.1.ktime '[.rows[] | select(.device) | (.cupti.count // 0) + (.events.count // 0)] | add')" = 0 ]
}

@test "a bad list of ranks is refused" {
	run "$built/ktime" --ranks 3-1 true
	[ "$status" -eq 2 ]
	[ "$output" = "ktime: option --ranks: '3-1' is not a valid LIST" ]
}

@test "the command gives a killed rank its report" {
	PMI_RANK=1 PMI_SIZE=4 run --separate-stderr "$built/ktime" -o kept "$root/tests/sim/run" \
		"$programs/ranked" 3 /dev/null
	[ "$status" -eq 137 ]
	says "Rank 1 of 4 (PMI), on $(hostname)."
	[ "$(of_session kept.1.ktime .session.finished)" = false ]
}
