#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

@test "the library beside the command is preloaded" {
	run "$ktime" --quiet printenv LD_PRELOAD
	[ "$status" -eq 0 ]
	prints "$(realpath "$build/libktime.so")"
}

@test "the library is found where /proc is not mounted" {
	[ -z "${SANITIZE-}" ] || skip "under a sanitizer: it needs /proc"
	local own=(unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
	"${own[@]}" true 2>unshared || skip "no namespaces here: $(cat unshared)"
	run "${own[@]}" "$ktime" --quiet printenv LD_PRELOAD
	[ "$status" -eq 0 ]
	prints "$(realpath "$build/libktime.so")"
	PATH=$build:$PATH run "${own[@]}" ktime --library
	prints "$(realpath "$build/libktime.so")"
}

@test "a path that LD_PRELOAD cannot have is preloaded by a link, made once" {
	local names=("a space" "a:colon" 'a$LIB') name link
	export XDG_RUNTIME_DIR=$PWD/run
	mkdir run
	for name in "${names[@]}"; do
		mkdir "$name"
		cp "$ktime" "$build/libktime.so" "$name/"
		link=$("$name/ktime" --library)
		[[ "$link" == "$PWD/run/libktime-"*.1.so ]]
		[ "$(readlink "$link")" = "$PWD/$name/libktime.so" ]
		run "$name/ktime" --quiet printenv LD_PRELOAD
		prints "$link"
	done
	LD_PRELOAD=$link run cat /proc/self/maps
	[[ "$output" == *"$PWD/$name/libktime.so"* ]]
	[ "$(ls run | wc -l)" -eq 3 ]
	run "$name/ktime" list
	[[ "$output" != *"$PWD/run/"* ]]
	# What the link leads to was moved, or is no link of the user's.
	mv "$name" "moved here"
	run "moved here/ktime" --library
	prints "$link"
	[ "$(readlink "$link")" = "$PWD/moved here/libktime.so" ]
	rm "$link"
	touch "$link"
	run "moved here/ktime" --library
	prints "${link%.1.so}.2.so"
	# A folder in which others may replace it is not used.
	chmod 777 run
	rm run/*
	link=$("moved here/ktime" --library)
	[[ "$link" == /dev/shm/libktime-* ]]
	rm "$link"
	[ -z "$(ls run)" ]
}

@test "a preload that is there already stays in front" {
	LD_PRELOAD=libm.so.6 run "$ktime" --quiet printenv LD_PRELOAD
	[ "$status" -eq 0 ]
	prints "libm.so.6:$(realpath "$build/libktime.so")"
}

@test "options reach the program's environment quoted, after those that are there" {
	KTIME_OPTIONS=--csv run "$ktime" --profile-child-processes --kernels "it's (a|b)" -u us \
		printenv KTIME_OPTIONS
	output=${output% --tree *}
	prints "--csv '--profile-child-processes' '--kernels' 'it'\\''s (a|b)' '-u' 'us'"
}

@test "without --profile-child-processes the options name the one process" {
	run "$ktime" --quiet sh -c 'echo $$ "$KTIME_OPTIONS"'
	[ "${output%% *} '--quiet' --only-process ${output%% *}" = "$output" ]
}

@test "a relative log file is meant from where ktime was started" {
	run "$ktime" --log-file out.%p --profile-child-processes printenv KTIME_OPTIONS
	output=${output% --tree *}
	prints "'--log-file' 'out.%p' '--profile-child-processes' --log-file '$PWD/out.%p'"
}

@test "a file that all processes would write to is told" {
	run "$ktime" --profile-child-processes -o run.ktime --log-file log true
	[ "$status" -eq 0 ]
	prints "ktime: several processes would write to log, one over the other: put %p into the name for --log-file"
	run "$ktime" --profile-child-processes --log-file log%%p true
	[ "${#lines[@]}" -eq 1 ]
}

@test "a file of each process, and one of the only process, get no word" {
	run env RANK=1 "$ktime" --profile-child-processes -o run.%p --log-file log.%q{RANK} true
	prints ""
	run "$ktime" --profile-child-processes --log-file %1 true
	prints ""
	run "$ktime" --quiet -o run.ktime --log-file log true
	prints ""
}

@test "arguments reach the program as they are" {
	run "$ktime" --quiet -- printf '%s|' -s --csv "a b" ''
	prints "-s|--csv|a b||"
}

@test "the exit status is the program's" {
	run "$ktime" --quiet sh -c 'exit 37'
	[ "$status" -eq 37 ]
	prints ""
}

@test "a signal ends the program and is told" {
	run "$ktime" sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
}

@test "stdin and stdout are the program's" {
	run sh -c "echo text | '$ktime' --quiet cat"
	prints "text"
}

@test "a program that is not there is 127, one that cannot run 126" {
	run sh -c "'$ktime' ./none; echo \$?"
	prints "ktime: ./none: No such file or directory
127"
	touch plain
	run "$ktime" ./plain
	[ "$status" -eq 126 ]
	prints "ktime: ./plain: Permission denied"
}

@test "no program at all is told" {
	run "$ktime" --csv
	[ "$status" -eq 2 ]
	prints "ktime: no program given (ktime --help)"
}

@test "a misspelt option is told before the program starts" {
	run "$ktime" --print-gpu-trce touch started
	[ "$status" -eq 2 ]
	prints "ktime: unknown option --print-gpu-trce: did you mean --print-gpu-trace?"
	[ ! -e started ]
}

@test "a log file that cannot be had is told before the program starts" {
	mkdir directory
	run "$ktime" --log-file directory touch started
	[ "$status" -eq 2 ]
	prints "ktime: directory cannot be written: Is a directory"
	run "$ktime" --log-file none/log touch started
	[ "$status" -eq 2 ]
	prints "ktime: none/log cannot be written: No such file or directory"
	run env -u KTIME_UNSET "$ktime" --log-file 'log.%q{KTIME_UNSET}' touch started
	[ "$status" -eq 2 ]
	prints "ktime: the environment variable KTIME_UNSET of %q{KTIME_UNSET} is not set"
	[ ! -e started ]
}

@test "what cannot be had in the end is told before the program starts" {
	tells() {
		run "$ktime" "${@:2}" touch started
		[ "$status" -eq 2 ]
		prints "ktime: $1"
		[ ! -e started ]
	}
	tells "--keep-trace keeps the trace in the profile: give -o FILE too" --keep-trace all
	KTIME_OPTIONS="--keep-trace all" tells "--keep-trace keeps the trace in the profile: give -o FILE too" --csv
	KTIME_OPTIONS="--cvs" tells "KTIME_OPTIONS: unknown option --cvs: did you mean --csv?" --quiet
	tells "option --keep-trace: '1K' is too small: 128K at least" --keep-trace 1K -o kept
	tells "option --stream-name: %z means nothing in a name (%p, %r, %h, %q{ENV}, %%)" --stream-name %z
	tells "option --top: '0' is out of range: 1 to 999999999" --top 0
	run "$ktime" --prometheus none/app.prom touch started
	[[ $output == "ktime: none/app."*".prom cannot be written: No such file or directory" ]]
	[ ! -e started ]
}

@test "-o keeps a file that exists, -f lets it go" {
	echo precious >session
	run "$ktime" -o session touch started
	[ "$status" -eq 2 ]
	prints "ktime: session cannot be written: File exists (-f replaces it)"
	[ "$(cat session)" = precious ]
	[ ! -e started ]
	run "$ktime" -f -o session touch started
	[ "$status" -eq 0 ]
	[ -e started ]
}

@test "a program that does not use CUDA gets nvprof's line, unless it was not started by ktime" {
	for program in true "sh -c true" "bash -c true" "python3 -c pass"; do
		run "$ktime" $program
		[ "$status" -eq 0 ]
		prints "======== Warning: No CUDA application was profiled, exiting"
	done
	LD_PRELOAD=$build/libktime.so run python3 -c pass
	prints ""
	run "$ktime" --profile-child-processes sh -c "true; true"
	prints ""
}
