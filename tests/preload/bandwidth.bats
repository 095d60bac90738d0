#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Peaks, bandwidth and declared work, with the simulated device's exact figures.
load helper

ktime=$built/ktime
export SIM_NVML=pcie=5,lanes=16

devices()
{
	"$root/tests/sim/run" "$ktime" devices "$@"
}

# rates: the tables of --bandwidth, and the lines that belong to them, with single spaces.
rates()
{
	report "$@" | awk '/^ *(Bytes|GB\/s|Occupancy|10\^9\/s) / { on = 1 } /^Timing:/ { exit } on' | tr -s ' ' |
		sed 's/^ //; s/ $//; /^$/d'
}

peaks='Peaks of device 0: DRAM 4916.7 GB/s, L2 60.000MB, PCIe 5 x16 63.02 GB/s, FP32 66908.2 GFLOP/s, FP64 33454.1 GFLOP/s; balance 0.0735 B/FLOP in FP32.'

@test "ktime devices prints the peaks that follow from the driver's attributes and NVML" {
	SIM_NVML=pcie=5,lanes=16,nvlinks=18,nvlink_mbps=26562 run -0 devices
	diff - <(printf '%s\n' "$output") <<'END'
Device 0: Simulated GPU
  Compute capability  9.0
  Multiprocessors     132
  Highest clock       1980 MHz
  Memory              1.3 GB (1.2 GiB)
  Memory clock        3201 MHz
  Memory bus          6144 bits
  DRAM bandwidth      4916.7 GB/s (4579.1 GiB/s)
  L2 cache            62.9 MB (60.0 MiB)
  FP32 peak           66908.2 GFLOP/s
  FP64 peak           33454.1 GFLOP/s
  FP16 tensor peak    1070530.6 GFLOP/s
  Host link           PCIe 5 x16, 63.0 GB/s in each direction
  NVLink              18 links, 478.1 GB/s in each direction
  ECC                 on; costs nothing (HBM has bits of its own for it)
END
}

@test "ktime devices takes another device's attributes" {
	# A T4: GDDR6 of 256 bits.
	SIM_ATTRIBUTES=75=7,76=5,16=40,13=1590000,36=5001000,37=256,38=4194304 \
		SIM_NVML=pcie=3,lanes=8,nvlinks=0 run -0 devices
	[[ "$output" == *"Compute capability  7.5"* ]]
	[[ "$output" == *"DRAM bandwidth      320.1 GB/s (298.1 GiB/s)"* ]]
	[[ "$output" == *"FP32 peak           8140.8 GFLOP/s"* ]]
	[[ "$output" == *"FP64 peak           254.4 GFLOP/s"* ]]
	[[ "$output" == *"FP16 tensor peak    65126.4 GFLOP/s"* ]]
	[[ "$output" == *"Host link           PCIe 3 x8, 7.9 GB/s in each direction"* ]]
	[[ "$output" == *"NVLink              no active link"* ]]
	[[ "$output" == *"ECC                 on; costs 6 % of the memory and some 20 % of the bandwidth (GDDR)"* ]]
}

@test "ktime devices says what is unknown, and why" {
	SIM_ATTRIBUTES=75=13,76=0,38=-1,37=-1,32=-1 SIM_NO_NVML=9 run -0 devices
	[[ "$output" == *"Memory bus          unknown"* ]]
	[[ "$output" == *"DRAM bandwidth      unknown"* ]]
	[[ "$output" == *"L2 cache            unknown"* ]]
	[[ "$output" == *"FP32 peak           unknown: not in ktime's table"* ]]
	[[ "$output" == *"FP16 tensor peak    unknown: none, or not in ktime's table"* ]]
	[[ "$output" == *"Host link           unknown: NVML could not be initialised"* ]]
	[[ "$output" == *"NVLink              unknown: NVML could not be initialised"* ]]
	[[ "$output" == *"ECC                 unknown"* ]]
	mkdir lib
	ln -s "$built/sim/lib/libcuda.so.1" lib
	LD_LIBRARY_PATH=$PWD/lib run -0 "$ktime" devices
	[[ "$output" == *"Host link           unknown: libnvidia-ml.so.1 was not found"* ]]
}

@test "NVML says what the driver does not" {
	SIM_ATTRIBUTES=13=-1,36=0,37=-1 SIM_NVML=sm_mhz=1980,memory_mhz=3201,bus_bits=6144 run -0 devices
	[[ "$output" == *"Highest clock       1980 MHz"* ]]
	[[ "$output" == *"DRAM bandwidth      4916.7 GB/s (4579.1 GiB/s)"* ]]
	# The driver's own word comes first.
	SIM_NVML=sm_mhz=1,memory_mhz=1,bus_bits=1 run -0 devices
	[[ "$output" == *"DRAM bandwidth      4916.7 GB/s (4579.1 GiB/s)"* ]]
	# A coherent host link is not PCIe.
	SIM_ATTRIBUTES=100=1 SIM_NVML=pcie=5,lanes=16,c2c_links=10,c2c_mbps=45000 run -0 devices
	[[ "$output" == *"Host link           NVLink-C2C, 450.0 GB/s in each direction"* ]]
}

@test "ktime devices in CSV and JSON, of some devices" {
	SIM_DEVICES=3 run -0 devices --csv --devices 0,2
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[1]}" = ',,,,MHz,B,MHz,bit,GB/s,GiB/s,B,GFLOP/s,GFLOP/s,GFLOP/s,,GB/s,,GB/s,' ]
	[ "${lines[3]}" = '2,"Simulated GPU",9.0,132,1980,1342177280,3201,6144,4916.74,4579.07,6.29146e+07,66908.2,33454.1,1.07053e+06,"PCIe 5 x16",63.016,0,,"on; costs nothing (HBM has bits of its own for it)"' ]
	[ "$(awk -F, '{ print NF }' <<<"${lines[0]}")" -eq 19 ]
	SIM_DEVICES=3 run -0 devices --json --devices 1
	jq -e '.[0].ordinal == 1 and .[0].peaks.dram == 4916.736 and .[0].link == "PCIe 5 x16" and
		.[0].peaks.nvlink == null and .[0].ecc and .[0].compute_capability == 90' <<<"$output"
	run -0 devices --json --devices 7
	[ "$output" = "[]" ]
	run -0 devices --devices 7
	[ "$output" = "None of these devices is there." ]
}

@test "ktime devices without a driver or a device says so" {
	LD_LIBRARY_PATH=/nonexistent run -1 "$ktime" devices
	[[ "$output" == "ktime: no CUDA driver here: libcuda.so.1: "* ]]
	SIM_DEVICES=0 run -1 devices
	[ "$output" = "ktime: the CUDA driver says: no CUDA-capable device is detected (100)" ]
}

@test "--bandwidth: bytes and rates of copies and memsets beside the peak of what they go through" {
	KTIME_OPTIONS="--bandwidth --print-gpu-summary" same_as_alone "$programs/rates"
	is "Bytes GB/s Min Max Of peak Peak Name
5.6267MB 49.17 47.62 49.49 78.0% 63.02 PCIe 5 x16 [CUDA memcpy HtoD]
46.730MB 980.0 980.0 980.0 39.9% 4916.7 DRAM, read + write [CUDA memcpy DtoD]
93.460MB 1960.0 1960.0 1960.0 39.9% 4916.7 DRAM [CUDA memset]
Occupancy Waves Name
37.5-100% 2.500 first
$peaks" rates
	says "Timing: CUPTI; all 6 GPU operations timed."
}

@test "the same rates by events, their overhead taken off" {
	KTIME_OPTIONS="--bandwidth --print-gpu-summary --timer events" \
		same_as_alone "$programs/rates"
	rates | grep -qxF "46.730MB 980.0 980.0 980.0 39.9% 4916.7 DRAM, read + write [CUDA memcpy DtoD]" ||
		{ rates; false; }
}

@test "declared work: bandwidth, GFLOP/s, what bounds the kernel, and the user's own unit" {
	KTIME_OPTIONS="--print-gpu-summary --bytes 'saxpy=12/thread' --flops '^saxpy\\(int=2/thread'
		--work saxpy=20971520/launch\ elements --work 'saxpy=1/thread threads'" \
		same_as_alone "$built/workloads/saxpy"
	# 20 Mi threads in 82.92 us.
	is "Bytes GB/s Min Max Of peak Peak Name
160.00MB 20.00 20.00 20.00 31.7% 63.02 PCIe 5 x16 [CUDA memcpy HtoD]
80.000MB 20.00 20.00 20.00 31.7% 63.02 PCIe 5 x16 [CUDA memcpy DtoH]
GB/s Min Max Of peak GFLOP/s Of peak B/FLOP Bound Occupancy Waves Name
3035.0 3035.0 3035.0 61.7% 505.8 0.8% 6.000 memory 100% 77.58 saxpy(int, float, float*, float*)
10^9/s Min Max Unit Name
252.9 252.9 252.9 elements saxpy(int, float, float*, float*)
252.9 252.9 252.9 threads saxpy(int, float, float*, float*)
$peaks" rates
}

@test "each of several devices has rows and peaks of its own" {
	SIM_DEVICES=2 KTIME_OPTIONS="--bandwidth --print-gpu-summary" \
		same_as_alone "$programs/contexts" devices
	is "Bytes GB/s Min Max Of peak Peak Name
64B 0.0638 0.0638 0.0638 0.1% 63.02 PCIe 5 x16 [CUDA memcpy HtoD] (device 0)
64B 0.0638 0.0638 0.0638 0.1% 63.02 PCIe 5 x16 [CUDA memcpy HtoD] (device 1)
Occupancy Waves Name
50% (blocks) 2.37e-04 first (device 1)
50% (blocks) 2.37e-04 first (device 0)
$peaks
${peaks/device 0/device 1}" rates
}

@test "copies between devices go by NVLink, or by PCIe without it" {
	export SIM_DEVICES=2 KTIME_OPTIONS="--bandwidth --print-gpu-summary"
	same_as_alone "$programs/lives" peers_with_access
	rates | grep -qxF "16.000KB 4.016 4.016 4.016 6.4% 63.02 PCIe 5 x16 [CUDA memcpy PtoP]" ||
		{ rates; false; }
	SIM_NVML=pcie=5,lanes=16,nvlinks=18,nvlink_mbps=26562 same_as_alone "$programs/lives" peers_with_access
	rates | grep -qxF "16.000KB 4.016 4.016 4.016 0.8% 478.1 NVLink x18 [CUDA memcpy PtoP]" ||
		{ rates; false; }
	rates | grep -qxF "8.0000KB 4.080 4.080 4.080 fits L2 4916.7 DRAM, read + write [CUDA memcpy DtoD]" ||
		{ rates; false; }
}

@test "a kernel whose bytes fit L2 gets no percentage and no bound" {
	KTIME_OPTIONS="--bytes saxpy=12/thread --flops saxpy=2/thread" \
		same_as_alone "$built/workloads/saxpy" --n 1048576
	# 1 Mi threads of 12 bytes in 5096 ns.
	rates | grep -qxF "2469.2 2469.2 2469.2 fits L2 411.5 0.6% 6.000 - 100% 3.879 saxpy(int, float, float*, float*)" ||
		{ rates; false; }
	says "fits L2: what a call moves on average fits the L2 cache"
	KTIME_OPTIONS="--bytes saxpy=48/thread --flops saxpy=2/thread" \
		same_as_alone "$built/workloads/saxpy"
	rates | grep -qF " above DRAM 505.8 0.8% 24.00 - " || { rates; false; }
	says "above DRAM: more than DRAM can move"
}

@test "a declaration that matches no kernel is said" {
	KTIME_OPTIONS="--bytes saxpy=12/thread --bytes 'spmv=8/thread' --work 'nbody=1M/launch interactions'" \
		same_as_alone "$built/workloads/saxpy"
	says "Warning: --bytes 'spmv=8/thread' matches no kernel's full name"
	says "Warning: --work 'nbody=1M/launch interactions' matches no kernel's full name"
	[ "$(report | grep -c '^Warning:')" -eq 2 ]
}

@test "malformed declarations are refused before the program runs" {
	refused "option --bytes: 'saxpy': expected REGEX=NUMBER/thread or REGEX=NUMBER/launch" --bytes saxpy
	refused "option --bytes: 'saxpy=12': /thread or /launch must follow the number (K, M, G, T, Ki … may stand between)" \
		--bytes saxpy=12
	refused "option --flops: 'saxpy=two/thread': a number above 0 must follow the =" --flops saxpy=two/thread
	refused "option --work: 'saxpy=1/launch': say behind it what is counted, as in 1M/launch updates" \
		--work saxpy=1/launch
	refused "option --bytes: none: No such file or directory" --bytes @none
	printf 'saxpy=12/thread\nspmv=8\n' >work
	refused "option --bytes: work, line 2: 'spmv=8': /thread or /launch must follow the number (K, M, G, T, Ki … may stand between)" \
		--bytes @work
	# In a program's environment the run goes on without options.
	KTIME_OPTIONS="--bytes saxpy=12" run -0 --separate-stderr under_ktime "$built/workloads/saxpy"
	says "KTIME_OPTIONS: option --bytes: 'saxpy=12': /thread"
	says "Profiling result:"
}

@test "declarations come from a file too, wherever the program goes" {
	printf '# of saxpy\nsaxpy=12/thread\n' >bytes
	echo 'saxpy=2/thread' >flops
	cat >go <<END
#!/bin/sh
cd / && exec "$built/sim/workloads/saxpy"
END
	chmod +x go
	run -0 --separate-stderr "$root/tests/sim/run" "$ktime" --bytes @bytes --flops=@flops \
		--profile-child-processes ./go
	rates | grep -qF "3035.0 3035.0 3035.0 61.7% 505.8 0.8% 6.000 memory " || { report; false; }
}

@test "a kept profile shows its rates elsewhere" {
	KTIME_OPTIONS="--bandwidth -o session" run -0 --separate-stderr under_ktime "$built/workloads/saxpy"
	SIM_NVML= run -0 --separate-stderr "$ktime" show --bytes saxpy=12/thread --print-gpu-summary session
	stderr=$output
	rates | grep -qF "80.000MB 20.00 20.00 20.00 31.7% 63.02 PCIe 5 x16 " || { report; false; }
	rates | grep -qF "3035.0 3035.0 3035.0 61.7% " || { report; false; }
	# Of a run without --bandwidth the links are not known: NVML is loaded for it alone.
	KTIME_OPTIONS="-f -o session" run -0 --separate-stderr under_ktime "$built/workloads/saxpy"
	run -0 "$ktime" show --bandwidth --print-gpu-summary session
	stderr=$output
	rates | grep -qF "80.000MB 20.00 20.00 20.00 peak unknown - unknown " || { report; false; }
	says "a profile made without --bandwidth has no links."
}

@test "rates in CSV" {
	KTIME_OPTIONS="--csv --quiet --print-gpu-summary --bytes saxpy=12/thread
		--flops 'saxpy=2/thread fp64' --work 'saxpy=1/thread elements'" \
		same_as_alone "$built/workloads/saxpy"
	report | sed -n '/^"Device"/,$p' >rates.csv
	[ "$(wc -l <rates.csv)" -eq 5 ]
	[ "$(awk -F, 'NR < 3 { print NF }' rates.csv | uniq)" -eq 25 ]
	is '0,83886080,19.9952,19.9952,19.9952,31.7304,63.016,"PCIe 5 x16","",,,,,,,"",,,"",,,,,"","[CUDA memcpy DtoH]"
0,,3034.95,3034.95,3034.95,61.727,4916.74,"DRAM","",505.825,505.825,505.825,1.512,6,0.14697,"memory",100,100,"",77.5758,252.913,252.913,252.913,"elements","saxpy(int, float, float*, float*)"' \
		tail -2 rates.csv
}

@test "rates in JSON" {
	KTIME_OPTIONS="--bandwidth -o session" run -0 --separate-stderr under_ktime "$programs/rates"
	"$ktime" export --json out.json --bytes 'first=100M/launch' --work 'first=7/launch steps' session
	jq -e '.devices[0].peaks.host_link == 63.016' out.json
	jq -e '.rows[] | select(.name == "[CUDA memcpy DtoD]").rates |
		.bandwidth.average == 980 and .peak_of == "DRAM, read + write" and (.percent | round) == 40' out.json
	jq -e '.rows[] | select(.name == "first").rates | .remark == "above DRAM" and
		.occupancy.least == 0.375 and .occupancy.most == 1 and .occupancy.waves == 2.5 and
		.work[0].unit == "steps" and (.bandwidth.average | round) == 27473' out.json
	jq -e '[.rows[] | select(.kind == "runtime") | has("rates")] | any | not' out.json
}

@test "attributes and links that cannot be had cost the report nothing else" {
	SIM_FAULT='cuDeviceGetAttribute:*:1' SIM_NO_NVML=9 KTIME_OPTIONS="--bandwidth --print-gpu-summary" \
		run -0 --separate-stderr under_ktime "$programs/rates"
	is "Bytes GB/s Min Max Of peak Peak Name
5.6267MB 49.17 47.62 49.49 peak unknown - unknown [CUDA memcpy HtoD]
46.730MB 980.0 980.0 980.0 peak unknown - DRAM, read + write [CUDA memcpy DtoD]
93.460MB 1960.0 1960.0 1960.0 peak unknown - DRAM [CUDA memset]
Occupancy Waves Name
- - first
Peaks of device 0: DRAM - GB/s, L2 0B, host link unknown, FP32 - GFLOP/s, FP64 - GFLOP/s.
peak unknown: \`ktime devices\` says what is known; a profile made without --bandwidth has no links." rates
	says "The devices' PCIe and NVLink speeds are not known, so copies are not compared with them: NVML could not be initialised."
}

@test "without CUPTI the work of a thread is not known, and that is said" {
	KTIME_OPTIONS="--timer events --bytes saxpy=12/thread --flops saxpy=41943040/launch" \
		same_as_alone "$built/workloads/saxpy"
	rates | grep -qF -- "- - - threads unknown 505.8 0.8% - - - - saxpy" || { rates; false; }
	says "threads unknown: only CUPTI tells how many a launch has"
}
