#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# BUILD/ktime-VERSION.tar.gz of the portable build: bin/ktime finds lib/libktime.so wherever the
# folder lies. The same input gives the same archive.
# Usage: tarball.sh BUILD VERSION
set -euo pipefail
shopt -s nullglob
build=$(realpath "$1") name=ktime-$2
folder=$build/tarball/$name

rm -rf "$build/tarball"
packaging/install.sh install "$build/portable" "" "$folder" >/dev/null
install -D -m 644 -t "$folder" README.md LICENSE CHANGELOG.md
install -D -m 644 -t "$folder/docs" docs/*.{md,yml,json}
install -D -m 644 -t "$folder/docs/internals" docs/internals/*.md
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
	-C "$build/tarball" -cf - "$name" | gzip -n >"$build/$name.tar.gz"
echo "$build/$name.tar.gz"
