#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every driver entry that works the device, by whatever way a program finds it: one operation each,
# under its name and direction, with its bytes, in its stream. The program prints what it did:
# symbol, what it does, bytes, result.
load helper

drive()
{
	export KTIME_OPTIONS="-o session --events all"
	SIM_LOG=log run --separate-stderr under_ktime "$built/sim/programs/entries" "$1"
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" >calls
	alone "$built/sim/programs/entries" "$1" | diff - calls
	[ -z "$(awk '$4 != 0' calls)" ]
}

# "DIRECTION CALLS BYTES" by the program, and by the table. Its peer copies stay on one device.
driven()
{
	sed 's/ PtoP / DtoD /' calls | awk '$2 !~ /^(host|none)$/ && $1 !~ /StreamWait/ { calls[$2]++; bytes[$2] += $3 }
		END { for (kind in calls) print kind, calls[kind], bytes[kind] }' | sort
}

counted()
{
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.seen_by_hooks > 0) |
		select(.kind | IN("runtime", "driver", "overhead") | not) |
		"\(.kind) \(.seen_by_hooks) \(.bytes.total // 0) \(.name)"' | awk '
		$1 == "memcpy" { $1 = substr($6, 1, 4) }
		$1 == "other" { $1 = "stream-memory" }
		{ calls[$1] += $2; bytes[$1] += $3 }
		END { for (kind in calls) print kind, calls[kind], bytes[kind] }' | sort
}

# "CALLS NAME": a symbol is a form of the entry that cuGetProcAddress knows by this name.
named()
{
	entries | sed -n 's/ [0-9]* [a-z_]*$//p' | awk 'FNR == NR { name[$1] = $2; next } { calls[name[$1]]++ }
			END { for (n in calls) print calls[n], n }' - calls | sort -k2
}

api_rows()
{
	"$built/ktime" export --json - session | jq -r '.rows[] | select(.kind == "driver") |
		"\(.seen_by_hooks) \(.name)"' | sort -k2
}

# Each call of the program's thread that lacks, right before or after it in the driver's log, a record of ktime's
# in the same stream.
out_of_place()
{
	awk 'FNR == NR { if ($2 !~ /^(host|none)$/ && $1 !~ /StreamWait/) timed[$1] = 1; next }
		FNR == 1 { program = $1 }
		$1 != program { next }
		$2 == "cuEventRecord" { if (call != "" && $3 != stream) print call, stream, $3
			call = ""; record = $3 }
		$2 in timed { if (record != $3) print $2, $3, "after", record
			call = $2; stream = $3; record = "" }' calls log
}

check_way()
{
	drive "$1"
	is "$(driven)" counted
	is "$(named)" api_rows
	# A kernel's first launch is left to CUPTI.
	is cuLaunchKernel eval 'out_of_place | cut -d" " -f1'
	is 0 counter unmatched_records
	is 0 counter driver_errors
}

@test "every entry that dlsym finds is one operation, in its stream, with its bytes" {
	check_way dlsym
}

@test "every entry that cuGetProcAddress gives is one operation, in its stream, with its bytes" {
	check_way procedure
}

@test "every entry that the linker binds is one operation, in its stream, with its bytes" {
	check_way linked
}

# "SYMBOL NAME VERSION FLAVOUR", from the installed toolkit's headers and from ktime's table.
toolkit()
{
	sed -n 's/^ENTRY[A-Z_]*(\([^,]*\), \([0-9]*\), \([01]\), \([^)]*\))$/\4 \1 \2 \3/p' \
		"$built/sim/include/sim_versions.h" | sort
}

table()
{
	entries | sed -n 's/legacy$/0/p; s/per_thread$/1/p' | sort
}

@test "the table has every entry of the installed toolkit that works the device" {
	local work='^cu(Memcpy|Memset|Launch|GraphLaunch|GraphUpload|MemPrefetch|MemDiscard'
	work+='|MemBatchDecompress|StreamWaitValue|StreamWriteValue|StreamBatchMemOp)'
	[ "$(toolkit | wc -l)" -gt 500 ]
	[ -z "$(comm -23 <(toolkit | grep -E "$work") <(table))" ]
}

@test "the table has each entry's version and default stream as the installed toolkit does" {
	local symbols
	symbols=$(toolkit | cut -d' ' -f1)
	# An older toolkit does not have them all.
	[ -z "$(comm -13 <(toolkit) <(table | grep -wFf <(printf '%s\n' "$symbols")))" ]
}
