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

@test "under the command, a program that a shell becomes has its report" {
	run --separate-stderr "$root/tests/sim/run" "$built/ktime" sh -c 'exec "$0" --n 1024' \
		"$built/sim/workloads/saxpy"
	[ "$status" -eq 0 ]
	is 1 profiled
}
