#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make_pages.sh BUILD FOLDER [RECORDS]: the pages that the browser is shown, always the same; the long
# trace has so many records (50,000).
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$2"
CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/browser/profiles" . "${3:-50000}" >profiles.log || { cat profiles.log; exit 1; }
"$build/ktime" show --html plain.html plain
"$build/ktime" show --html sampled.html sampled
"$build/ktime" show --html trace.html trace
"$build/ktime" show --html long.html long
"$build/ktime" show --html streams.html streams
"$build/ktime" export --json long.json long
"$build/ktime" show --html merged.html rank0 rank1
"$build/ktime" diff --html diff.html plain trace >diff.txt
