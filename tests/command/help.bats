#!/usr/bin/env bats
# SPDX-License-Identifier: MIT

bats_require_minimum_version 1.5.0
load common

# options [COMMAND]: the long options that ktime, or a command of it, has an effect for.
options() {
	"$ktime" --completion | awk -F'\t' -v "command=${1:-run}" '$1 == command && $2 ~ /^-/ && $5 == "offered" { print $2 }'
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
	# What cannot be written is a failure, of each command alike.
	run sh -c "'$ktime' help show 2>&1 >/dev/full"
	[ "$status" -eq 1 ]
	[ "$output" = "ktime help: No space left on device" ]
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
	prints "ktime: no help on none (ktime help, with a command, all, nvprof or exit)"
}

@test "each command has its own help: its options and examples" {
	local command option
	for command in show diff export devices top on off window snapshot prometheus; do
		"$ktime" $command --help >help
		"$ktime" help $command | cmp - help
		grep -q "^usage: ktime $command " help
		grep -q "^  ktime $command " help
		for option in $(options $command); do
			grep -q -- "$option " help || { echo "$command $option is missing"; return 1; }
		done
	done
	! "$ktime" diff --help | grep -q -- --top || false
}

@test "help alone is the short help, and explains the exit status" {
	cmp <("$ktime" help) <("$ktime" --help)
	cmp <("$ktime" help all) <("$ktime" --help all)
	"$ktime" help exit | grep -q '^    2  wrong usage'
	run "$ktime" help none
	[ "$status" -eq 2 ]
	prints "ktime: no help on none (ktime help, with a command, all, nvprof or exit)"
	run "$ktime" help show diff
	[ "$status" -eq 2 ]
	prints "ktime help: too many topics given; usage: ktime help [COMMAND|all|nvprof|exit]"
}

@test "a misspelt command names the nearest, a program here its path" {
	run -127 "$ktime" shwo run.ktime
	prints "ktime: no program shwo on PATH; did you mean ktime show?"
	run -127 "$ktime" profile ./app
	prints "ktime: there is no command profile: ktime [options] PROGRAM runs PROGRAM and profiles it"
	run -127 "$ktime" report run.ktime
	prints "ktime: there is no command report: ktime show FILE prints the report of a profile"
	run -127 "$ktime" stats run.ktime
	[[ $output == "ktime: there is no command stats: ktime show FILE "* ]]
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
	[ "$(takes --devices)" = "- all offered" ]
	[ "$(takes operand)" = "- program offered" ]
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

@test "bash completes commands, processes and topics, and nothing beside them" {
	touch show window
	[ "$(complete_word "")" = "$("$ktime" --completion | cut -f1 | grep -v '^run$' | sort -u | paste -sd '|')" ]
	[ "$(complete_word help sn)" = snapshot ]
	[ "$(complete_word help e)" = "exit|export" ]
	[ -z "$(complete_word list sh)$(complete_word devices sh)$(complete_word top sh)" ]
	mkdir bin
	printf '#!/bin/sh\n[ "$1" = list ] || exec "%s" "$@"\ncat listed\n' "$ktime" >bin/ktime
	chmod +x bin/ktime
	cat >listed <<-'end'
		    PID  User      Since                    Size  State    GPU  File  Command
		   1234  somebody  2026-11-28 13:00:00    1.90MB  running  0    /run/ktime.1234  ./app
		   1299  somebody  2026-11-28 13:00:00    1.90MB  ended    0    /run/ktime.1299  ./app
	end
	ktime=bin/ktime
	[ "$(complete_word top 1)" = 1234 ]
	[ "$(complete_word off "")" = 1234 ]
	[ "$(complete_word window --profile sh)" = show ]
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
	grep -qxF -- '--fail-above[end with status 3 if B is slower by more than that]:value: ' offered
	[ "$(grep -c '^--' offered)" -eq "$(options diff | wc -l)" ]
	zsh_offers show -- | grep -qxF -- \
		'--sort[the order of the rows (time)]:value:(time calls avg min max name)'
	zsh_offers sho >offered
	grep -qx 'commands:command:(show .* help)' offered
	[ "$(grep -c '^--' offered)" -eq "$(options | wc -l)" ]
	zsh_offers off "" | grep -qxF '*:process:_ktime_processes'
	zsh_offers help "" | grep -q '^\*:topic:(all nvprof exit show '
	! zsh_offers list "" | grep -q '^\*' || false
}

# fish_offers LINE: what fish offers behind it, without descriptions, between bars.
fish_offers() {
	HOME=$PWD PATH=$build:$PATH fish -N -c 'source $argv[1]; complete -C $argv[2]' \
		"$root/report/command/completion.fish" "$1" | cut -f1 | paste -sd '|'
}

@test "fish completes commands, options, choices and files" {
	command -v fish >/dev/null || skip "no fish here"
	touch run.ktime
	[ "$(fish_offers 'ktime ')" = "$("$ktime" --completion | cut -f1 | grep -v '^run$' | LC_ALL=C sort -u | paste -sd '|')" ]
	[ "$(fish_offers 'ktime --timer ')" = "auto|both|cupti|events" ]
	[ "$(fish_offers 'ktime show --slo')" = "--slowest" ]
	[ "$(fish_offers 'ktime show ')" = "run.ktime" ]
	[ "$(fish_offers 'ktime -o ')" = "run.ktime" ]
	[ "$(fish_offers 'ktime help sn')" = "snapshot" ]
	[ -z "$(fish_offers 'ktime list ')$(fish_offers 'ktime ./app --tim')$(fish_offers 'ktime diff --budg')" ]
}
