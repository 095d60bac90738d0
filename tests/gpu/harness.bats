# SPDX-License-Identifier: MIT
# The checks for a real GPU, run on the simulated device: that they count, and that they would tell.
bats_require_minimum_version 1.5.0
load ../waits

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
built=$root/${BUILD:-build}

setup()
{
	cd "$root"
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run TMPDIR=$BATS_TEST_TMPDIR
	export KTIME_RUNNER=$root/tests/sim/run KTIME_BUILD=$built CUDA_HOME=$built/sim/toolkit
	mkdir "$XDG_RUNTIME_DIR" "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "Simulated GPU, 580"\n' >"$BATS_TEST_TMPDIR/bin/nvidia-smi"
	chmod +x "$BATS_TEST_TMPDIR/bin/nvidia-smi"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# Of the programs whose title the pattern matches, with less data than a GPU takes to be busy.
gpu_check()
{
	printf '#!/bin/sh\nexec %s "$@" --n 65536\n' "$KTIME_RUNNER" >"$BATS_TEST_TMPDIR/bin/runner"
	chmod +x "$BATS_TEST_TMPDIR/bin/runner"
	KTIME_RUNNER=$BATS_TEST_TMPDIR/bin/runner run python3 tests/gpu/gpu_check.py --no-nsys --only "$1"
	echo "$output"
}

@test "a program's counts are held against the bare tracer's" {
	gpu_check '^saxpy( |$)'
	[ "$status" -eq 0 ]
	[[ $output == *"2 passed, 0 failed, 0 skipped"* ]]
	[[ $output == *"| saxpy --repetitions 1000 --streams 4 --threads 4 "*" 4003 "*" 4003 "*" 0 "*" yes "*" ok "* ]]
}

@test "a count that is off fails the check" {
	# The reference loses one record of three.
	SIM_CUPTI_DROP=3 gpu_check '^saxpy_driver$'
	[ "$status" -eq 1 ]
	[[ $output == *"against CUPTI"* ]]
}

# A cuobjdump that lists kernels whose clock readings have given instructions between them.
fake_cuobjdump()
{
	{
		echo "#!/bin/sh"
		echo "cat <<'END'"
		for kernel in "$@"; do
			echo "	Function : ${kernel%%:*}"
			echo "        /*0000*/                   S2R R0, SR_TID.X ;      /* 0x0000000000007919 */"
			echo "        /*0010*/                   CS2R R4, SR_CLOCKLO ;   /* 0x0000000000047805 */"
			for instruction in ${kernel#*:}; do
				echo "        /*0020*/               @P1 $instruction R7, [R6] ;  /* 0x0000000006077984 */"
			done
			echo "        /*0030*/                   CS2R R8, SR_CLOCKLO ;   /* 0x0000000000087805 */"
			echo "        /*0040*/                   EXIT ;                  /* 0x000000000000794d */"
		done
		echo "END"
	} >"$BATS_TEST_TMPDIR/bin/cuobjdump"
	chmod +x "$BATS_TEST_TMPDIR/bin/cuobjdump"
}

chain()
{
	printf "$1%.0s " {1..64}
	echo STS
}

@test "what stands between two readings of the clock is read off the disassembly" {
	right=(overhead:STS "shared_naive:STS BAR.SYNC LDS" "shared_store_load:STS BAR.SYNC LDS STS"
		"global_load_l1:LDG.E STS" "global_load_l2:LDG.E.STRONG STS"
		"integer_multiply_add:$(chain IMAD)" "float_multiply_add:$(chain FFMA)"
		"double_multiply_add:$(chain DFMA)")
	fake_cuobjdump "${right[@]}" "shared_load:LDS STS"
	run python3 tests/gpu/clock_reads.py
	[ "$status" -eq 0 ]
	[ "$output" = "9 kernels: only what they measure is between their clocks" ]
	fake_cuobjdump "${right[@]}" "shared_load:IMAD LDS STS"
	run python3 tests/gpu/clock_reads.py
	[ "$status" -eq 1 ]
	[ "$output" = "shared_load: between the clocks stand IMAD LDS STS, not LDS STS" ]
}

@test "the workloads of this build measure only what they say, where a disassembler is" {
	rm -f "$BATS_TEST_TMPDIR/bin/cuobjdump"
	run python3 tests/gpu/clock_reads.py
	[ "$status" -eq 0 ]
	[[ $output != skipped* ]] || skip "no cuobjdump"
}

@test "the workloads' figures are held against ktime's rows" {
	run python3 tests/gpu/workloads.py --quick
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"0 failures" ]]
	[[ $output == *"| saxpy --n 1048576 --variant plain --block 256 | 20 "*" 2469.2 "* ]]
	[[ $output == *"| device to device, pinned, 1 MB | 31 "*" 1024.0 "* ]]
}

# A program with decoder.py's options whose kernels are saxpy's.
fake_decoder()
{
	cat >"$BATS_TEST_TMPDIR/decoder" <<-END
		#!/bin/bash
		while [ \$# -gt 0 ]; do
			case \$1 in --table) tokens=\$2 ;; --profiler) table=\$2 ;; esac
			shift
		done
		if [ -n "\$tokens" ]; then
			[ -z "\$table" ] || echo '{"saxpy(int, float, float*, float*)": [90, 99396]}' >"\$table"
			exec "$built/sim/workloads/saxpy" --n 1024 --repetitions "\$tokens"
		fi
		echo ready
		while read -r name; do
			echo "workload=\$name operations=10 ns=2000000"
			echo "done"
		done
	END
	chmod +x "$BATS_TEST_TMPDIR/decoder"
	export KTIME_DECODER=$BATS_TEST_TMPDIR/decoder
}

@test "the decoding benchmark counts tokens and holds each table against the bare tracer's" {
	fake_decoder
	run python3 tests/bench/decode.py --only default,torch --turns 2 --table-tokens 100 \
		--output "$BATS_TEST_TMPDIR/decode.md"
	[ "$status" -eq 0 ]
	# saxpy takes 1004 ns; the other table has 90 calls of 1104.4 ns.
	grep -q '^| no profiler *| 500 *| +0.00 % *| - *| - *| - *|$' "$BATS_TEST_TMPDIR/decode.md"
	grep -q '^| ktime *| 500 *| +0.00 % *| 1 of 1 *| 1 of 1 *| 0.00 % *|$' "$BATS_TEST_TMPDIR/decode.md"
	grep -q '^| torch.profiler *| 500 *| +0.00 % *| 1 of 1 *| 0 of 1 *| 1.00 % *|$' "$BATS_TEST_TMPDIR/decode.md"
}

@test "what a budget costs is also told from iterations inside the profiling window and outside" {
	run python3 -c "
import sys
sys.path[:0] = ['tests/bench', 'tests/gpu']
import bars, plan, samples
taken = samples.Samples()
for row, variant in ((plan.HELD_BY_SWITCHING, 'budget_2_switch'), ('budget_resnet_training', 'budget_2')):
    for turn in (1, 2):
        taken.add(row, variant, samples.parse_line(f'ns={102 + turn} ns_inside={100 + 2 * turn} ns_outside=100'))
        taken.add('budget_resnet_training', 'none', {'ns': 101 + turn})
print(taken.mean_switched_percent(plan.HELD_BY_SWITCHING, 'budget_2_switch'),
      taken.mean_switched_percent('budget_resnet_training', 'budget_5_switch'),
      *(bar.judge(taken)[1] for bar in bars.BARS if bar.what.startswith('--budget 2: worst')))"
	[ "$output" = "(3.0, 1.0) None 3 %" ]
}

@test "the benchmark keeps the sections of its results that were written by hand" {
	printf '%s\n' '# What ktime costs' '' '## Bars' '' 'stale' '' '## By hand' '' 'kept' '' '## Not run' '' 'stale' \
		'' '## More by hand' '' 'kept too' >"$BATS_TEST_TMPDIR/RESULTS.md"
	for round in 1 2; do
		run python3 tests/bench/bench.py --only true --minutes 0.001 --output "$BATS_TEST_TMPDIR/RESULTS.md"
		[ "$status" -eq 0 ]
		grep -q '^| /bin/true ' "$BATS_TEST_TMPDIR/RESULTS.md"
		[ "$(grep -c '^## Bars' "$BATS_TEST_TMPDIR/RESULTS.md")" -eq 1 ]
		[ "$(grep -c stale "$BATS_TEST_TMPDIR/RESULTS.md")" -eq 0 ]
		diff <(printf '%s\n' '' '## By hand' '' 'kept' '' '## More by hand' '' 'kept too') \
			<(tail -n 8 "$BATS_TEST_TMPDIR/RESULTS.md")
	done
}

@test "what of CUPTI costs launches of graphs is measured step by step" {
	run python3 tests/bench/attached.py --scale 0.02 --seconds 1 --output "$BATS_TEST_TMPDIR/attached.md" \
		--only "runtime calls,in windows,attached after,detached before,--budget 1"
	echo "$output"
	[ "$status" -eq 0 ]
	for row in "no CUPTI" "runtime calls" "kernels and copies in windows" "ktime --budget 1" \
		"whole graphs and kernels, nodes in windows" "detached before the graph is made"; do
		grep -q "^| $row  *\(| [0-9.]* *\)\{5\}| [-+][0-9.]* % *| [-+][0-9.]* *| [0-9.]* *|$" \
			"$BATS_TEST_TMPDIR/attached.md"
	done
	# With one size of graph.
	grep -q "^| the same, attached after the graph was made *| - *|" "$BATS_TEST_TMPDIR/attached.md"
	KTIME_RUNNER=false run python3 tests/bench/attached.py --only "runtime calls" --seconds 1
	[ "$status" -eq 1 ]
	[[ $output == *"- runtime calls: exit 1"* ]]
}

# energy WATTS: the comparison with an nvidia-smi that says so; the simulated device uses 250 W.
energy()
{
	cat >"$BATS_TEST_TMPDIR/bin/nvidia-smi" <<-END
	#!/bin/sh
	case $* in *power.draw*) ;; *) echo "Simulated GPU, 580"; exit ;; esac
	for i in \$(seq 3000); do echo "$1, 1755" && sleep 0.02 || break; done
	END
	sed -i 's/case .* in/case "$*" in/' "$BATS_TEST_TMPDIR/bin/nvidia-smi"
	SIM_NVML=milliwatts=250000,sm_now=1755,memory_now=3201,reasons=4 run python3 tests/gpu/energy.py --print-only \
		--elements 10000000 --repetitions 3 --launches 100 --turns 1
	echo "$output"
}

@test "energy and clocks are held against nvidia-smi's" {
	energy 251
	[ "$status" -eq 0 ]
	[[ $output == *"| mean power, W "*"| 251.0 "*"| 250.0 "*"| -0.40 % "* ]]
	[[ $output == *"| mean SM clock, MHz | 1755.0 "*"| 1755.0 "* ]]
	[[ $output == *"software_power_cap 100.0 %"* ]]
	[[ $output == *"takes 1 more thread (one is right)"* ]]
	energy 260
	[ "$status" -eq 1 ]
	[[ $output == *"-3.85 %"* ]]
}

# Programs that say what cupti_versions.py reads, and whose kernels are saxpy's, in a build folder of their own.
fake_build()
{
	build=$BATS_TEST_TMPDIR/build saxpy="$built/sim/workloads/saxpy --n 1024 --repetitions"
	mkdir -p "$build/bench" "$build/gpu"
	ln -s "$built/libktime.so" "$built/ktime" "$build"
	ln -s "$built/bench/libbare_tracer.so" "$build/bench"
	cat >"$build/bench/graph_loop" <<-END
		#!/bin/bash
		echo "workload=\$1 ns=2000 launches=2"
		case \$1 in mixed) kill -SEGV \$\$ ;; updated) exec $saxpy 199 ;; *) exec $saxpy 200 ;; esac
	END
	cat >"$build/bench/launch_loop" <<-END
		#!/bin/bash
		[ "\$1" = --turns ] || exec $saxpy \$2
		echo ready
		while read -r name; do printf 'workload=%s ns=2000\ndone\n' "\$name"; done
		exec $saxpy 1
	END
	cat >"$build/resnet" <<-END
		#!/bin/bash
		[ "\$1" = --iterations ] && iterations=\$2 || iterations=5
		echo "iterations=\$iterations"
		exec $saxpy \$((10 + 3 * iterations - (\$1 == 7)))
	END
	cat >"$build/gpu/graph_numbers" <<-END
		#!/bin/sh
		echo first 0 1 2
		case \$1 in */13.2.0/*) echo second 0 2 ;; *) echo second 0 1 ;; esac
	END
	chmod +x "$build"/*/* "$build/resnet"
	export KTIME_BUILD=$build KTIME_DECODER="$build/bench/launch_loop --turns" KTIME_RESNET=$build/resnet
}

@test "versions of CUPTI are measured one by one, and all figures make one table" {
	fake_build
	for version in 13.0.0 13.1.0 13.2.0; do
		mkdir -p "$BATS_TEST_TMPDIR/$version/lib"
		cp "$built/sim/toolkit/lib64/libcupti.so.13" "$BATS_TEST_TMPDIR/$version/lib"
	done
	versions=(python3 tests/gpu/cupti_versions.py --resnets 2)
	"${versions[@]}" --cells "$BATS_TEST_TMPDIR/one" --only numbers,graphs,cost,decoder,resnet "$BATS_TEST_TMPDIR/13.0.0"
	"${versions[@]}" --cells "$BATS_TEST_TMPDIR/two" --only numbers "$BATS_TEST_TMPDIR/13.1.0" "$BATS_TEST_TMPDIR/13.2.0"
	"${versions[@]}" --cells "$BATS_TEST_TMPDIR/two" --only resnet --resnet-seconds 7 "$BATS_TEST_TMPDIR/13.1.0"
	"${versions[@]}" --write --output "$BATS_TEST_TMPDIR/R.md" "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two" >/dev/null
	cat "$BATS_TEST_TMPDIR/R.md"
	grep -q '^| 13.0.0 | 130001 *| +0.0 %, whole graphs; +0.0 %, whole graphs | +0.0 %; +0.0 % | +0.0 % *| +0.0 %, 199 of 200 calls, whole graphs .*| SIGSEGV *| - *| SIGSEGV *|$' "$BATS_TEST_TMPDIR/R.md"
	grep -q '^| 13.0.0 | +0.0 % *| - *| not started *| +0.0 %, 0 windows | 0 of 2; 0 to 0 windows; 2 x no windows *| below *|$' "$BATS_TEST_TMPDIR/R.md"
	grep -q '^| 13.1.0 | - .*| 0 of 2; 0 to 0 windows; 2 x calls of 1 kernels off: .* 24 of 25 | as 13.0.0 *|$' "$BATS_TEST_TMPDIR/R.md"
	grep -A 6 '^Numbers of nodes with 13.2.0, where not as 13.0.0:$' "$BATS_TEST_TMPDIR/R.md" | grep -qx '+second 0 2'
}
