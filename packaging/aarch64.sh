#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a build for aarch64 on another Debian needs besides its cross compiler: the libraries and headers
# of Debian's arm64 packages, unpacked into a folder. Needs apt and its mirror, neither root nor a foreign
# architecture in the system. Usage: aarch64.sh FOLDER
set -euo pipefail
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
	command -v "$tool" >/dev/null ||
		{ echo "ktime: no $tool: sudo apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu" >&2; exit 1; }
done
mkdir -p "$1"
folder=$(realpath "$1")
mkdir -p "$folder"/apt/{lists/partial,cache/archives/partial}
touch "$folder/apt/status"
apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$folder/apt"
	-o Dir::State::Status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root)

"${apt[@]}" update
cd "$folder/apt"
"${apt[@]}" download libsqlite3-dev zlib1g-dev libncurses-dev libiberty-dev uthash-dev
for package in *.deb; do
	dpkg -x "$package" "$folder"
done
rm -rf "$folder/apt"
