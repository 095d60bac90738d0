#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The processes that a program starts: with the preload each has its own report, under the command
# only where it is asked for.
load helper

# How many reports there are, each of a process of its own.
profiled()
{
	local processes
	processes=$(printf '%s\n' "$stderr" | sed -n 's/^==\([0-9]*\)== Profiling result:$/\1/p')
	printf '%s\n' "$processes" | sort -u | grep -c .
	[ -z "$(printf '%s\n' "$processes" | sort | uniq -d)" ]
}

in_shell='"$0" --n 1024; "$0" --n 1024; exit 3'
spawned='import os, sys
child = os.posix_spawn(sys.argv[1], [sys.argv[1], "--n", "1024"], os.environ)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))'
vforked='import subprocess, sys
sys.exit(subprocess.call([sys.argv[1], "--n", "1024"], close_fds=False))'

@test "with the preload, a shell's programs have a report each" {
	same_as_alone sh -c "$in_shell" "$built/sim/workloads/saxpy"
	[ "$status" -eq 3 ]
	is 2 profiled
}

@test "with the preload, programs started by posix_spawn and vfork have a report" {
	same_as_alone python3 -c "$spawned" "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	is 1 profiled
	same_as_alone python3 -c "$vforked" "$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	is 1 profiled
}

@test "under the command, a shell's programs are left alone, and each that uses CUDA says so" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" sh -c "$in_shell" \
		"$built/sim/workloads/saxpy"
	[ "$status" -eq 3 ]
	is 0 profiled
	is "1 ======== Warning: No CUDA application was profiled, exiting
2 ktime: this process is not profiled: --profile-child-processes includes it" \
		eval "report | sort | uniq -c | sed 's/^ *//'"
}

@test "under the command, only the program itself says that it used no CUDA, and with --quiet none does" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" sh -c 'true; cat /dev/null'
	[ "$status" -eq 0 ]
	[ "$stderr" = "======== Warning: No CUDA application was profiled, exiting" ]
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --quiet sh -c "$in_shell" \
		"$built/sim/workloads/saxpy"
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
}

@test "under the command, --profile-child-processes gives each a report" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes \
		sh -c "$in_shell" "$built/sim/workloads/saxpy"
	[ "$status" -eq 3 ]
	is 2 profiled
}

# summary: "CALLS NAME" of the kernels over all processes, and the commands of the processes.
summary()
{
	printf '%s\n' "$stderr" | sed -n '/^======== Profiling result:/,$p' >summary
	awk '/API calls:/ { exit } sub(/^ GPU activities:/, "") { on = 1 } on { print $3, $7 }' summary
	sed -n '/^ Process /,$p' summary | sed 1d | grep -o "[^/]*$" | cut -d' ' -f1,2 | sort
}

@test "under the command, a summary over the processes follows, each program in it once" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes \
		sh -c '"$0" 3; true; exec "$0" 4' "$programs/ranked"
	[ "$status" -eq 0 ]
	is 2 profiled
	is "7 [CUDA
7 ncclDevKernel_AllReduce_Sum_f32_RING_LL
7 work
ranked 3
ranked 4" summary
	grep -qF "======== Processes: 2 on 1 node, which share one GPU; times are sums over them." summary
}

@test "a process that becomes another program is two in the summary, and a killed one is named" {
	touch summary
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes \
		sh -c '"$0" 2 summary; "$0" 4 exec 5' "$programs/ranked"
	[ "$status" -eq 0 ]
	summary >found
	is "ranked 2
ranked 4
ranked 5" grep ranked found
	grep -qxF "11 work" found
	grep -q '^======== Killed, or still running: process [0-9]* on ' summary
}

@test "with -o each process that the program starts keeps a profile" {
	local run
	for run in 1 2; do
		run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes -f -o kept \
			sh -c '"$0" 3; "$0" 4' "$programs/ranked"
		[ "$status" -eq 0 ]
		is 2 "eval" "report | grep -c '^Generated result file: '"
		[ "$("$built/ktime" export --json - kept | jq '.counters.operations')" = 9 ]
		for file in kept.[0-9]*; do
			[ "$("$built/ktime" export --json - "$file" | jq '.counters.operations')" = 12 ]
		done
		[ "$(ls kept* | wc -l)" -eq $((run + 1)) ]
	done
	"$built/ktime" show kept* | grep -qF "======== Processes: 3 on 1 node, which share one GPU; times are sums over them."
}

# calls FILE…: of each profile the calls of one kernel, in one line.
calls()
{
	local file
	for file in "$@"; do
		"$built/ktime" export --json - "$file" | jq '.rows[] | select(.name == "work") | .calls'
	done | sort -n | paste -sd ' '
}

@test "with -o each program that a process becomes by exec keeps a profile, the killed last one too" {
	touch summary
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes -o kept \
		"$programs/ranked" 1 exec 2 exec 3 exec 4 summary
	[ "$status" -eq 137 ]
	[ "$(ls kept* | sed 's/[0-9][0-9]*/PID/' | tr '\n' ' ')" = "kept kept.PID kept.PID.2 kept.PID.3 " ]
	is "1 2 3 4" calls kept*
	printf '%s\n' "$stderr" | grep -q 'the program was killed (Killed): its profile tells this'
	rm kept*
	export PMI_RANK=2 PMI_SIZE=4
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" -o kept \
		"$programs/ranked" 1 exec 2 exec 3
	[ "$status" -eq 0 ]
	[ "$(ls kept* | sed 's/[0-9][0-9]*/PID/2' | tr '\n' ' ')" = "kept.2.PID.2.ktime kept.2.PID.ktime kept.2.ktime " ]
	is "1 2 3" calls kept*
}

@test "of one process there is no summary, and nothing is left of the folder" {
	export TMPDIR=$PWD/tmp
	mkdir tmp
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes \
		sh -c '"$0" 3' "$programs/ranked"
	is 1 profiled
	[[ "$stderr" != *"======== "* ]]
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" --profile-child-processes \
		sh -c '"$0" 3; "$0" 3' "$programs/ranked"
	[ -z "$(ls -A tmp)" ]
}

@test "under the command, a program that a shell becomes has its report" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" sh -c 'exec "$0" --n 1024' \
		"$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	is 1 profiled
}
