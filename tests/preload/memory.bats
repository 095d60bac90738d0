#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report says what memory ktime took, and that does not grow with the launches.
load helper

@test "ktime's own memory is measured, and bounded for a thread however much it launches" {
	not_under_sanitizers "memory"
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	for repetitions in 10 40000; do
		same_as_alone "$built/workloads/saxpy" --n 256 --repetitions $repetitions
		[ "$status" -eq 0 ]
		[ "$(counter memory_bytes)" -ge $((64 << 10)) ]
		[ "$(counter memory_bytes)" -le $((2 << 20)) ]
	done
}

# What ktime kept of each stream took 4 KiB: 40 MB here. It keeps those of the last moments.
@test "streams that come and go leave nothing behind" {
	not_under_sanitizers "memory"
	export KTIME_OPTIONS="-f -o session"
	[ "$(growth stream_lives 100 10000)" -le 12000 ]
	is 11000 counter operations
	is 11000 counter cupti_records
}

# Of the heap. The pairs of a thread in a context took 70 KiB, 130 MB here, where two launch in each,
# and an event pool without its pairs 8 KiB, 15 MB. What is kept of a context is some 90 bytes.
@test "contexts that come and go leave nothing behind" {
	not_under_sanitizers "memory"
	export KTIME_OPTIONS="-f -o session --timer events --events all"
	[ "$(growth context_lives 100 1000)" -le 300 ]
	is 3000 counter operations
}

# Records come when a buffer is full, as threads launch all the time: up to then the calls of some
# 19,000 threads wait for theirs. A search for each record in all of them took 7 s of a processor
# here, for 0.4 to 0.7, in which nothing of the threads that had ended was freed.
@test "each launch of threads that come and go is counted, and finds its record among many" {
	local options
	for options in "" "--timer events" "--nvtx-include step/"; do
		export KTIME_OPTIONS="-f -o session $options"
		run --separate-stderr under_ktime "$programs/short_threads" 20000 \
			${options:+ranges}
		[ "$status" -eq 0 ]
		is 20000 counter operations
		is 20000 counter threads
		[ "$(counter collector_ns)" -le 3000000000 ]
	done
}

# The program alone needs 70 MiB; ktime's library, stacks and tables some 20 more. One arena, as
# malloc would reserve 64 MiB for the first thread that allocates while so many are left.
@test "a program that may have few addresses has what it needs, and its report" {
	not_under_sanitizers "memory"
	local bytes
	for bytes in $((96 << 20)) $((300 << 20)); do
		MALLOC_ARENA_MAX=1 LD_PRELOAD=$built/libktime.so run --separate-stderr \
			"$root/tests/sim/run" prlimit --as=$bytes "$programs/endings" return
		[ "$status" -eq 3 ]
		[ "$output" = worked ]
		says "all 12 GPU operations timed"
	done
}

# Of 24 KiB, as the kernel leaves out up to 8 at random, and the loader takes 8 for any preload.
@test "a stack of 16 KiB is enough, whatever the report" {
	not_under_sanitizers "memory"
	for options in "" "--format nsys" "--print-gpu-trace --csv"; do
		run --separate-stderr env -i PATH="$PATH" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" \
			LD_PRELOAD="$built/libktime.so" KTIME_OPTIONS="$options" "$root/tests/sim/run" \
			prlimit --stack=24576 "$programs/endings" return
		[ "$status" -eq 3 ]
		[ "$output" = worked ]
		says first
	done
}

# A thread of the smallest stack that pthreads has, 16 KiB, keeps 12 of them.
@test "a thread that does all of the program's work needs at most 4 KiB more of stack" {
	not_under_sanitizers "memory"
	local alone_used options
	alone_used=$(alone "$programs/small_stack" 3>&1 >/dev/null) || [ $? -eq 3 ]
	for options in "" "--timer events" "--print-gpu-trace --csv"; do
		KTIME_OPTIONS=$options run --separate-stderr under_ktime "$programs/small_stack" 3>used
		[ "$status" -eq 3 ]
		says first
		[ "$(<used)" -gt 0 ]
		[ "$(<used)" -le $((alone_used + 4096)) ]
	done
}

# without_memory FIRST LAST OPTIONS PROGRAM…: each of these allocations fails, and all from it on.
# `without` is how often there was no report.
without_memory()
{
	local first=$1 last=$2 number on alone file
	export KTIME_OPTIONS=$3
	shift 3
	run alone "$@"
	alone="$status $(grep -vE "time|$by_own_events" <<<"$output")"
	without=0
	for ((number = first; number <= last; number++)); do
		for on in "" 1; do
			run --separate-stderr env NO_MEMORY=$number ${on:+NO_MEMORY_ON=1} \
				LD_PRELOAD="$built/libktime.so:$programs/libno_memory.so" \
				"$root/tests/sim/run" "$@"
			[ "$status $(grep -vE "time|$by_own_events" <<<"$output")" = "$alone" ] ||
				{ echo "allocation $number${on:+ and on}: status $status, $output"; false; }
			# Without memory for a report the profile stays, where there was some for it.
			if [[ $stderr != *"Profiling result:"* && $stderr != *"Time (%)"* ]]; then
				without=$((without + 1))
				[[ $stderr = *"ktime: "* ]] || { echo "allocation $number${on:+ and on}: not a word"; false; }
			fi
			for file in "$XDG_RUNTIME_DIR"/ktime.*; do
				[ ! -e "$file" ] || rm "$file"
			done
		done
	done
}

# The first five are the tables of the driver's functions.
@test "each allocation of ktime's may fail, and all from one on" {
	not_under_sanitizers "memory"
	without_memory 1 60 "" "$programs/endings" return
	[ "$without" -gt 0 ]
}

@test "each allocation may fail while names are demangled" {
	not_under_sanitizers "memory"
	without_memory 20 70 "--format nsys" "$built/sim/workloads/saxpy" --n 256
}
