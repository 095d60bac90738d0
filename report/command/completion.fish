# SPDX-License-Identifier: MIT
# fish completion of ktime, installed as fish/vendor_completions.d/ktime.fish. `ktime --completion`
# lists the options: command, option, letter, what it takes, offered or ignored, help. The option
# "operand" stands for what the command takes beside its options.

# Where the cursor stands: the command, "run" without one; "program" behind the name of a program
# that is run, where nothing is ktime's; "first" too where a command may stand.
function __ktime_place
    set -l words (commandline -opc)
    set -l table (command $words[1] --completion 2>/dev/null)
    set -l place run
    set -l index 2
    set -l first first
    if set -q words[2]; and test "$words[2]" != run; and string match -q -- "$words[2]"\t"operand*" $table
        set place $words[2]
        set index 3
        set first
    end
    while set -q words[$index]
        set -l word $words[$index]
        set first
        if string match -q -- '-?*' $word; and test "$word" != --
            # An option whose value is the next word.
            set -l entry (string match -r -- "^$place\t(?:$word\t|[^\t]*\t$word\t).*" $table)[1]
            set -l fields (string split \t -- $entry)
            if set -q fields[4]; and test "$fields[4]" != -
                set index (math $index + 1)
            end
        else if contains $place run bench
            set place program
            break
        end
        set index (math $index + 1)
    end
    echo $place $first
end

function __ktime_at
    contains -- $argv[1] (string split ' ' -- (__ktime_place))
end

function __ktime_processes
    set -l words (commandline -opc)
    command $words[1] list 2>/dev/null |
        awk '$6 == "running" { pid = $1; $1 = $2 = $3 = $4 = $5 = $6 = $7 = $8 = ""; sub(/^ +/, ""); print pid "\t" $0 }'
end

complete -c ktime -f
complete -c ktime -n '__ktime_at program' -a '(__fish_complete_path (commandline -ct))'
for line in (command ktime --completion 2>/dev/null)
    set -l fields (string split \t -- $line)
    test "$fields[5]" = offered; or continue
    set -l entry -c ktime -n "__ktime_at $fields[1]"
    if test "$fields[2]" = operand
        test $fields[1] = run; or complete -c ktime -n '__ktime_at first' -a $fields[1] -d $fields[6]
        switch $fields[4]
            case -
            case file
                complete $entry -F
            case program
                # Before a letter is typed all programs would hide the commands.
                complete $entry -a '(set -l word (commandline -ct); test -n "$word"; and __fish_complete_command)'
            case process
                complete $entry -a '(__ktime_processes)'
            case '*'
                complete $entry -a (string replace -a '|' ' ' -- $fields[4])
        end
        continue
    end
    set -a entry -l (string sub -s 3 -- $fields[2]) -d $fields[6]
    test "$fields[3]" = -; or set -a entry -s (string sub -s 2 -- $fields[3])
    switch $fields[4]
        case -
        case file
            set -a entry -r -F
        case any
            set -a entry -x
        case '*'
            set -a entry -x -a (string replace -a '|' ' ' -- $fields[4])
    end
    complete $entry
end
