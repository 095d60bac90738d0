#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The documents agree with the sources, and a document that does not is found.
load ../waits

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	check=$root/tests/structure/check_documents.py
	cd "$BATS_TEST_TMPDIR"
}

@test "the documents agree with the sources" {
	run python3 "$check" "$root"
	[ -z "$output" ] || { echo "$output"; false; }
	[ "$status" -eq 0 ]
}

# plant FILE SED: what is found in a copy of the tree with this change alone.
plant() {
	mkdir tree
	cp -r "$root"/*.md "$root"/{LICENSE,Makefile,docs,preload,cupti,report,tests,workloads} tree
	sed -i "$2" "tree/$1"
	! cmp -s "$root/$1" "tree/$1" || { echo "$1 is as before"; return 1; }
	run python3 "$check" tree
	[ "$status" -eq 1 ]
}

# finds EXPECTED: that and nothing else.
finds() {
	[ "$output" = "$1" ] || { echo "$output"; return 1; }
}

@test "a link that leads nowhere is found" {
	plant README.md 's#(docs/internals/accuracy.md)#(docs/internals/accurate.md)#'
	finds "README.md: no file docs/internals/accurate.md"
}

@test "a source file that is not there is found" {
	plant docs/internals/overhead.md 's#`preload/collector/cost.c`#`preload/collector/costs.c`#'
	finds "docs/internals/overhead.md: no file preload/collector/costs.c"
}

@test "a README that is too long is found" {
	plant README.md '$ s/$/\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/'
	finds "README.md: more than 110 lines"
}

@test "another version of the profile is found" {
	plant report/session/session.h 's/define SESSION_VERSION.*/define SESSION_VERSION 999/'
	finds "docs/internals/profile-format.md does not describe version 999"
}

@test "a member of the JSON export without a description is found" {
	plant report/session/session.h 's/"seen_by_hooks"/"brand_new"/'
	[ "${lines[0]}" = 'docs/json-format.md has no `brand_new`' ]
	[ "${lines[1]}" = 'docs/json-format.md: no export has `seen_by_hooks`' ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "an option of nvprof's without a replacement is found" {
	plant report/options/options.def 's/"query-events"/"query-others"/'
	finds "docs/from-nvprof.md has no --query-others"
}

@test "a folder without a description is found" {
	plant tests/structure/folders.txt '$ s#$#\nreport/new report/session#'
	finds 'docs/internals/design.md has no folder `report/new`'
}

@test "a test that is named and not there is found" {
	plant docs/internals/reliability.md 's/"main returns"/"main comes back"/'
	finds 'docs/internals/reliability.md: tests/preload/endings.bats has no test main comes back'
}

@test "a sample that is never made anew is found" {
	plant docs/agents.md '/end of sample/d'
	[[ "$output" == "docs/agents.md: a sample has no command or no end: "* ]]
}
