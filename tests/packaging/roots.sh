#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the wheel by pip into distributions that have Python and nothing else, as a user who is not
# root, and profiles a Python program on the simulated device there. Prints a row of RESULTS.md for each.
# Needs root, debootstrap and a mirror of Debian. Usage: roots.sh BUILD WHEEL SUITE…
set -euo pipefail
build=$(realpath "$1") wheel=$(realpath "$2")
shift 2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" -eq 0 ] || { echo "ktime: an empty system is made by root alone" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "ktime: no debootstrap: sudo apt-get install debootstrap" >&2; exit 1; }

# in_root COMMAND…: what is mounted for it goes with it.
in_root()
{
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount bash -c 'root=$0
		mount -t proc proc "$root/proc"
		mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
		exec chroot --userspec=1000:1000 "$root" env -i PATH=/usr/bin:/bin HOME=/home/user "$@"' "$root" "$@"
}

for suite; do
	root=$build/roots/$suite
	if [ ! -e "$root/complete" ]; then
		rm -rf "$root"
		mkdir -p "$root"
		debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
			{ tail "$root.log" >&2; exit 1; }
		touch "$root/complete"
	fi
	rm -rf "$root/home/user"
	install -d -o 1000 "$root/home/user"
	cp -t "$root/home/user" "$wheel" tests/command/memset.py tests/packaging/in_root.sh
	cp -r "$build/roots/simulated" "$root/home/user/"
	said=$(in_root bash /home/user/in_root.sh)
	# shellcheck disable=SC1091
	echo "| $(date -u +%F) | $(. "$root/etc/os-release" && echo "$PRETTY_NAME") | $said |"
done
