#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a new figure of a row takes: a line of the table, and who writes it.
load helper

# A copy of the tree with this build's objects, in which only those are built again that know a row.
copy_tree()
{
	local object source
	mkdir -p tree/build/obj
	cp -a "$root"/{Makefile,preload,cupti,report,packaging,workloads,tests} tree
	cp -a "$built"/obj/{preload,cupti,report} tree/build/obj
	cp -a "$built/flags" tree/build
	cd tree
	sed -i 's/^#define ROW_FIGURES(X) *\\$/&\n\tX(row, U64, made_up, COUNT, SUM, SUBTRACT, "Made-up calls", SHOWN_LISTED) \\/' \
		report/session/session.h
	sed -i 's/^\t\trow->calls++;$/&\n\t\trow->made_up += 3;/' preload/collector/calls.c
	# Metrics and comparisons have room for each figure.
	find build/obj -name '*.o' -exec touch {} +
	for object in $(find build/obj -name '*.o'); do
		source=${object#build/obj/}
		source=${source%.o}.c
		[ ! -e "$source" ] || ! grep -qwE 'rows?|struct (profile|exposition|prometheus)' "$source" || rm "$object"
	done
	env -u XDG_RUNTIME_DIR make -j2 -o build/flags CC="$(sed 's/ -I\..*//' build/flags)" CFLAGS='-O0 -w' library command >log 2>&1 ||
		{ tail log; return 1; }
	cd ..
}

@test "a new figure of a row takes two lines, and is in every output, a merge and a comparison" {
	not_under_sanitizers "another build"
	saxpy=$built/workloads/saxpy
	copy_tree
	built=$PWD/tree/build
	KTIME_OPTIONS="-o one.ktime --verbose" under_ktime "$saxpy" >out 2>text
	grep -qF '== Made-up calls: [CUDA memcpy HtoD] 6, saxpy(' text
	ktime=$built/ktime
	"$ktime" show --csv --verbose one.ktime 2>/dev/null | grep -xF '"made_up",6,0,"[CUDA memcpy HtoD]"'
	[ "$("$ktime" export --json - one.ktime | jq -c '[.rows[].made_up // empty]')" = '[6,3,3]' ]
	"$ktime" show --html page.html one.ktime
	grep -qF '<li>Made-up calls: [CUDA memcpy HtoD] 6, saxpy 3, [CUDA memcpy DtoH] 3.</li>' page.html
	"$ktime" prometheus --profile one.ktime | grep '^ktime_made_up_total{.*} 12$'
	KTIME_OPTIONS="-o two.ktime" under_ktime "$saxpy" >out 2>&1
	"$ktime" merge -o all.ktime one.ktime two.ktime
	[ "$("$ktime" export --json - all.ktime | jq -c '[.rows[].made_up // empty]')" = '[12,6,6]' ]
	"$ktime" diff one.ktime all.ktime | grep -xF 'Made-up calls: 12 in A, 24 in B.'
}
