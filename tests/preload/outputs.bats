#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ktime writes replaces nothing that it was not told to, and only once it is whole.
load helper
load served

saxpy=("$built/sim/workloads/saxpy" --n 1024)

teardown()
{
	end_served
}

# profile FILE…: profiles of a small program, each.
profile()
{
	local file
	for file; do
		KTIME_OPTIONS="--keep-trace all -f -o $file" under_ktime "${saxpy[@]}" >/dev/null 2>&1
	done
}

# refused COMMAND…: it fails, says something, and every file is as it was.
refused()
{
	local before
	before=$(find . -type f -o -type l | sort | xargs -d '\n' sha256sum)
	if said=$("$built/ktime" "$@" </dev/null 2>&1 >/dev/null); then
		echo "done: $*"
		return 1
	fi
	[ -n "$said" ]
	diff <(echo "$before") <(find . -type f -o -type l | sort | xargs -d '\n' sha256sum)
}

@test "no command writes over a file that it reads, however that is spelled" {
	mkdir sub
	profile a b
	ln a hard
	ln -s a soft
	echo '.*=8/thread' >work
	for name in sub/../a soft hard; do
		refused merge -f -o "$name" a b
		refused merge -f -o a "$name" b
		refused show -f --html "$name" a
		refused show --log-file "$name" a
		refused export -f --json "$name" a
		refused export -f --sqlite "$name" a
		refused diff -f --markdown "$name" a b
	done
	refused show -f --html work --bytes @work a
	"$built/ktime" export --chrome one a
	refused export -f --json one --chrome ./one a
	refused export --json two --chrome two a
}

@test "a profile is replaced by nothing but a profile" {
	profile a b run.0 run.1
	refused show -f --html a b
	refused show -f --html run.*
	[[ $said == *"run.0 is a ktime profile: --html takes the name of the page"* ]]
	refused show --log-file a b
	refused -i b --log-file a
	refused export -f --json a b
	refused export -f --sqlite a b
	refused diff -f --markdown a b run.1
	refused --log-file a "${saxpy[@]}"
	"$built/ktime" merge -f -o a b run.1
	[ "$("$built/ktime" export --json - a | jq ".job.processes | length")" -eq 2 ]
	# By LD_PRELOAD the report goes elsewhere.
	sha256sum a b >before
	KTIME_OPTIONS="--log-file a" run --separate-stderr under_ktime "${saxpy[@]}"
	says "the log file $PWD/a is a ktime profile, which is not overwritten: give another name"
	says 'GPU activities:'
	sha256sum -c --quiet before
	KTIME_OPTIONS="-o same --log-file same" run --separate-stderr under_ktime "${saxpy[@]}"
	[ "$status" -eq 0 ]
	"$built/ktime" show same >/dev/null
}

@test "what fails leaves what was there" {
	profile a out
	refused merge -f -o out no-such-file
	refused merge -o out a
	refused merge -f -o missing/out a
	refused show --log-file work no-such-file
	echo text >work
	refused show --log-file work no-such-file
	refused export -f --json work no-such-file
	refused diff -f --markdown work a no-such-file
	refused diff --json work a out
	# The disk is full before the merged profile is whole.
	(ulimit -f 80; ! "$built/ktime" merge -f -o out a 2>said)
	grep -q '^ktime: out: File too large$' said
	"$built/ktime" show out | grep -q saxpy
	[ "$(echo out*)" = out ]
	# No program, and one that does not use CUDA.
	sha256sum out >before
	refused -f --profile-child-processes -o out ./no-such-program
	for children in '' --profile-child-processes; do
		# shellcheck disable=SC2086
		"$built/ktime" -f $children -o out true
		sha256sum -c --quiet before
	done
}

@test "a program, or what it is given, is not taken for the report or the profile" {
	cp "${saxpy[0]}" program
	echo input >input
	refused --log-file program ./program
	refused -f -o program ./program
	refused --log-file ./input ./program input
	refused -f -o input ./program "$PWD/input"
	refused -o same --log-file same ./program
}

@test "show --html with a profile for a page writes the page beside it" {
	profile run.ktime other
	cp run.ktime before
	"$built/ktime" show --html run.ktime
	cmp run.ktime before
	[ "$(head -c 15 run.html)" = '<!doctype html>' ]
	refused show --html run.ktime
	"$built/ktime" show --html other
	[ "$(head -c 15 other.html)" = '<!doctype html>' ]
}

@test "only its user may read what comes from a profile, whatever the umask" {
	profile a b
	for mask in 000 777; do
		(
			umask $mask
			"$built/ktime" merge -f -o merged a b
			"$built/ktime" show -f --html page a
			for form in sqlite json chrome perfetto; do
				"$built/ktime" export -f --$form $form a
			done
			"$built/ktime" export -f --json json.gz a
			"$built/ktime" diff -f --json diff.json --markdown diff.md --html diff.html a b >/dev/null
		)
		for file in a merged page sqlite json chrome perfetto json.gz diff.{json,md,html}; do
			[ "$(stat -c %a $file)" = 600 ] || { echo "$file $mask"; return 1; }
		done
	done
}

@test "the processes of a program that is told to replace a file keep each other's" {
	profile out
	cp out before
	run "$root/tests/sim/run" "$built/ktime" -f --profile-child-processes -o out sh -c \
		"${saxpy[*]}; ${saxpy[*]}"
	[ "$status" -eq 0 ]
	run ! cmp -s out before
	[ "$(ls -d out* | wc -l)" -eq 2 ]
	for file in out*; do
		"$built/ktime" show "$file" | grep -q saxpy
	done
}

@test "a log that is a standard stream's file keeps what the stream wrote" {
	local log
	for log in all "$PWD/all" /dev/stderr /dev/fd/2 /proc/self/fd/2; do
		echo before >all
		KTIME_OPTIONS="--log-file $log" under_ktime "${saxpy[@]}" >/dev/null 2>>all
		[ "$(head -1 all)" = before ]
		grep -q 'GPU activities:' all
	done
	for log in /dev/stdout /dev/fd/1; do
		echo before >all
		"$root/tests/sim/run" "$built/ktime" --log-file $log "${saxpy[@]}" >>all
		[ "$(head -1 all)" = before ]
		grep -q 'GPU activities:' all
	done
	profile a
	echo before >all
	"$built/ktime" export --json /dev/stdout a >>all
	[ "$(head -1 all)" = before ]
	[ "$(tail -n +2 all | jq -r .format)" = "$("$built/ktime" export --json - a | jq -r .format)" ]
}

@test "no link is followed to the metrics for Prometheus" {
	local program job
	echo secret >secret
	chmod 600 secret
	# The file's name by another's hand, and that of a running program's.
	cat >start <<-'END'
		echo $$ >pid
		for name in $$.prom $$.prom.new; do ln -s "$PWD/secret" m.$name; done
		exec "$@"
	END
	KTIME_OPTIONS="--prometheus m --prometheus-interval 0.02 -o kept" under_ktime \
		bash start "$programs/signalled" counts 1 >/dev/null 2>&1 &
	job=$!
	wait_until 60 "the program's number" test -s pid
	program=$(cat pid)
	wait_until 60 "metrics in the place of the link" eval '[ -f "m.$program.prom" ] && [ ! -L "m.$program.prom" ]'
	[ "$(stat -c %a "m.$program.prom")" = 644 ]
	grep -q ktime_ "m.$program.prom"
	kill -KILL "$program"
	wait "$job" || true
	[ "$(cat secret)" = secret ]
	[ "$(stat -c %a secret)" = 600 ]
}

# rows [FILE]: the names of the GPU's rows in a profile, or in the report.
rows()
{
	if [ $# -gt 0 ]; then
		"$built/ktime" export --json - "$1" | jq -r '.rows[].name'
	else
		grep -v 'Upper bound: ' report
	fi | grep -oE '(kernel_number_[0-9]+|\[CUDA mem.*\])$' | sort
}

@test "what the profile has no room for is in the report, every row of it" {
	local limit options
	for limit in 80 300; do
		for options in '--timer events' '--quiet --print-gpu-summary --top 3'; do
			rm -f kept
			(
				ulimit -f $limit
				KTIME_OPTIONS="-o kept $options" under_ktime "$programs/many_rows" 400 2>report
			)
			[ "$(rows | wc -l)" -eq 402 ] || { cat report; return 1; }
			[ "$(rows kept | wc -l)" -lt 402 ]
			[[ $options == *quiet* ]] || grep -q "could not grow (File too large): what came later is in this report only" report
		done
	done
	# A rank that is to print nothing.
	rm -f kept
	(
		ulimit -f 300
		OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 KTIME_OPTIONS="--ranks 0 -o kept" \
			under_ktime "$programs/many_rows" 400 2>report
	)
	[ "$(rows | wc -l)" -eq 402 ]
	# A profile that has all.
	rm -f kept
	KTIME_OPTIONS="-o kept" under_ktime "$programs/many_rows" 400 2>report
	[ -z "$(rows)" ]
	[ "$(rows kept | wc -l)" -eq 402 ]
}

@test "what comes after the profile was cut or removed is in the report, in old rows and in new ones" {
	local way
	for way in 'truncate -s 0' 'truncate -s 70000' rm; do
		rm -f orders answers kept
		KTIME_OPTIONS="-o kept" serve
		order first 5
		order settle
		$way kept
		order first 7
		order second 3
		order settle
		order first 2
		order copy 1000
		dismiss
		gpu_rows report >rows
		awk '$NF == "first" { if ($2 >= 9) seen++ } $NF == "second" { if ($2 == 3) seen++ }
			/memcpy HtoD/ { if ($2 == 1) seen++ } END { exit seen != 3 }' rows ||
			{ echo "$way"; cat report; return 1; }
	done
}
