#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# BUILD/ktime-VERSION-py3-none-manylinux_2_28_MACHINE.whl of the portable build: a Python package that is
# the command and the library. The same input gives the same file.
# Usage: wheel.sh BUILD VERSION PYTHON    PYTHON has the package "wheel"
set -euo pipefail
build=$(realpath "$1") version=$2 python=$3
folder=$build/wheel/ktime-$version
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800} # the oldest that a zip file can have

case $(LC_ALL=C readelf -h "$build/portable/ktime") in
*X86-64*) machine=x86_64 ;;
*AArch64*) machine=aarch64 ;;
*) echo "ktime: $build/portable/ktime is for neither x86-64 nor aarch64" >&2; exit 1 ;;
esac
tag=py3-none-manylinux_2_28_$machine

rm -rf "$build/wheel"
install -D -m 644 -t "$folder/ktime" packaging/python/ktime/*.py
install -m 755 -t "$folder/ktime" "$build/portable/ktime" "$build/portable/libktime.so"
share=$folder/ktime-$version.data/data/share
install -D -m 644 report/command/ktime.1 "$share/man/man1/ktime.1"
install -D -m 644 report/command/completion.bash "$share/bash-completion/completions/ktime"
install -D -m 644 report/command/completion.zsh "$share/zsh/site-functions/_ktime"
install -D -m 644 report/command/completion.fish "$share/fish/vendor_completions.d/ktime.fish"
information=$folder/ktime-$version.dist-info
install -D -m 644 LICENSE "$information/LICENSE"
{
	sed "s/@VERSION@/$version/" packaging/python/METADATA
	cat README.md
} >"$information/METADATA"
printf 'Wheel-Version: 1.0\nGenerator: ktime %s\nRoot-Is-Purelib: false\nTag: %s\n' "$version" "$tag" >"$information/WHEEL"
printf '[console_scripts]\nktime = ktime:main\n' >"$information/entry_points.txt"
"$python" -m wheel pack --dest-dir "$build" "$folder" >/dev/null
ls "$build/ktime-$version-$tag.whl"
