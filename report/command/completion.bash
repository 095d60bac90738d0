# SPDX-License-Identifier: MIT
# bash completion of ktime, installed as bash-completion/completions/ktime. `ktime --completion`
# lists the options: command, option, letter, what it takes, offered or ignored, help. The option
# "operand" stands for what the command takes beside its options.

# _ktime_value OPTION: what stands behind it: "-" nothing, "file", words between |, or "any"; of
# "operand" also "program" and "process".
_ktime_value()
{
	awk -F'\t' -v command="$command" -v "option=$1" \
		'$1 == command && ($2 == option || $3 == option) { print $4; exit }' <<<"$table"
}

# Words are compared as bash splits them: at "=", which is then a word of its own. Behind the
# program's name, or behind "--", nothing is ktime's.
_ktime()
{
	local current=${COMP_WORDS[COMP_CWORD]} command=run value='' ended='' word index command_words=1
	local table commands takes
	table=$("${COMP_WORDS[0]}" --completion 2>/dev/null) || return
	commands=$(cut -f1 <<<"$table" | sort -u | grep -v '^run$')
	if ((COMP_CWORD > 1)) && grep -qxF -- "${COMP_WORDS[1]}" <<<"$commands"; then
		command=${COMP_WORDS[1]} command_words=2
	fi
	takes=$(_ktime_value operand)
	for ((index = command_words; index < COMP_CWORD; index++)); do
		word=${COMP_WORDS[index]}
		if [[ $value ]]; then
			[[ $word == = ]] || value=''
		elif [[ $word == -- ]]; then
			ended=options
		elif [[ ! $ended && $word == -?* ]]; then
			# The last of several letters may take a value.
			[[ $word == --* ]] || word=-${word: -1}
			value=$(_ktime_value "$word")
			[[ $value != - ]] || value=''
		elif [[ $takes == program ]]; then
			ended=program
			break
		fi
	done
	[[ $value && $current == = ]] && current=''
	if [[ ! $value ]]; then
		value=$takes
		if [[ ! $ended && $current == -* ]]; then
			value=$(awk -F'\t' -v command="$command" \
				'$1 == command && $2 ~ /^-/ && $5 == "offered" { print $2 }' <<<"$table")
		elif [[ $ended == program ]]; then
			value=file
		fi
	fi
	case $value in
	any | -) COMPREPLY=(); return ;;
	file) set -- -f ;;
	program)
		# Before a letter is typed all programs would hide the commands.
		set -- -W ''
		((COMP_CWORD > 1)) || set -- -W "$commands"
		[[ ! $current ]] || set -- "$@" -c -f ;;
	process) set -- -W "$("${COMP_WORDS[0]}" list 2>/dev/null | awk '$6 == "running" { print $1 }')" ;;
	?*) set -- -W "${value//|/ }" ;;
	esac
	# A folder of a command's name would get the command a slash.
	[[ " $* " != *" -f "* || ($value == program && $current != */*) ]] || compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
}
complete -F _ktime ktime
