#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the distribution packages that a step needs, where root or a passwordless sudo allows
# it; otherwise names them in one line. Usage: packages.sh build|check
set -euo pipefail

# package, and a file that is there once it is installed
build="gcc:/usr/bin/gcc g++:/usr/bin/g++ uthash-dev:/usr/include/uthash.h
libiberty-dev:/usr/include/libiberty/demangle.h libsqlite3-dev:/usr/include/sqlite3.h
libcjson-dev:/usr/include/cjson/cJSON.h"
check="$build libcmocka-dev:/usr/include/cmocka.h bats:/usr/bin/bats clang:/usr/bin/clang
clang-format:/usr/bin/clang-format jq:/usr/bin/jq"

case "${1:-}" in
build) wanted=$build ;;
check) wanted=$check ;;
*) echo "usage: $0 build|check" >&2; exit 2 ;;
esac

missing=()
for entry in $wanted; do
	[ -e "${entry#*:}" ] || missing+=("${entry%%:*}")
done
[ ${#missing[@]} -gt 0 ] || exit 0

run=()
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		run=(sudo -n)
	else
		run=(false)
	fi
fi
if [ "${run[*]-}" != false ] && command -v apt-get >/dev/null; then
	echo "ktime: installing ${missing[*]}" >&2
	export DEBIAN_FRONTEND=noninteractive
	"${run[@]}" apt-get update -qq >/dev/null || true
	if "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
		exit 0
	fi
fi
echo "ktime: these packages are needed: ${missing[*]} (Debian, Ubuntu: apt-get install ${missing[*]})" >&2
exit 1
