#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

load common

# The long options that ktime serves, as its completion offers them.
options() {
	"$ktime" --completion bash | sed -n "s/.*compgen -W '\(--[^']*\)'.*/\1/p" | tail -n 1
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
		grep -q -- "${option//-/\\\\-}" "$root/report/ktime.1" ||
			{ echo "$option is missing"; return 1; }
	done
}

@test "the manual has no other option" {
	served=$(sed '/^\.SH KTIME EXPORT/,/^\.SH ENVIRONMENT/d; /^\.SH EXIT/,$d' "$root/report/ktime.1")
	for option in $(grep -o -- '\\-\\-[a-z\\-]*' <<<"$served" | tr -d '\\' | sort -u); do
		[[ " $(options)" == *" $option "* ]] || { echo "$option is unknown"; return 1; }
	done
}

@test "bash completes options and their values" {
	"$ktime" --completion bash >completion
	complete_word() {
		bash -c '. ./completion; COMP_WORDS=(ktime "$@"); COMP_CWORD=$#; _ktime
			echo "${COMPREPLY[@]}"' bash "$@"
	}
	[ "$(complete_word --print-gpu)" = "--print-gpu-summary --print-gpu-trace" ]
	[ "$(complete_word --timer e)" = "events" ]
	[ "$(complete_word -u m)" = "ms" ]
	touch session.ktime
	[ "$(complete_word -i sess)" = "session.ktime" ]
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
