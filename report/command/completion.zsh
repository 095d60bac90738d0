#compdef ktime
# SPDX-License-Identifier: MIT
# zsh completion of ktime, installed as site-functions/_ktime. `ktime --completion` lists the
# options: command, option, letter, what it takes, offered or ignored, help. The option "operand"
# stands for what the command takes beside its options.

# The numbers of programs that run under ktime, with what they are.
_ktime_processes()
{
	local -a processes
	processes=("${(@f)$(_call_program processes $ktime list 2>/dev/null |
		awk '$6 == "running" { pid = $1; $1 = $2 = $3 = $4 = $5 = $6 = $7 = $8 = ""
			sub(/^ +/, ""); print pid ":" $0 }')}")
	_describe -t processes process processes
}

_ktime()
{
	local ktime=$words[1] command=run table_command option letter value offered help word takes
	local -a table specifications commands
	table=("${(@f)$(_call_program options $ktime --completion)}")
	commands=(${(u)${table%%$'\t'*}:#run})
	if ((CURRENT > 2)) && [[ -n ${commands[(r)$words[2]]} ]]; then
		command=$words[2]
		shift words
		((CURRENT--))
	fi
	for word in $table; do
		IFS=$'\t' read -r table_command option letter value offered help <<<$word
		[[ $table_command == $command && $offered == offered ]] || continue
		if [[ $option == operand ]]; then
			takes=$value
			continue
		fi
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
	case $takes in
	-) _arguments -S $specifications ;;
	file) _arguments -S $specifications '*:file:_files' ;;
	process) _arguments -S $specifications '*:process:_ktime_processes' ;;
	program)
		_arguments -S $specifications '1: :->first' '*::program:_normal'
		[[ $state == first ]] || return
		local -a offers
		[[ $command != run ]] || offers=("commands:command:($commands)")
		# Before a letter is typed all programs would hide the commands.
		[[ -z $words[CURRENT] ]] || offers+=('programs:program:_command_names -e' 'files:program:_files -g "*(x)"')
		_alternative $offers ;;
	*) _arguments -S $specifications "*:topic:(${takes//|/ })" ;;
	esac
}
_ktime "$@"
