#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian packages libktime (the library that programs preload) and ktime (the command), from what
# make has built, into BUILD/deb. COMMAND is linked with this system's libraries, and like the library
# needs no glibc newer than 2.28.
# Usage: deb.sh BUILD VERSION COMMAND
set -euo pipefail
shopt -s nullglob
build=$(realpath "$1") version=$2 built_command=$3
maintainer="${DEBFULLNAME:-The ktime authors} <${DEBEMAIL:-ktime@users.noreply.example.org}>"
date=$(date -R -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}")
out=$build/deb

rm -rf "$out"
mkdir -p "$out"
for tool in dpkg-deb dpkg-shlibdeps; do
	command -v "$tool" >/dev/null || { echo "ktime: no $tool: sudo apt-get install dpkg-dev" >&2; exit 1; }
done
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH) architecture=$(dpkg-architecture -qDEB_HOST_ARCH)

# documents PACKAGE: what Debian wants of each package in /usr/share/doc.
documents()
{
	local folder=$out/$1/usr/share/doc/$1
	install -d "$folder"
	{
		echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
		echo "Upstream-Name: ktime"
		echo
		echo "Files: *"
		sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
		echo "License: MIT"
		sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /'
	} >"$folder/copyright"
	printf 'ktime (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md in the sources.\n\n -- %s  %s\n' \
		"$version" "$maintainer" "$date" | gzip -9n >"$folder/changelog.gz"
	chmod 644 "$folder"/*
}

# needs FILE: the packages that have the libraries that it is linked to. Of glibc what its symbols need:
# dpkg-shlibdeps takes those that 2.34 moved into libc for new there.
needs()
{
	local glibc
	glibc=$(objdump -T "$1" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
	mkdir -p "$out/source/debian"
	printf 'Source: ktime\n\nPackage: ktime\nArchitecture: any\n' >"$out/source/debian/control"
	(cd "$out/source" && dpkg-shlibdeps -O -e"$1" 2>shlibdeps.log) |
		sed -E "s/^shlibs:Depends=//; s/libc6 \\(>= [^)]*\\)/libc6 (>= ${glibc#GLIBC_})/"
}

# control PACKAGE SECTION DEPENDS SUMMARY <DESCRIPTION
control()
{
	local folder=$out/$1
	install -d "$folder/DEBIAN"
	(cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$folder/DEBIAN/md5sums"
	{
		cat <<-EOF
			Package: $1
			Source: ktime
			Version: $version
			Architecture: $architecture
			Maintainer: $maintainer
			Installed-Size: $(du -ks --exclude=DEBIAN "$folder" | cut -f1)
			Depends: $3
			Section: $2
			Priority: optional
			Description: $4
		EOF
		sed 's/^/ /; s/^ $/ ./'
	} >"$folder/DEBIAN/control"
	chmod 644 "$folder"/DEBIAN/*
	find "$folder" -type d -exec chmod 755 {} +
	dpkg-deb --root-owner-group -Zxz --build "$folder" "$out" >/dev/null
}

library=$out/libktime/usr/lib/$triplet/libktime.so
install -D -m 644 "$build/libktime.so" "$library"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$library"
documents libktime
# It is preloaded, never linked to: it has no version, and its name is the one that LD_PRELOAD takes.
install -d "$out/libktime/usr/share/lintian/overrides"
cat >"$out/libktime/usr/share/lintian/overrides/libktime" <<-EOF
	libktime: shared-library-lacks-version
	libktime: lacks-ldconfig-trigger
EOF
control libktime libs "$(needs "$library")" "where a CUDA program's GPU time went: library" <<-EOF
	Preloaded into a CUDA program, it times every kernel, copy and API call by
	CUPTI and by CUDA events, and prints a table when the program ends:

	LD_PRELOAD=libktime.so ./app

	The command is in the package ktime.
EOF

command=$out/ktime/usr/bin/ktime
install -D -m 755 "$built_command" "$command"
strip --remove-section=.comment --remove-section=.note "$command"
install -D -m 644 report/command/ktime.1 "$out/ktime/usr/share/man/man1/ktime.1"
gzip -9n "$out/ktime/usr/share/man/man1/ktime.1"
install -D -m 644 report/command/completion.bash "$out/ktime/usr/share/bash-completion/completions/ktime"
install -D -m 644 report/command/completion.zsh "$out/ktime/usr/share/zsh/vendor-completions/_ktime"
install -D -m 644 report/command/completion.fish "$out/ktime/usr/share/fish/vendor_completions.d/ktime.fish"
documents ktime
install -D -m 644 -t "$out/ktime/usr/share/doc/ktime" README.md docs/*.{md,yml,json}
install -D -m 644 -t "$out/ktime/usr/share/doc/ktime/internals" docs/internals/*.md
control ktime devel "libktime (= $version), $(needs "$command")" "where a CUDA program's GPU time went" <<-EOF
	ktime runs a CUDA program as it stands and prints how long each kernel, copy
	and API call took, in the table that nvprof printed. It shows, compares, merges
	and exports profiles, looks into programs that run, and writes metrics for
	Prometheus.
EOF

if command -v lintian >/dev/null; then
	lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$out"/*.deb
fi
ls "$out"/*.deb
