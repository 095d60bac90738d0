#compdef ktime
# SPDX-License-Identifier: MIT
# zsh completion of ktime, installed as site-functions/_ktime. `ktime --completion` lists the
# options: command, option, letter, what it takes, offered or ignored, help.
_ktime()
{
	local command=run table_command option letter value offered help word
	local -a table specifications commands
	table=("${(@f)$(_call_program options $words[1] --completion)}")
	commands=(${(u)${table%%$'\t'*}:#run})
	if ((CURRENT > 2)) && [[ -n ${commands[(r)$words[2]]} ]]; then
		command=$words[2]
		shift words
		((CURRENT--))
	fi
	for word in $table; do
		IFS=$'\t' read -r table_command option letter value offered help <<<$word
		[[ $table_command == $command && $offered == offered ]] || continue
		# In a specification : and ] end a field.
		help=${${${help//:/\\:}//\[/\\[}//\]/\\]}
		case $value in
		-) value= ;;
		file) value=':file:_files' ;;
		any) value=':value: ' ;;
		*) value=":value:(${value//|/ })" ;;
		esac
		specifications+=("${option}[${help}]${value}")
		[[ $letter == - ]] || specifications+=("${letter}[${help}]${value}")
	done
	if [[ $command != run ]]; then
		_arguments -S $specifications '*:file:_files'
	else
		_arguments -S $specifications '1: :->first' '*::program:_normal'
		[[ $state == first ]] && _alternative "commands:command:($commands)" \
			'programs:program:_command_names -e' 'files:program:_files -g "*(x)"'
	fi
}
_ktime "$@"
