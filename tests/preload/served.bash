# SPDX-License-Identifier: MIT
# For the tests of commands that look at, or steer, a program that runs.

ktime=$built/ktime

# serve: starts the program `served` under ktime, with the options of KTIME_OPTIONS; $program is its
# process.
serve()
{
	mkfifo orders answers
	# Gates off: see under_ktime.
	KTIME_OPTIONS="--verbose --gate off ${KTIME_OPTIONS-}" LD_PRELOAD=$built/libktime.so \
		"$root/tests/sim/run" "$programs/served" <orders >answers 2>report 3>&- &
	program=$!
	exec 5>orders 6<answers
	read -r -t 60 line <&6
	[ "$line" = ready ]
}

# order WORDS…: has the program do it; $answer is what it says when it has.
order()
{
	echo "$*" >&5
	read -r -t 120 answer <&6
	[ "${answer%% *}" = ok ]
}

# Ends the program in order; its report is in the file "report".
dismiss()
{
	exec 5>&- 6<&-
	wait "$program"
	program=
}

# What a failed test leaves.
end_served()
{
	[ -z "${program-}" ] || kill -KILL "$program" 2>/dev/null || true
	exec 5>&- 6<&-
}
