#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# KTIME_OPTIONS, as the program under ktime gets it.
load helper

@test "a table goes to the log file as CSV, named by the process, and what ktime adds is on standard error" {
	# The unit is given, as slow API calls of a busy machine would choose another.
	export KTIME_OPTIONS="--csv -u ms --log-file out.%p.csv"
	same_as_alone "$built/workloads/saxpy"
	[ "$status" -eq 0 ]
	is 1 eval 'grep -c "GPU 0: busy" <<<"$stderr"'
	ls out.*.csv >files
	[ "$(wc -l <files)" -eq 1 ]
	file=$(cat files)
	[[ $file =~ ^out\.([0-9]+)\.csv$ ]]
	head -1 "$file" | grep -qF "==${BASH_REMATCH[1]}== ktime is profiling process ${BASH_REMATCH[1]}"
	is '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,ms,,ms,ms,ms,
"GPU activities",66.230320,8.390608,2,4.195304,4.195304,4.195304,"[CUDA memcpy HtoD]"
"GPU activities",33.115160,4.195304,1,4.195304,4.195304,4.195304,"[CUDA memcpy DtoH]"
"GPU activities",0.654520,0.082920,1,0.082920,0.082920,0.082920,"saxpy(int, float, float*, float*)"' \
		sed -n '/^"Type/,/saxpy(/p' "$file"
}

# One line says what is wrong, the program runs as without ktime, and there is a report all the same.
complains()
{
	export KTIME_OPTIONS=$1
	same_as_alone "$built/workloads/saxpy" --n 1024
	[ "$status" -eq 0 ]
	is "$2" eval 'printf "%s\n" "$stderr" | sed -n "s/^==[0-9]*== ktime: //p"'
	[ "$(reports)" -eq 1 ]
	says "GPU activities:"
}

@test "an unknown option gets one line, and the program runs on" {
	complains "--no-such-option" \
		"KTIME_OPTIONS: unknown option --no-such-option (ktime --help all lists the options); going on with the defaults"
}

@test "a bad value gets one line, and the program runs on" {
	complains "--timer sundial" \
		"KTIME_OPTIONS: option --timer: 'sundial' is not one of auto|cupti|events|both; going on with the defaults"
}

@test "a log file that cannot be written gets one line, and the report goes to standard error" {
	complains "--log-file /no/such/folder/log" \
		"the log file /no/such/folder/log cannot be written: No such file or directory; the report goes to stderr"
}

@test "a session that cannot be written gets one line, and the report is printed" {
	complains "-o /no/such/folder/session" \
		"/no/such/folder/session: No such file or directory; the profile is not kept"
}

@test "a session file that exists is kept, unless -f says so" {
	echo mine >session
	complains "-o session" "session: File exists (-f replaces it); the profile is not kept"
	[ "$(cat session)" = mine ]
	KTIME_OPTIONS="-f -o session" under_ktime "$built/workloads/saxpy" --n 1024 2>/dev/null
	is 4 counter operations
}
