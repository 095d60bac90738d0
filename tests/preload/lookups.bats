#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ktime does to dlsym, dlvsym and cuGetProcAddress changes no answer that a program can tell.
load helper

@test "every look-up answers as without ktime, errors and dlerror included" {
	same_as_alone "$programs/lookups"
	[ "$status" -eq 0 ]
	echo "$output" | grep -qx "cuLaunchKernel 4000 0: 0 found 0"
	echo "$output" | grep -qx "cuLaunchKernel 4000 2: 0 NULL 2"
	echo "$output" | grep -qx "cuLaunchKernel 99000 0: 1 untouched 99"
}

@test "a program that asks whether CUDA is there gets the answer that it gets without ktime" {
	same_as_alone "$programs/probes"
	[ "$status" -eq 0 ]
	[ "$(echo "$output" | grep -c "^default cuInit: NULL")" -eq 1 ]
	[ "$(echo "$output" | grep -c "^default cuInit: found")" -eq 3 ]
}

# peer: a preload that wraps getenv through dlsym(RTLD_NEXT, …).
with_peer()
{
	LD_PRELOAD=$1 run --separate-stderr "$root/tests/sim/run" "$built/sim/workloads/saxpy" --n 1024
	[ "$status" -eq 0 ]
	[ "$output" = "$(alone "$built/sim/workloads/saxpy" --n 1024)" ]
	echo "$stderr" | grep -qx "peer: called"
	says "all 4 GPU operations timed"
}

@test "a preload in front of ktime still finds what comes after it" {
	with_peer "$built/sim/preload/libpeer.so:$built/libktime.so"
}

@test "a preload behind ktime still finds what comes after it" {
	with_peer "$built/libktime.so:$built/sim/preload/libpeer.so"
}

@test "a preload behind ktime that has a dlsym of its own gets its turn" {
	not_under_sanitizers "a dlsym that is instrumented itself"
	with_peer "$built/libktime.so:$built/sim/preload/libpeer_dlsym.so"
	echo "$stderr" | grep -qx "peer: asked for cuGetProcAddress_v2"
}

@test "a library that stands in for the driver is called through, and named in the report" {
	# ktime's events are in the time that the program takes by its own.
	SIM_EVENT_NS=0 with_peer "$built/libktime.so:$built/sim/preload/libpeer_driver.so"
	says "libpeer_driver.so stands in for the driver, as under ncu"
}

# As HAMi-core's libvgpu.so: its dlsym answers with its own functions.
@test "a preload behind ktime whose dlsym stands in for the driver's functions is called through" {
	not_under_sanitizers "a dlsym that is instrumented itself"
	with_peer "$built/libktime.so:$built/sim/preload/libpeer_limiter.so"
	says "libpeer_limiter.so stands in for the driver"
}

in_front="libpeer_limiter.so has a dlsym of its own, which comes before ktime's; put libktime.so first in LD_PRELOAD"

@test "a preload in front of ktime whose dlsym hides the driver from ktime is named" {
	not_under_sanitizers "a dlsym that is instrumented itself"
	LD_PRELOAD=$built/sim/preload/libpeer_limiter.so:$built/libktime.so run --separate-stderr \
		"$root/tests/sim/run" "$built/sim/workloads/saxpy" --n 1024
	[ "$status" -eq 0 ]
	is "peer: called
ktime: cannot see this process's CUDA calls: $in_front" report
}

@test "a preload in front of ktime that hides some of the driver is named in the report" {
	not_under_sanitizers "a dlsym that is instrumented itself"
	LD_PRELOAD=$built/sim/preload/libpeer_limiter.so:$built/libktime.so run --separate-stderr \
		"$root/tests/sim/run" "$programs/endings" return
	is 10 eval 'grep -cx "peer: called" <<<"$stderr"'
	says "Calls may be missing: $in_front."
}

# names VERSION PROGRAM…: of the GPU rows with a driver of this version.
names()
{
	export KTIME_OPTIONS="-f -o session --timer events" SIM_DRIVER_VERSION=$1
	shift
	run --separate-stderr under_ktime "$@"
	[ "$status" -eq 0 ]
	"$built/ktime" export --json - session |
		jq -r '.rows[] | select(.device != null) | "\(.calls) \(.name)"' | sort
}

# Drivers before CUDA 12.3 have neither cuFuncGetName nor cuKernelGetName.
@test "with a driver that cannot say a kernel's name the look-ups give it" {
	for program in sim/workloads/saxpy_driver sim/programs/graph sim/preload/dependent; do
		is "$(names 13000 "$built/$program")" names 12020 "$built/$program"
	done
	is 1 eval 'grep -cx "[0-9]* first" <<<"$(names 12020 "$built/sim/preload/dependent")"'
}

@test "a static, a shared and a local runtime in one process each reach theirs, once a call" {
	export KTIME_OPTIONS="-o session"
	same_as_alone "$programs/runtimes" "$built/sim/preload"
	[ "$status" -eq 0 ]
	is $'cudaMemcpy 6 3 0\n[CUDA memcpy HtoD] 3 0 300' rows
}

rows()
{
	"$built/ktime" export --json - session | jq -r '.rows[] |
		select(.name | test("cudaMemcpy|HtoD")) |
		"\(.name) \(.seen_by_hooks) \(.failed) \(.bytes.total // 0)"'
}

@test "functions of a newer driver that make the GPU work are named, each once" {
	SIM_LATER=1 same_as_alone "$programs/later"
	is 4 eval 'grep -c ": found" <<<"$output"'
	is $'cuLaunchLater\ncuMemcpyLater' eval "remarks | sed -n 's/ was called or may have been: .* is not in the table\$//p' | sort"
	says "1 GPU operation timed"
}
