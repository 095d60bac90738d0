#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What roots.sh runs in each distribution; prints what a row of RESULTS.md says of it.
set -euo pipefail
cd "$HOME"

fail() { echo "$*" >&2; exit 1; }
for tool in gcc cc nvcc; do ! command -v $tool >/dev/null || fail "$tool is here"; done
python3 -m venv "a venv"
bin=$PWD/a\ venv/bin
"$bin/pip" install --no-index --quiet --disable-pip-version-check ./ktime-*.whl
export LD_LIBRARY_PATH=$PWD/simulated

row='100.00% .* 1 .*\[CUDA memset\]'
[[ $("$bin/ktime" --version) == "ktime "* ]] || fail "--version"
"$bin/ktime" --verbose python3 memset.py 2>report || fail "$(<report)"
grep -q "$row" report || fail "$(<report)"
grep -q 'Timing: CUPTI' report || fail "$(<report)"
"$bin/python" -m ktime -o run.ktime python3 memset.py 2>report || fail "$(<report)"
"$bin/ktime" show run.ktime >report
grep -q "$row" report || fail "ktime show: $(<report)"
LD_PRELOAD=$("$bin/ktime" --library) python3 memset.py 2>report
grep -q "$row" report || fail "LD_PRELOAD: $(<report)"
status=0
"$bin/ktime" --quiet python3 -c 'import sys; sys.exit(7)' || status=$?
[ $status -eq 7 ] || fail "status $status"

glibc=$(python3 -c 'import os; print(os.confstr("CS_GNU_LIBC_VERSION"))')
echo "$glibc | $(python3 --version) | $("$bin/ktime" --version) | pip install as a user; \`ktime python3\`, \`python -m ktime -o\`, \`ktime show\`, \`LD_PRELOAD=\"\$(ktime --library)\"\`, exit status"
