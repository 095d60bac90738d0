#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The metrics for Prometheus: the file of --prometheus, and ktime prometheus.
load helper
load served

teardown()
{
	end_served
	rm -f run/ktime.*
}

# metered OPTIONS: serves with the metrics written often.
metered()
{
	KTIME_OPTIONS="--prometheus $PWD/app.prom --prometheus-interval 0.02 $*" serve
	metrics=app.$program.prom
}

# written: until what was ordered so far is in the file.
written()
{
	order settle
	wait_until 60 "the metrics file" test -s "$metrics"
	# The one that is being written now may be older than the order.
	for i in 1 2; do
		local inode
		inode=$(stat -c %i "$metrics")
		wait_until 60 "a new metrics file" eval '[ "$(stat -c %i "$metrics")" != "$inode" ]'
	done
}

# series NAME [FILE]: its series without the process's own labels, "LABELS VALUE".
series()
{
	sed -n "s/^$1{pid=\"$program\",command=\"served\",node=\"$(uname -n)\",\{0,1\}\(.*\)} /\1 /p" "${2:-$metrics}"
}

valid()
{
	if command -v promtool >/dev/null; then
		promtool check metrics <"$1"
	fi
	# One HELP and TYPE a metric, before its series, which stand together; no time stamp.
	awk '/^# HELP / { if (seen[$3]++) exit 1; next }
		/^# TYPE / { name = $3; next }
		{ series = $1; sub(/\{.*/, "", series); sub(/_(bucket|sum|count)$/, "", series)
		  if (index(name, series) != 1) exit 1
		  line = $0; sub(/^[^{]*\{.*\} /, "", line); if (line !~ /^[0-9.e+-]+$/) exit 1
		  if (again[substr($0, 1, length($0) - length(line))]++) exit 1 }' "$1"
}

@test "the metrics tell calls, seconds and bytes exactly" {
	export SIM_KERNEL_NS=first=1000,second=3000000
	metered
	order first 5
	order second 2
	order copy 1000
	written
	cp "$metrics" seen
	valid seen
	is $'device="0",kernel="second" 2\ndevice="0",kernel="first" 5' series ktime_kernel_calls_total seen
	is $'device="0",kernel="second" 0.006\ndevice="0",kernel="first" 5e-06' series ktime_kernel_seconds_total seen
	is 'device="0",operation="HtoD" 1000' series ktime_copy_bytes_total seen
	is 'device="0" 7' series ktime_kernel_duration_seconds_count seen
	is 'device="0" 0.006005' series ktime_kernel_duration_seconds_sum seen
	# 5 of 1 us, 2 of 3 ms.
	is $'1.024e-06 5\n4.096e-06 5\n0.001048576 5\n0.004194304 7\n+Inf 7' eval \
		"series ktime_kernel_duration_seconds_bucket seen | sed 's/.*le=\"//; s/\"//' | grep -E '^(1.02|4.09|0.00[14]|.Inf)'"
	is ' 8' series ktime_operations_total seen
	[ "$(stat -c %a "$metrics")" = 644 ]
	dismiss
	[ -z "$(find . -name '*.prom*')" ]
}

@test "the metrics tell what the program holds of memory, and held at most, exactly" {
	metered
	order keep 4096
	order copy 1000
	order copy 2000
	written
	cp "$metrics" seen
	valid seen
	is $'device="0",kind="device" 4096\nkind="pinned" 0' eval "series ktime_memory_bytes seen | sort"
	is $'device="0",kind="device" 6096\ndevice="0",kind="total" 6096\nkind="pinned" 2000' \
		eval "series ktime_memory_peak_bytes seen | sort"
	is $'device="0",kind="device" 3\nkind="pinned" 2' eval "series ktime_memory_allocations_total seen | sort"
	dismiss
	grep -q 'Memory: at most 6.0 KB on device 0 .*; 1 of 5 allocations held at exit, 4.0 KB' report
}

@test "no counter becomes smaller, with both clocks and by events" {
	for timer in both events; do
		rm -f orders answers
		metered --timer $timer
		for i in {1..5}; do
			order first 300
			order second 20
			written
			grep -E '_(total|bucket|sum|count)\{' "$metrics" | sort >now
			[ ! -s before ] || join -j 1 <(sed 's/ \([^ ]*\)$/\t\1/; s/ /_/g' before | sort) \
				<(sed 's/ \([^ ]*\)$/\t\1/; s/ /_/g' now | sort) | awk '$3 + 0 < $2 + 0 { print; bad = 1 } END { exit bad }'
			mv now before
		done
		rm before
		dismiss
	done
}

# one SERIES: the value of a series of the file "seen", by its name and labels.
one()
{
	sed -n "s/^$1 //p" seen
}

@test "by events the sum of the durations is of all calls that the buckets tell of" {
	export SIM_KERNEL_NS=first=1000,second=3000000
	metered --timer events --events 1/10
	order first 1000
	order second 100
	written
	cp "$metrics" seen
	valid seen
	dismiss
	# 1 us and 3 ms, and what an event pair holds more, until that is known: 2.4 us.
	awk -v sum="$(one 'ktime_kernel_duration_seconds_sum{.*}')" -v count="$(one 'ktime_kernel_duration_seconds_count{.*}')" \
		-v short="$(one 'ktime_kernel_duration_seconds_bucket{.*le="1.6384e-05"}')" 'BEGIN {
			times = short * 1e-6 + (count - short) * 3e-3
			print sum, count, short, times
			exit !(short > 300 && count > short && sum > times - 1e-9 && sum < times + count * 2.4e-6 + 1e-9) }'
}

@test "kernels beyond the limit are one kernel: other" {
	export SIM_KERNEL_NS=first=1000,second=3000
	metered --prometheus-kernels 1
	order second 2
	written
	is 'device="0",kernel="second" 2' series ktime_kernel_calls_total
	# It takes longer than the other by now, and stays where it is.
	order first 100
	written
	is $'device="0",kernel="second" 2\ndevice="0",kernel="other" 100' series ktime_kernel_calls_total
	is $'device="0",kernel="second" 6e-06\ndevice="0",kernel="other" 0.0001' series ktime_kernel_seconds_total
	dismiss
}

@test "the labels tell the pod and its node, from the environment" {
	export TORCHELASTIC_RUN_ID=1 RANK=3 WORLD_SIZE=8 POD_NAME='the "pod"' POD_NAMESPACE=science NODE_NAME=gpu7
	metered
	written
	grep -qF "ktime_run_seconds_total{pid=\"$program\",rank=\"3\",command=\"served\",node=\"gpu7\",pod=\"the \\\"pod\\\"\",namespace=\"science\"} " "$metrics"
	"$ktime" prometheus "$program" >once
	grep -qF "{pid=\"$program\",rank=\"3\",command=\"served\",node=\"gpu7\",pod=\"the \\\"pod\\\"\",namespace=\"science\"} " once
	valid once
	dismiss
}

@test "a process that is killed leaves no metrics under ktime" {
	run -137 --separate-stderr "$ktime" --prometheus app.prom --prometheus-interval 0.01 "$root/tests/sim/run" "$programs/endings" SIGKILL
	[ -z "$(find . -name '*.prom')" ]
	rm -f run/ktime.*
}

@test "metrics that cannot be written are named in the report, and the program runs" {
	KTIME_OPTIONS="--prometheus $PWD/none/app.prom" serve
	order first 3
	dismiss
	grep -q "prometheus $PWD/none/app.[0-9]*.prom: No such file or directory; no metrics are written." report
	grep -q ' 3 .* first$' report
}

@test "ktime prometheus writes several programs as one" {
	serve
	order first 2
	order settle
	one=$program
	exec 7>&5 8<&6
	mkdir second
	cd second
	serve
	order first 3
	order settle
	"$ktime" prometheus >both
	valid both
	[ "$(grep -c '^ktime_kernel_calls_total{' both)" -eq 2 ]
	[ "$(grep -c '^# HELP ktime_kernel_calls_total ' both)" -eq 1 ]
	dismiss
	exec 7>&- 8<&-
	wait "$one"
}

@test "copies of a running program's profile are no programs of their own" {
	serve
	order first 5
	cp "run/ktime.$program" run/ktime.99999
	cp "run/ktime.$program" "run/ktime.$program.2"
	"$ktime" prometheus >seen
	valid seen
	is 1 grep -c '^ktime_info{' seen
	is 1 eval '"$ktime" top -b -n 1 | grep -c " $program "'
	is 1 eval '"$ktime" list | grep "ktime.99999 " | grep -c " unknown "'
	dismiss
}
