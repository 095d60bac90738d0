#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Says in one line which distribution packages are missing, with the command that installs them; with
# "install" runs that command where root or a passwordless sudo allows it.
# Usage: packages.sh name|install build|check|browser|wheel|jobs
set -euo pipefail
: "${CC:=gcc}" "${CXX:=g++}"

usage()
{
	echo "usage: $0 name|install build|check|browser|wheel|jobs" >&2
	exit 2
}

# Each line: the package on Debian and Ubuntu, and a command, a header or a path that comes with it.
build="
	gcc            $CC
	g++            $CXX
	uthash-dev     uthash.h
	libiberty-dev  libiberty/demangle.h
	libsqlite3-dev sqlite3.h
	zlib1g-dev     zlib.h
	libncurses-dev curses.h"
check="$build
	libcmocka-dev  cmocka.h
	libcjson-dev   cjson/cJSON.h
	bats           bats
	clang          clang
	clang-format   clang-format
	jq             jq
	tmux           tmux
	protobuf-compiler protoc
	python3        python3
	python3-jsonschema /usr/lib/python3/dist-packages/jsonschema"
browser="
	chromium       chromium
	fontconfig     fc-list
	fonts-liberation /usr/share/fonts/truetype/liberation"
wheel="
	python3-venv   /usr/share/doc/python3-venv
	python3-wheel  /usr/lib/python3/dist-packages/wheel
	python3-pip    /usr/lib/python3/dist-packages/pip"
jobs="$check
	openmpi-bin    mpirun.openmpi
	mpich          mpirun.mpich
	munge          munged
	slurm-wlm      srun
	prometheus     prometheus
	prometheus-node-exporter prometheus-node-exporter
	curl           curl"

is_there()
{
	case "$1" in
	/*) [ -e "$1" ] ;;
	*.h) [ -e "/usr/include/$1" ] || $CC -E -x c -o /dev/null - 2>/dev/null <<<"#include <$1>" ;;
	*) command -v "${1%% *}" >/dev/null ;;
	esac
}

[ $# -eq 2 ] || usage
case "$1" in name | install) action=$1 ;; *) usage ;; esac
case "$2" in build) wanted=$build ;; check) wanted=$check ;; browser) wanted=$browser ;; wheel) wanted=$wheel ;; jobs) wanted=$jobs ;; *) usage ;; esac

missing=()
while read -r package evidence; do
	[ -z "$package" ] || is_there "$evidence" || missing+=("$package")
done <<<"$wanted"
[ ${#missing[@]} -gt 0 ] || exit 0

install=(apt-get install --no-install-recommends -y "${missing[@]}")
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if [ "$action" = install ] && command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null; then
	echo "ktime: installing ${missing[*]}" >&2
	export DEBIAN_FRONTEND=noninteractive
	"${as_root[@]}" apt-get update -qq >/dev/null || true
	"${as_root[@]}" "${install[@]}" -qq >/dev/null && exit
fi
echo "ktime: not installed: ${missing[*]}; on Debian and Ubuntu: sudo apt-get install ${missing[*]}" >&2
exit 1
