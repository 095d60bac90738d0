#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

# The long options that ktime serves, as its completion offers them.
options() {
	"$ktime" --completion bash | sed -n "s/^\t\*) options='\([^']*\)'.*/\1/p"
}

# complete_word WORD…: what bash offers for the last of these behind "ktime".
complete_word() {
	"$ktime" --completion bash >completion
	bash -c '. ./completion; COMP_WORDS=(ktime "$@"); COMP_CWORD=$#; _ktime
		(IFS="|"; echo "${COMPREPLY[*]}")' bash "$@"
}

@test "help and version are printed on stdout" {
	run sh -c "'$ktime' --help 2>/dev/null"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "usage: ktime "* ]]
	run sh -c "'$ktime' --version 2>/dev/null"
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^ktime\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "the manual has every option" {
	[ "$(options | wc -w)" -gt 30 ]
	for option in $(options); do
		grep -q -- "${option//-/\\\\-}" "$root/report/command/ktime.1" ||
			{ echo "$option is missing"; return 1; }
	done
}

@test "the manual has no other option" {
	served=$(sed '/^\.SH KTIME EXPORT/,/^\.SH ENVIRONMENT/d; /^\.SH EXIT/,$d' "$root/report/command/ktime.1")
	for option in $(grep -o -- '\\-\\-[a-z\\-]*' <<<"$served" | tr -d '\\' | sort -u); do
		[[ " $(options)" == *" $option "* ]] || { echo "$option is unknown"; return 1; }
	done
}

@test "bash completes options and their values" {
	[ "$(complete_word --print-gpu)" = "--print-gpu-summary|--print-gpu-trace" ]
	[ "$(complete_word --timer e)" = "events" ]
	[ "$(complete_word --timer = e)" = "events" ]
	[ "$(complete_word -u m)" = "ms" ]
	[ "$(complete_word --metrics --csv --perc)" = "--percentiles" ]
	touch session.ktime
	[ "$(complete_word -i sess)" = "session.ktime" ]
	[ "$(complete_word -fo sess)" = "session.ktime" ]
}

@test "bash completes each command with its own options" {
	[ "$(complete_word export --js)" = "--json" ]
	[ "$(complete_word diff --no)" = "--noise" ]
	[ "$(complete_word diff a.ktime --f)" = "--fail-above" ]
	[ "$(complete_word show --sort n)" = "name" ]
	[ "$(complete_word show run.ktime --to)" = "--top" ]
	[ -z "$(complete_word diff --top)$(complete_word export --timer)$(complete_word show --budget)" ]
	local command option
	for command in show export diff; do
		for option in $(complete_word $command -- | tr '|' ' '); do
			[ "$option" = --import-profile ] ||
				{ "$ktime" $command $option 2>&1 || true; } >said
			! grep -qE 'unrecognized|unknown option' said ||
				{ echo "$command refuses $option"; return 1; }
		done
	done
	touch out.json
	[ "$(complete_word export --json out)" = "out.json" ]
	[ "$(complete_word diff out)" = "out.json" ]
	[ -z "$(complete_word diff --noise out)" ]
}

@test "bash offers files, and no options, behind the program's name" {
	touch -- input --input
	[ "$(complete_word ./app inp)" = "input" ]
	[ "$(complete_word --timer cupti ./app inp)" = "input" ]
	[ "$(complete_word -- ./app inp)" = "input" ]
	[ -z "$(complete_word ./app --tim)$(complete_word -- --tim)" ]
	[ "$(complete_word ./app --inp)" = "--input" ]
}

@test "bash completes a file with a space as one word" {
	touch "a b" "a c"
	[ "$(complete_word -i a)" = "a b|a c" ]
	[ "$(complete_word show a)" = "a b|a c" ]
	[ "$(complete_word ./app a)" = "a b|a c" ]
}

@test "zsh's completion is a specification for every option" {
	"$ktime" --completion zsh >completion
	for option in $(options); do
		grep -q -- "'$option\[" completion || { echo "$option is missing"; return 1; }
	done
	command -v zsh >/dev/null || skip "no zsh here to read it"
	zsh -n completion
}

@test "another shell is told that there is none" {
	run "$ktime" --completion fish
	[ "$status" -eq 2 ]
	prints "ktime: no completion for fish, only for bash and zsh"
}
