#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fails, naming them, on symbols that a file takes from a glibc newer than 2.28: that of RHEL 8, which
# would not load it. Usage: glibc.sh FILE
set -euo pipefail
newest=2.28

symbols=$(objdump -T "$1" | sed -n 's/.*[( ]GLIBC_\([0-9.]*\))\{0,1\} *\([^ ]*\)$/\1 \2/p')
[ -n "$symbols" ] || { echo "$1: no symbol of glibc is found in it"; exit 1; }
status=0
while read -r version symbol; do
	if [ "$(printf '%s\n' "$newest" "$version" | sort -V | tail -n 1)" != "$newest" ]; then
		echo "$1: $symbol is of glibc $version: add it to preload/base/old_glibc.S"
		status=1
	fi
done <<<"$symbols"
exit $status
