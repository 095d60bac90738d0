#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

bats_require_minimum_version 1.5.0
load common

# options [COMMAND]: the long options that ktime, or a command of it, has an effect for.
options() {
	"$ktime" --completion | awk -F'\t' -v "command=${1:-run}" '$1 == command && $5 == "offered" { print $2 }'
}

# complete_word WORD…: what bash offers for the last of these behind "ktime".
complete_word() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ktime
		(IFS="|"; echo "${COMPREPLY[*]}")' bash "$root/report/command/completion.bash" "$ktime" "$@"
}

@test "help and version are printed on stdout" {
	run sh -c "'$ktime' --help 2>/dev/null"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "usage: ktime "* ]]
	run sh -c "'$ktime' --version 2>/dev/null"
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^ktime\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--help is one screen, --help all has every option, --help nvprof those without effect" {
	"$ktime" --help >short
	[ "$(wc -l <short)" -le 40 ]
	[ "$(wc -L <short)" -le 110 ]
	"$ktime" --help all >all
	for option in $(options); do
		grep -q -- " $option " all || { echo "$option is missing"; return 1; }
	done
	! grep -q -- '--analysis-metrics' short all || false
	"$ktime" --help nvprof | grep -q -- '--aggregate-mode on|off  .*--metrics chooses'
	run "$ktime" --help none
	[ "$status" -eq 2 ]
	prints "ktime: no help on none (--help, --help all, --help nvprof)"
}

@test "each command has its own help: its options and examples" {
	local command option
	for command in show diff export devices top on off window snapshot prometheus; do
		"$ktime" $command --help >help
		grep -q "^usage: ktime $command " help
		grep -q "^  ktime $command " help
		for option in $(options $command); do
			grep -q -- "$option " help || { echo "$command $option is missing"; return 1; }
		done
	done
	! "$ktime" diff --help | grep -q -- --top || false
}

@test "a misspelt command names the nearest, a program here its path" {
	run -127 "$ktime" shwo run.ktime
	prints "ktime: no program shwo on PATH; did you mean ktime show?"
	run -127 "$ktime" help show
	prints "ktime: no program help on PATH; did you mean ktime --help?"
	run -127 "$ktime" ktime-none
	prints "ktime: no program ktime-none on PATH"
	printf '#!/bin/sh\n' >ktime-app
	chmod +x ktime-app
	run -127 "$ktime" ktime-app
	prints "ktime: ktime-app is not on PATH; did you mean ./ktime-app?"
}

@test "an option of another command is refused" {
	run "$ktime" diff --top 3 a b
	[ "$status" -eq 2 ]
	prints "ktime diff: unknown option --top (--help lists the options)"
	run "$ktime" export --jsn out a
	[ "$status" -eq 2 ]
	prints "ktime export: unknown option --jsn: did you mean --json?"
}

@test "the manual has every option" {
	for command in run show diff bench export devices top on off window snapshot prometheus; do
		[ -n "$(options $command)" ]
		for option in $(options $command); do
			grep -q -- "${option//-/\\\\-}" "$root/report/command/ktime.1" ||
				{ echo "$option is missing"; return 1; }
		done
	done
}

@test "the manual has no other option" {
	for option in $(grep -o -- '\\-\\-[a-z][a-z\\-]*' "$root/report/command/ktime.1" | tr -d '\\' | sort -u); do
		"$ktime" --completion | cut -f2 | grep -qxF -- "$option" ||
			{ echo "$option is unknown"; return 1; }
	done
}

# takes OPTION: letter, value, and whether it is offered.
takes() {
	"$ktime" --completion | awk -F'\t' -v OFS=' ' -v "option=$1" '$1 == "run" && $2 == option { print $3, $4, $5 }'
}

@test "what completion reads tells of each option what it takes" {
	[ -z "$("$ktime" --completion | awk -F'\t' 'NF != 6 || $1 $2 $3 $4 $5 ~ / / || !length($6)')" ]
	[ "$(takes --csv)" = "- - offered" ]
	[ "$(takes --budget)" = "- any offered" ]
	[ "$(takes --log-file)" = "- file offered" ]
	[ "$(takes --export-profile)" = "-o file offered" ]
	[ "$(takes --demangling)" = "- on|off offered" ]
	[ "$(takes --trace)" = "- gpu|api offered" ]
	[ "$(takes --sort)" = "- time|calls|avg|min|max|name offered" ]
	[ "$(takes --aggregate-mode)" = "- any ignored" ]
	[ "$(takes --metrics)" = "-m any offered" ]
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
	[ "$(complete_word export --chr)" = "--chrome" ]
	[ "$(complete_word diff --th)" = "--threshold" ]
	[ "$(complete_word diff a.ktime --fa)" = "--fail-above" ]
	[ "$(complete_word show --sort n)" = "name" ]
	[ "$(complete_word show run.ktime --to)" = "--top" ]
	[ -z "$(complete_word diff --top)$(complete_word export --timer)$(complete_word show --budget)" ]
	local command
	for command in show export diff bench devices top on off window snapshot prometheus list clean; do
		[ "$(complete_word $command --)" = "$(options $command | paste -sd '|')" ]
	done
	touch out.json
	[ "$(complete_word export --json out)" = "out.json" ]
	[ "$(complete_word diff out)" = "out.json" ]
	[ -z "$(complete_word diff --threshold out)" ]
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

# zsh_offers WORD…: what the completion gives to zsh's _arguments behind "ktime".
zsh_offers() {
	zsh -fc 'completion=$1
		_call_program() { shift; "$@" }
		_arguments() { print -rl -- "$@" }
		_alternative() { print -rl -- "$@" }
		words=("${@[2,-1]}") CURRENT=$(($# - 1)) state=first
		source $completion' zsh "$root/report/command/completion.zsh" "$ktime" "$@"
}

@test "zsh completes each command with its own options" {
	command -v zsh >/dev/null || skip "no zsh here"
	zsh_offers diff -- >offered
	grep -qxF -- '--noise[averages that differ by no more are the same (1)]:value: ' offered
	[ "$(grep -c '^--' offered)" -eq "$(options diff | wc -l)" ]
	zsh_offers show -- | grep -qxF -- \
		'--sort[the order of the rows (time)]:value:(time calls avg min max name)'
	zsh_offers sho >offered
	grep -qxF 'commands:command:(show diff export)' offered
	[ "$(grep -c '^--' offered)" -eq "$(options | wc -l)" ]
}
