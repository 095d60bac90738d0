# SPDX-License-Identifier: MIT
# For the tests that run programs under ktime on the simulated device.
bats_require_minimum_version 1.5.0
load ../waits

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
built=$root/${BUILD:-build}
programs=$built/sim/preload

setup()
{
	folder_of_its_own
}

folder_of_its_own()
{
	cd "$BATS_TEST_TMPDIR"
	# Where session files go.
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
	mkdir "$XDG_RUNTIME_DIR"
	unset LD_PRELOAD
	# Most tests look at lines that are not there by default.
	export KTIME_OPTIONS=--verbose
}

# A program that ended leaves no session file that was not asked for.
teardown()
{
	local left=("$BATS_TEST_TMPDIR"/run/*)
	[ ! -e "${left[0]}" ] || { echo "left: ${left[*]}"; false; }
}

# For what no sanitizer's runtime allows, and what is measured of the library.
not_under_sanitizers()
{
	[ -z "${SANITIZE-}" ] || skip "under a sanitizer: $1"
}

alone()
{
	"$root/tests/sim/run" "$@"
}

# Without gates unless KTIME_GATE is auto: the simulated device does its work on the CPU, inside the
# launch, which on a busy machine can take so long that the reporter opens the gate.
under_ktime()
{
	KTIME_OPTIONS="--verbose --gate ${KTIME_GATE:-off} ${KTIME_OPTIONS-}" \
		LD_PRELOAD=$built/libktime.so "$root/tests/sim/run" "$@"
}

# in_background COMMAND…: a program that says "ready" and then waits for a line, as $program; until it is
# there. What it prints goes to the files out and err.
in_background()
{
	mkfifo in
	exec 5<>in
	"$@" <in >out 2>err 3>&- 5>&- &
	program=$!
	wait_until 60 "ready from $*" grep -qs ready out
}

# Lets that program end.
go_on()
{
	echo >&5
	exec 5>&-
	wait "$program"
}

by_own_events='^(Kernel time by events|Effective bandwidth|Throughput)'

# Runs a program with and without ktime: the same status and standard output, but for times that the
# program takes by events of its own, as ktime's lie between them. What it said under ktime is in
# $output and $stderr.
same_as_alone()
{
	run_alone "$@"
	as_alone "$@"
}

# Its first half, for several of the second.
run_alone()
{
	run --separate-stderr alone "$@"
	alone_status=$status
	printf '%s\n' "$output" >alone.out
}

as_alone()
{
	run --separate-stderr under_ktime "$@"
	printf '%s\n' "$output" >ktime.out
	[ "$status" -eq "$alone_status" ] || { echo "$status, alone $alone_status"; return 1; }
	diff <(grep -vE "$by_own_events" alone.out) <(grep -vE "$by_own_events" ktime.out)
}

# The report in $stderr, or in a file, without the process's number.
report()
{
	if [ $# -gt 0 ]; then cat "$1"; else printf '%s\n' "$stderr"; fi | sed 's/^==[0-9]*== //'
}

# "TIME CALLS AVG MIN MAX NAME" of the GPU rows.
gpu_rows()
{
	report "$@" | awk '/^ *API calls:/ { exit } sub(/^ GPU activities: /, "") { on = 1 }
		/^[A-Z=]/ { on = 0 } on { sub(/≤/, ""); sub(/s +([0-9.]+%|[?]) +/, "s "); $1 = ""; print substr($0, 2) }'
}

# "CALLS NAME" of the API rows, sorted by name.
api_calls()
{
	report "$@" | awk 'sub(/^ *API calls: /, "") { on = 1 } /^[A-Z=]/ { on = 0 }
		on { print $3, $7 }' | sort -k2
}

# The lines below the table.
remarks()
{
	report "$@" | sed -n '/^Timing: /,$p'
}

# is EXPECTED COMMAND…: what the command prints.
is()
{
	local expected=$1
	shift
	diff <(printf '%s\n' "$expected") <("$@")
}

# says TEXT: the report has a line with it.
says()
{
	report | grep -qF -- "$1" || { report; return 1; }
}

reports()
{
	report | grep -c '^Profiling result:'
}

# The rows of a session: "KIND NAME CALLS FAILED BYTES", GPU and API.
session_rows()
{
	"$built/ktime" export --json - "${1:-session}" |
		jq -r '.rows[] | [.kind, .name, .calls, .failed, .bytes.total // 0] | @tsv'
}

counter()
{
	"$built/ktime" export --json - "${2:-session}" | jq ".counters.$1"
}

# refused EXPECTED OPTION…: the command says that and ends with 2 before the program runs.
refused()
{
	local expected=$1
	shift
	run --separate-stderr "$built/ktime" "$@" true
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktime: $expected" ] || { echo "$stderr"; return 1; }
}

# growth PROGRAM FEW MANY: by how many KiB the memory, which the program prints, is higher with
# MANY of what it makes than with FEW. The session is that of MANY.
growth()
{
	local count peak few=
	for count in "$2" "$3"; do
		peak=$(under_ktime "$programs/$1" "$count" 2>/dev/null) || return
		few=${few:-$peak}
	done
	echo $((peak - few))
}

# x_macro NAME FILE: the first arguments in a list of the kind "#define NAME(X) X(one, …) X(two, …)".
x_macro()
{
	sed -n "/^#define $1(X)/,/[^\\\\]\$/p" "$2" | sed -n 's/^\tX(\([A-Za-z0-9_]*\),.*/\1/p'
}

# "SYMBOL NAME VERSION STREAM" of each entry that ktime wraps; those that work no device have no version and stream.
entries()
{
	printf '%s\n' '#define ENTRY(symbol, name, signature, version, stream) symbol name version stream;' \
		'#define STATE(symbol, name, ...) symbol name;' '#include "preload/driver/entries.def"' \
		'#include "preload/driver/states.def"' | cpp -P -I"$root" | tr ';' '\n' |
		sed 's/^ *//; /^$/d'
}
