# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For everything in a test that waits: nothing waits without end.

# What a test may take, with bats from 1.8 on.
: "${BATS_TEST_TIMEOUT:=240}"

# A simulated program that hangs, see tests/sim/run.
export SIM_LIMIT_S=${SIM_LIMIT_S-100}

# wait_until SECONDS DESCRIPTION COMMAND…: until the command succeeds; fails with the description of what did
# not come. The seconds are for a busy machine.
wait_until()
{
	local seconds=$1 description=$2 end=$((SECONDS + $1))
	shift 2
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "waited $seconds s in vain: $description"; return 1; }
		sleep 0.02
	done
}

# has_ended PROCESS: of a child too, which stays a zombie until the shell has waited for it. One whose first
# thread alone has ended has others.
has_ended()
{
	local state
	state=$(sed -nE 's/^(State|Threads):\t(\w+).*/\2/p' "/proc/$1/status" 2>/dev/null) || return 0
	[ -z "$state" ] || [ "$state" = $'Z\n1' ]
}

# What bats calls when a test has lasted BATS_TEST_TIMEOUT; its own ends the test's children, and waits for
# what these started. Whatever the test started has this variable.
bats_kill_childprocesses_of()
{
	local environment
	for environment in $(grep -lszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ); do
		kill -KILL "$(basename "$(dirname "$environment")")"
	done
}
