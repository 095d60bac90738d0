#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers.sh FOLDER [VERSION…] -- FLAG…: parses what includes CUDA's headers with those of each version, which come from
# PyPI and are kept in FOLDER. Prints a line a version; ends with status 1 if one has an error or a warning.
# VERSION: that of the wheel of CUPTI, and with "=" that of the runtime's if it is another.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
: "${CC:=gcc}" "${TOOLKIT:?the include folder of the installed toolkit}"
folder=$(mkdir -p "$1" && realpath "$1") || exit
shift
versions=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	versions+=("$1")
	shift
done
shift
[ ${#versions[@]} -gt 0 ] || versions=(12.0.146 12.4.127 12.6.80=12.6.77 12.8.90 12.9.79 13.0.85=13.0.96 13.1.115=13.1.80 13.2.86 \
	13.3.75=13.3.29 13.4.92)

# wheel NAME VERSION: its headers, in a folder of their own.
wheel()
{
	local package=$1 place=$folder/$1-$2
	[ "${2%%.*}" -ge 13 ] || package+=-cu${2%%.*}
	if [ ! -d "$place" ]; then
		timeout 120 python3 -m pip download --quiet --no-deps --only-binary=:all: --implementation py --abi none \
			--platform manylinux1_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
			--platform manylinux_2_25_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 \
			--dest "$place.wheel" "$package==$2" >&2 &&
			python3 -m zipfile -e "$place.wheel"/*.whl "$place" && rm -r "$place.wheel" || return
	fi
	find "$place" -type d -name include -printf '-isystem %p '
}

failed=0
for version in "${versions[@]}"; do
	includes=$(wheel nvidia-cuda-cupti "${version%=*}") && includes+=$(wheel nvidia-cuda-runtime "${version#*=}") ||
		{ echo "$version: its wheels cannot be had"; failed=1; continue; }
	# What is in neither wheel (cudaProfiler.h, the compiler's own) comes from the installed toolkit.
	# shellcheck disable=SC2086 # lists
	if printf '%s\0' preload/*/*.c cupti/*.c cupti/*/*.c |
		xargs -0 -P "$(nproc)" -n 8 $CC -fsyntax-only -Werror $includes "$@" -DKTIME_VERSION='""' \
			-idirafter "$TOOLKIT"; then
		echo "$version: ok"
	else
		echo "$version: FAILED"
		failed=1
	fi
done
exit $failed
