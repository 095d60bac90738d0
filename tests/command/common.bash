# SPDX-License-Identifier: MIT
# What the tests of the command share.
load ../waits

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=$root/${BUILD:-build}
	ktime=$build/ktime
	golden=$root/tests/golden
	cd "$BATS_TEST_TMPDIR"
	unset KTIME_OPTIONS LD_PRELOAD
}

# session FILE: makes a session file of the table of records on standard input.
session() {
	"$build/tests/command/session_of_records" /dev/stdin "$1"
}

# golden SET: makes a session file of a set's records, and prints its path.
golden() {
	session "$BATS_TEST_TMPDIR.$1" <"$golden/$1.records.tsv" && echo "$BATS_TEST_TMPDIR.$1"
}

# Fails with what was printed, unless the last `run` printed exactly this.
prints() {
	[ "$output" = "$1" ] || { printf 'expected: %s\nprinted:  %s\n' "$1" "$output"; return 1; }
}
