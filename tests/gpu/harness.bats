# SPDX-License-Identifier: MIT
# The checks for a real GPU, run on the simulated device: that they count, and that they would tell.
bats_require_minimum_version 1.5.0

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
built=$root/${BUILD:-build}

setup()
{
	cd "$root"
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run TMPDIR=$BATS_TEST_TMPDIR
	export KTIME_RUNNER=$root/tests/sim/run KTIME_BUILD=$built CUDA_HOME=$built/sim/toolkit
	mkdir "$XDG_RUNTIME_DIR" "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "Simulated GPU, 580"\n' >"$BATS_TEST_TMPDIR/bin/nvidia-smi"
	chmod +x "$BATS_TEST_TMPDIR/bin/nvidia-smi"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# Of the programs whose title the pattern matches.
gpu_check()
{
	run python3 tests/gpu/gpu_check.py --no-nsys --only "$1"
	echo "$output"
}

@test "a program's counts are held against the bare tracer's" {
	gpu_check '^saxpy( |$)'
	[ "$status" -eq 0 ]
	[[ $output == *"2 passed, 0 failed, 0 skipped"* ]]
	[[ $output == *"| saxpy --repetitions 1000 --streams 4 --threads 4 "*" 4003 "*" 4003 "*" 0 "*" yes "*" ok "* ]]
}

@test "a count that is off fails the check" {
	# The reference loses one record of three.
	SIM_CUPTI_DROP=3 gpu_check '^saxpy_driver$'
	[ "$status" -eq 1 ]
	[[ $output == *"against CUPTI"* ]]
}
