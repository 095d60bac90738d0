# SPDX-License-Identifier: MIT
# What the tests of the command share.

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=$root/${BUILD:-build}
	ktime=$build/ktime
	golden=$root/tests/golden
	cd "$BATS_TEST_TMPDIR"
	unset KTIME_OPTIONS LD_PRELOAD
}

# Fails with what was printed, unless the last `run` printed exactly this.
prints() {
	[ "$output" = "$1" ] || { printf 'expected: %s\nprinted:  %s\n' "$1" "$output"; return 1; }
}
