#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make_pages.sh BUILD FOLDER: the five pages that the browser is shown, always the same.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$2"
CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/browser/profiles" . >profiles.log || { cat profiles.log; exit 1; }
"$build/ktime" show --html plain.html plain
"$build/ktime" show --html sampled.html sampled
"$build/ktime" show --html trace.html trace
"$build/ktime" show --html merged.html rank0 rank1
"$build/ktime" diff --html diff.html plain trace >diff.txt
