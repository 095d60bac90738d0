#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check.sh: what other people's tools make of ktime's exports: their figures are held to those of the table. The
# tools come from PyPI into a virtual environment in the build folder, which is kept. Prints TAP lines; a tool that cannot
# be had is skipped. Status 1 if a figure differs.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
venv=$build/tools/venv
# How each is installed; the last one wants TensorBoard and PyTorch only where it shows what it read.
packages=(pandas HolisticTraceAnalysis nsys-ai perfetto torch-tb-profiler)
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
for package in "${packages[@]}"; do
	"$venv/bin/pip" show --quiet "$package" 2>/dev/null && continue
	options=()
	[ "$package" != torch-tb-profiler ] || options=(--no-deps)
	timeout 600 "$venv/bin/pip" install --quiet --disable-pip-version-check "${options[@]}" "$package" >&2 ||
		echo "# pip cannot install $package" >&2
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# nsys-ai and the others keep what they make of a file beside it or in the home folder.
HOME=$work "$venv/bin/python" tests/tools/check.py "$build" "$work"
