#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is given to other machines: Debian packages, the archive and the Python wheel.
bats_require_minimum_version 1.5.0
load common

# A build folder with what the packages are made of.
packed() {
	mkdir -p made/portable
	cp "$build/ktime" "$build/libktime.so" made/
	cp "$build/ktime" "$build/libktime.so" made/portable/
	made=$PWD/made
	cd "$root"
}

# unpacked PACKAGE FOLDER
unpacked() {
	dpkg-deb -x "$made/deb/$1"_*_amd64.deb "$2"
}

@test "--library prints the path of the library" {
	run "$ktime" --library
	[ "$status" -eq 0 ]
	prints "$(realpath "$build/libktime.so")"
	cp "$ktime" lonely
	run --separate-stderr ./lonely --library
	[ "$status" -eq 1 ]
	prints ""
	[ "$stderr" = "ktime: libktime.so was not found beside this command or in ../lib; install both" ]
}

@test "an installation is told to the loader, or the user what to preload, and is removed whole" {
	packed
	local install=$root/packaging/install.sh
	# Root, on another machine.
	mkdir "$made/fake"
	printf '#!/bin/sh\necho 0\n' >"$made/fake/id"
	printf '#!/bin/sh\necho "ldconfig $*" >>%s\necho "	libktime.so (libc6,x86-64) => %s/known/lib/libktime.so"\n' \
		"$made/calls" "$made" >"$made/fake/ldconfig"
	chmod +x "$made"/fake/*
	export PATH=$made/fake:$PATH
	run --separate-stderr "$install" install "$made" "/opt/found" "$made/stage"
	[ "$stderr" = "" ]
	[ ! -e "$made/calls" ]
	run "$made/stage/opt/found/bin/ktime" --library
	prints "$made/stage/opt/found/lib/libktime.so"
	run --separate-stderr "$install" install "$made" "$made/prefix"
	[ "$status" -eq 0 ]
	[ "$stderr" = "ktime: the loader does not look into $made/prefix/lib: use LD_PRELOAD=$made/prefix/lib/libktime.so ./app" ]
	[ "$(cat "$made/calls")" = "ldconfig "$'\n'"ldconfig -p" ]
	run --separate-stderr "$install" install "$made" "$made/known"
	[ "$stderr" = "" ]
	"$install" uninstall "$made" "$made/prefix"
	"$install" uninstall "$made" "$made/known"
	"$install" uninstall "$made" "/opt/found" "$made/stage"
	[ -z "$(find "$made/stage" "$made/prefix" "$made/known" -type f)" ]
}

@test "the archive runs wherever it is unpacked, and is the same each time" {
	packed
	packaging/tarball.sh "$made" 1.2.3
	cp "$made/ktime-1.2.3.tar.gz" "$made/first.tar.gz"
	packaging/tarball.sh "$made" 1.2.3
	cmp "$made/first.tar.gz" "$made/ktime-1.2.3.tar.gz"
	mkdir "$made/elsewhere"
	tar -xzf "$made/first.tar.gz" -C "$made/elsewhere"
	run "$made/elsewhere/ktime-1.2.3/bin/ktime" --library
	prints "$made/elsewhere/ktime-1.2.3/lib/libktime.so"
	[ -s "$made/elsewhere/ktime-1.2.3/docs/deployment.md" ]
	# What takes the archive asks for this version's.
	local version
	version=$(sed -n 's/^VERSION := //p' Makefile)
	grep -qx "ARG VERSION=$version" packaging/Dockerfile
	grep -qF "default=\"$version\"" packaging/conda/recipe.yaml
}

@test "the Debian packages have the command and the library where each is found, and lintian finds nothing" {
	[ -z "${SANITIZE-}" ] || skip "under a sanitizer: another runtime is linked in"
	command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-dev here"
	packed
	# Where there is lintian, this fails at what it finds; it leaves files behind.
	TMPDIR=$BATS_TEST_TMPDIR packaging/deb.sh "$made" 1.2.3 "$build/tests/command/old_glibc_ktime"
	unpacked ktime "$made/system"
	unpacked libktime "$made/system"
	run "$made/system/usr/bin/ktime" --library
	prints "$made/system/usr/lib/x86_64-linux-gnu/libktime.so"
	[ -s "$made/system/usr/share/doc/ktime/deployment.md" ]
	# The glibc of RHEL 8 and Debian 10 at most, whatever this system has.
	local package depends
	for package in libktime ktime; do
		depends=$(dpkg-deb -f "$made/deb/${package}_1.2.3_amd64.deb" Depends)
		[[ "$depends" =~ libc6\ \(\>=\ (2\.[0-9]+)\) ]] || { echo "$depends"; false; }
		printf '%s\n' "${BASH_REMATCH[1]}" 2.28 | sort -V -C
	done
	[[ "$depends" == "libktime (= 1.2.3), "* ]]
}

@test "the wheel installs without the network and is the same each time; its command is ktime: options, status, signals, environment" {
	# Where the link to a library in a folder with a space goes.
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
	mkdir "$XDG_RUNTIME_DIR"
	[ -z "${SANITIZE-}" ] || skip "under a sanitizer: another runtime is linked in"
	local tools
	for tools in "$build/wheel-tools/bin/python" /usr/bin/python3 none; do
		! "$tools" -c 'import pip, venv, wheel' 2>/dev/null || break
	done
	[ "$tools" != none ] || skip "no Python with pip, venv and wheel (make wheel installs one below build/)"
	packed
	packaging/wheel.sh "$made" 1.2.3 "$tools"
	mv "$made"/ktime-1.2.3-*.whl "$made/first.whl"
	packaging/wheel.sh "$made" 1.2.3 "$tools"
	cmp "$made/first.whl" "$made"/ktime-1.2.3-*.whl
	cd "$made"
	"$tools" -m venv --without-pip "in here"
	"$tools" -m pip --python "in here/bin/python" install --no-index --no-deps --quiet --disable-pip-version-check \
		--no-compile ./ktime-1.2.3-*.whl
	local python=$PWD/in\ here/bin/python ktime=$PWD/in\ here/bin/ktime
	run --separate-stderr "$root/tests/sim/run" "$python" -m ktime --top 1 "$python" "$root/tests/command/memset.py"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	grep -q 'GPU activities: *100.00% .* 1 .*\[CUDA memset\]' <<<"$stderr"
	# Python would ignore SIGPIPE, and set LC_CTYPE.
	run -7 env -u LC_ALL -u LC_CTYPE LANG=C "$ktime" --quiet sh -c 'echo "$1" "${LC_CTYPE-}"; exit 7' sh 'a  b'
	prints "a  b "
	run -141 "$ktime" --quiet sh -c 'kill -PIPE $$'
	run -143 "$ktime" --quiet sh -c 'kill -TERM $$'
	chmod -x "$made/in here/lib/"python3*/site-packages/ktime/ktime
	run --separate-stderr -126 "$ktime" true
	[[ "$stderr" == "ktime: $made/in here/lib/python3"*"/site-packages/ktime/ktime: Permission denied" ]]
}
