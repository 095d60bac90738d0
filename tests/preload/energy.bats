#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --energy: energy, clocks and what limited them, by the simulated libnvidia-ml.
load helper
load served


teardown()
{
	end_served
}

saxpy="$built/workloads/saxpy --n 1024"
export SIM_NVML=joules=100000,used_joules=42,sm_now=1755,memory_now=3201,reasons=4

setup()
{
	folder_of_its_own
	export KTIME_OPTIONS="--energy -f -o session"
}

# lines: those on energy and clocks, without times, which are the machine's.
lines()
{
	report "$@" | grep -E '^GPU [0-9]: (energy|about|[0-9.]+ [mkM]?J|clocks)' |
		sed -E 's/in [0-9.]+ m?s \([0-9.]+ [mkMG]?W\)/in T (P)/; s/of [0-9]+ samples?/of N samples/'
}

energy()
{
	"$ktime" export --json - "${1:-session}" | jq -c ".devices[0].energy$2"
}

known='GPU 0: 42.0 J in T (P), with all else that ran on it; SM clock 1755 MHz, memory clock 3201 MHz.
GPU 0: clocks limited in 100.0 % of N samples by software power cap.'

@test "the report has energy, clocks and what limited them, and so has the profile" {
	same_as_alone $saxpy
	is "$known" lines
	"$ktime" show session >shown
	is "$known" lines <(sed 's/^======== //' shown)
	[ "$(energy session '|[.joules, .from_power, .samples_idle, .sm_mhz.average, .clock_reasons.software_power_cap]')" = \
		"[42,false,0,1755,1]" ]
	[ "$(energy session '|.watts == .joules / .duration * 1e9 or (.watts * .duration / 1e9 - .joules | fabs) < 0.001')" = true ]
	[ "$(counter energy_ns)" -gt 0 ]
	is '[true,[1755],true]' eval '"$ktime" export --json - session |
		jq -c ".devices[0] | [.energy_over_time.step >= 1e8, ([.energy_over_time.sm_mhz[] | values] | unique),
			([.energy_over_time.watts[] | values] | max) > 0]"'
}

@test "without the option NVML is not loaded, and nothing is said of energy" {
	KTIME_OPTIONS="-f -o session" run -0 --separate-stderr under_ktime $saxpy
	[ -z "$(lines)" ]
	[ "$(energy)" = null ]
	KTIME_OPTIONS="" SIM_NVML_FAULT=nvmlInit_v2:-1 LD_DEBUG=files run -0 --separate-stderr \
		under_ktime $saxpy
	[[ "$stderr" != *libnvidia-ml* ]]
}

# Both at once leave a lock of the driver's held, if a library of the program calls cuInit again. What
# fails of CUPTI's calls is in the log.
@test "NVML is initialised once CUPTI has started" {
	SIM_FAULT=cuptiActivityRegisterCallbacks:*:999 SIM_LOG=$PWD/log run -0 --separate-stderr under_ktime $saxpy
	is $'cuptiActivityRegisterCallbacks\nnvmlInit_v2' eval "grep -oE 'cuptiActivityRegisterCallbacks|nvmlInit_v2' log"
}

@test "every device that the program uses has its own lines" {
	SIM_DEVICES=3 run -0 --separate-stderr under_ktime "$programs/contexts" devices
	is "$known"$'\n'"${known//GPU 0/GPU 1}"$'\n'"${known//GPU 0/GPU 2}" lines
	run -0 --separate-stderr "$ktime" show --devices 1 session
	is "${known//GPU 0/GPU 1}" lines <(printf '%s\n' "$output" | sed 's/^======== //')
}

@test "without the counter of energy it is summed up from the power" {
	SIM_NVML=milliwatts=250000,sm_now=1980,memory_now=3201,reasons=0 \
		run -0 --separate-stderr under_ktime $saxpy
	report | grep -qE '^GPU 0: about [0-9.]+ [mk]?J in [0-9.]+ m?s \(250 W\), with all else' || { report; false; }
	[ "$(energy session '|[.from_power, (.watts * 1000 | round)]')" = "[true,250000]" ]
}

@test "a function of NVML's that fails costs its part of the lines alone" {
	clocks="SM clock 1755 MHz, memory clock 3201 MHz."
	limited=${known#*$'\n'}
	while IFS=: read -r function number expected; do
		SIM_NVML_FAULT=$function:$number same_as_alone $saxpy
		is "${expected//|/$'\n'}" lines || { echo "$function"; false; }
		report | grep -q '^Timing: CUPTI; all' || { report; false; }
	done <<-END
	nvmlInit_v2:999:GPU 0: energy and clocks not known: NVML could not be initialised (error 999).
	nvmlDeviceGetHandleByUUID:4:GPU 0: energy and clocks not known: NVML does not know the device (error 4).
	nvmlDeviceGetMigMode:3:${known/$'\n'/|}
	nvmlDeviceGetTotalEnergyConsumption:3:GPU 0: energy not known; $clocks|$limited
	nvmlDeviceGetPowerUsage:3:${known/$'\n'/|}
	nvmlDeviceGetClockInfo:3:GPU 0: 42.0 J in T (P), with all else that ran on it.|$limited
	nvmlDeviceGetCurrentClocksEventReasons:3:${known%%$'\n'*}
	nvmlDeviceGetCurrentClocksThrottleReasons:3:${known/$'\n'/|}
	nvmlShutdown:3:${known/$'\n'/|}
	END
}

@test "an NVML that fails in the middle leaves what it said before" {
	SIM_NVML_FAULT=nvmlDeviceGetTotalEnergyConsumption:15@2,nvmlDeviceGetCurrentClocksEventReasons:15@2 \
		same_as_alone $saxpy
	is "GPU 0: energy not known; SM clock 1755 MHz, memory clock 3201 MHz." lines
	report | grep -q '^Timing: CUPTI; all' || { report; false; }
}

@test "an NVML that never answers keeps neither the program nor its report" {
	for function in nvmlInit_v2 nvmlDeviceGetHandleByUUID nvmlDeviceGetTotalEnergyConsumption nvmlDeviceGetClockInfo; do
		SIM_NVML_FAULT=$function:-1 same_as_alone $saxpy
		[ -z "$(lines | grep -v 'energy and clocks not known: NVML')" ]
		says "NVML did not answer at the end of the run: energy and clocks end with its last answer."
		report | grep -q '^Timing: CUPTI; all' || { report; false; }
	done
	# What --bandwidth would ask at the end is not asked any more.
	KTIME_OPTIONS="--energy --bandwidth" SIM_NVML_FAULT=nvmlInit_v2:-1 same_as_alone $saxpy
	says "The devices' PCIe and NVLink speeds are not known, so copies are not compared with them: NVML did not answer."
	SIM_NVML_FAULT=nvmlShutdown:-1 same_as_alone $saxpy
	is "$known" lines
}

@test "a machine without NVML has a report that says so" {
	mkdir lib
	ln -s "$built"/sim/lib/libcuda* lib
	run -0 --separate-stderr env LD_LIBRARY_PATH="$PWD/lib:$built/sim/toolkit/lib64" CUDA_HOME="$built/sim/toolkit" \
		LD_PRELOAD="$built/libktime.so" "$built/sim/workloads/saxpy_driver" --n 1024
	is "GPU 0: energy and clocks not known: libnvidia-ml.so.1 was not found, or is too old." lines
}

@test "a device that MIG divides has no energy of its own" {
	for mig in mig=1 mig_instance=1; do
		SIM_NVML=$SIM_NVML,$mig run -0 --separate-stderr under_ktime $saxpy
		is "GPU 0: energy and clocks not known: it is divided by MIG, and NVML tells them of the whole GPU alone." lines
	done
	[ "$(energy session .missing)" = '"it is divided by MIG, and NVML tells them of the whole GPU alone"' ]
}

@test "the old name of the reasons serves as well" {
	SIM_NVML=${SIM_NVML/reasons/old_reasons} run -0 --separate-stderr under_ktime $saxpy
	is "$known" lines
}

@test "with CSV the devices are a table of their own" {
	KTIME_OPTIONS="--energy --csv --quiet" run -0 --separate-stderr under_ktime $saxpy
	report | grep -qE '^0,42.000,[0-9.]+,[0-9.]+,1755,1755.0,1755,3201,3201.0,3201,[0-9]+,0,0.00,100.00,0.00' ||
		{ report; false; }
}

@test "a diff shows clocks that explain a slower kernel" {
	run -0 --separate-stderr under_ktime $saxpy
	SIM_NVML=joules=7,used_joules=42,sm_now=1404,memory_now=3201,reasons=64 KTIME_OPTIONS="--energy -o b" \
		run -0 --separate-stderr under_ktime $saxpy
	line="GPU 0, A and B: SM clock 1755 and 1404 MHz (-20.0 %), clocks limited by software power cap in 100.0 and 0.0 % of the samples, clocks limited by hardware thermal slowdown in 0.0 and 100.0 % of the samples. By the SM clock alone a kernel may take 25.0 % longer in B."
	run -0 "$ktime" diff session b
	[[ "$output" == *"$line"* ]] || { echo "$output"; false; }
	run -0 "$ktime" diff --markdown - session b
	[[ "$output" == *"$line"* ]]
	"$ktime" diff --json - session b | jq -e '.energy[0] | .device == 0 and .a.joules == 42 and .b.sm_mhz.maximum == 1404'
	run -0 "$ktime" diff session session
	[[ "$output" != *"GPU 0"* ]]
}

@test "a merged profile has no energy, which processes may share" {
	run -0 --separate-stderr under_ktime $saxpy
	"$ktime" merge -o merged session session
	[ "$(energy merged)" = null ]
}

@test "a killed program's profile has the energy until then" {
	serve
	order first 5
	wait_until 60 "two readings of the energy" eval '[ "$(energy session ".samples // 0")" -ge 2 ]'
	kill -KILL "$program"
	wait "$program" || true
	program=
	[ "$(energy session .joules)" = 42 ]
}
