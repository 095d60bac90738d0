#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Calls that never return, and calls that are made inside of others.
load helper

# calls NAME: of the GPU rows of this name; 0 if there is none.
calls()
{
	"$built/ktime" export --json - session | jq "[.rows[] | select(.name == \"$1\") | .calls] | add // 0"
}

@test "after a call that was left by siglongjmp, or in which its thread was cancelled, each call is counted" {
	export SIM_FAULT=cuStreamSynchronize:1:-2,cuMemcpyHtoD_v2:1:-2
	local options way call
	for options in "" "--timer events --events all"; do
		export KTIME_OPTIONS="-f -o session $options"
		for way in jump cancel; do
			for call in synchronize copy; do
				run --separate-stderr under_ktime timeout 20 \
					"$programs/left_calls" $way $call
				[ "$status" -eq 0 ]
				is 210 calls first
			done
		done
	done
}

@test "a malloc that is made of CUDA calls loses none of the program's calls, nor its own" {
	not_under_sanitizers "the program has a malloc of its own"
	local options
	for options in "" "--memory" "--timer events" "--timer events --events all --memory"; do
		export KTIME_OPTIONS="-f -o session $options"
		run --separate-stderr under_ktime timeout 60 "$programs/cuda_malloc"
		[ "$status" -eq 0 ]
		is 101 calls first
		is 1 calls k0
		is 1 calls k99
		is 100 eval "\"\$built/ktime\" export --json - session |
			jq '[.rows[] | select(.name | test(\"^k[0-9]+\$\"))] | length'"
		is "$output" calls "[CUDA memset]"
	done
}
