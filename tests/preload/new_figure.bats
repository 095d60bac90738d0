#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a new figure of a row takes: a line of the table, and who writes it. And what versions with and
# without it make of each other's profiles, and of those of releases.
load helper

# A copy of the tree with this build's objects, in which only those are built again that know a row.
setup_file()
{
	local object source
	not_under_sanitizers "another build"
	cd "$BATS_FILE_TMPDIR"
	mkdir -p tree/build/obj
	cp -a "$root"/{Makefile,preload,cupti,report,packaging,workloads,tests} tree
	cp -a "$built"/obj/{preload,cupti,report} tree/build/obj
	cp -a "$built/flags" tree/build
	cd tree
	sed -i 's/^#define ROW_FIGURES(X) *\\$/&\n\tX(row, U64, made_up, COUNT, SUM, SUBTRACT, "Made-up calls", SHOWN_LISTED) \\/' \
		report/session/session.h
	sed -i 's/^\t\trow->calls += calls;$/\t\trow->calls += calls, row->made_up += 3 * calls;/' preload/collector/calls.c
	# Metrics and comparisons have room for each figure.
	find build/obj -name '*.o' -exec touch {} +
	for object in $(find build/obj -name '*.o'); do
		source=${object#build/obj/}
		source=${source%.o}.c
		[ ! -e "$source" ] || ! grep -qwE 'rows?|struct (profile|exposition|prometheus)' "$source" || rm "$object"
	done
	env -u XDG_RUNTIME_DIR make -j2 -o build/flags CC="$(sed 's/ -I\..*//' build/flags)" CFLAGS='-O0 -w' library command >log 2>&1 ||
		{ tail log; return 1; }
}

@test "a new figure of a row takes two lines, and is in every output, a merge and a comparison" {
	saxpy=$built/workloads/saxpy
	built=$BATS_FILE_TMPDIR/tree/build
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

other() {
	"$BATS_FILE_TMPDIR/tree/build/ktime" "$@" 2>&1
}

this() {
	"$built/ktime" "$@" 2>&1
}

note="Written by another version of ktime: 1 figure is not shown: made_up."

@test "each version shows the other's profile, and names what it does not know" {
	saxpy=$built/workloads/saxpy
	KTIME_OPTIONS="-o mine --print-gpu-trace" under_ktime "$saxpy" >out 2>&1
	(built=$BATS_FILE_TMPDIR/tree/build && KTIME_OPTIONS="-o others --print-gpu-trace" under_ktime "$saxpy" >out 2>&1)
	for shown in "" "--csv" "--print-gpu-trace --print-api-trace" "--percentiles --histogram --idle"; do
		other show $shown others >expected
		this show $shown others | grep -vF "$note" | diff expected -
		this show $shown mine >expected
		other show $shown mine | diff expected -
	done
	[ "$(this show others | grep -cF "$note")" = 1 ]
	this export --json - others | jq -r '.notes[]' | grep -xF "$note"
	this merge -o one mine others
	other merge -o two mine others
	other show two >expected
	[ "$(this show two | grep -cF "$note")" = 1 ]
	this show two | grep -vF "$note" | diff expected -
	this show one | grep -vF "$note" | diff expected -
	other show one | grep -vF "$note" | diff expected -
	[ "$(other export --json - two | jq -c '[.rows[].made_up // empty]')" = '[6,3,3]' ]
	this diff mine others >expected
	other diff mine others | grep -v '^Made-up calls' | diff expected -
}

# A later version shows more, or in other words: only then the text changes, and never the profile.
@test "profiles of earlier layouts are shown by later versions" {
	for profile in "$root"/tests/golden/profile_*.ktime.gz; do
		gzip -dc "$profile" >earlier
		for version in this other; do
			$version show --percentiles --idle --memory earlier >shown
			$version show --print-gpu-trace --print-api-trace --quiet earlier >>shown
			$version show --nvtx-kernels --quiet earlier >>shown
			[[ $profile = *_job.* ]] && text=profile_job || text=profile
			diff "$root/tests/golden/$text.txt" shown
		done
	done
}

@test "a profile of before others could be read is refused with what to do" {
	KTIME_OPTIONS="-o old" under_ktime "$built/workloads/saxpy" >out 2>&1
	printf '\037' | dd of=old bs=1 seek=8 conv=notrunc status=none
	run this show old
	[ "$status" -eq 1 ]
	is "ktime: old: made by ktime before 0.2: show it with that version, or export it there" echo "$output"
}
