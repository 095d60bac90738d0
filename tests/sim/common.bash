# SPDX-License-Identifier: MIT
# What the tests of the simulated device share.
bats_require_minimum_version 1.5.0
load ../waits

build=$(cd "$BATS_TEST_DIRNAME/../../${BUILD:-build}" && pwd)
workloads=$build/workloads
programs=$build/sim/programs

# The program on the simulated device; its output in $output, its exit code in $status.
simulate()
{
	run "$BATS_TEST_DIRNAME/run" "$@"
}

# Fails, and shows both, where the output is not exactly this.
expect_output()
{
	[ "$output" = "$1" ] || { printf 'expected:\n%s\ngot:\n%s\n' "$1" "$output"; false; }
}
