#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The pages of HTML in a headless Chromium, one for all tests.
bats_require_minimum_version 1.5.0
load ../waits

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
built=$root/${BUILD:-build}

missing()
{
	[ -z "${SANITIZE-}" ] || { echo "under a sanitizer: the pages are the same"; return; }
	command -v chromium chromium-browser google-chrome chrome >/dev/null ||
		{ echo "no Chromium here: apt-get install chromium"; return; }
	fc-list 2>/dev/null | grep -q 'Liberation Sans' ||
		echo "the font Liberation Sans is not here: apt-get install fontconfig fonts-liberation"
}

setup_file()
{
	[ -z "$(missing)" ] || return 0
	mkdir "$BATS_FILE_TMPDIR/pages"
	"$BATS_TEST_DIRNAME/make_pages.sh" "$built" "$BATS_FILE_TMPDIR/pages"
	timeout -k 10 600 python3 "$BATS_TEST_DIRNAME/pages.py" "$BATS_FILE_TMPDIR/pages" \
		>"$BATS_FILE_TMPDIR/results" 2>&1 || echo "status $?" >>"$BATS_FILE_TMPDIR/results"
}

setup()
{
	local why
	why=$(missing)
	[ -z "$why" ] || skip "$why"
}

# passed CHECK: on each of the five pages.
passed()
{
	local page
	for page in plain sampled merged diff trace; do
		grep -qx "ok $1 $page" "$BATS_FILE_TMPDIR/results" ||
			{ sed -n "/^not ok $1/,/^ok/p; /^[^#on]/p" "$BATS_FILE_TMPDIR/results"; return 1; }
	done
}

@test "the pages write nothing to the console and ask no network for anything, with scripts and without" {
	passed silence
}

@test "clicks on a heading sort by that column, one way and then the other" {
	passed sorting
}

@test "typed words leave the rows whose names have them, and a click shows full names" {
	passed filtering
}

@test "a click and a key open a row's distribution, with scripts and without" {
	passed unfolding
}

@test "a timeline goes down to one record, whose times are those of an export, and sums up what is selected" {
	passed timeline
}

@test "controls and tables have names, headings are in order, and contrast is 4.5 in both colour schemes" {
	passed accessibility
}

@test "the tabulator reaches every control in the page's order, and shows where it is" {
	passed focus
}

@test "without scripts the tables are the same, and no control is there that does nothing" {
	passed scriptless
}

@test "no page is wider than its window, and no table than its frame, on a desk and on a phone" {
	passed width
}

@test "the pages look as in the pictures that are kept" {
	passed screenshots
}

@test "what is wrong with a page is found" {
	cd "$BATS_TEST_TMPDIR"
	sed -e 's,</style>,th { color: #999 !important } table { width: 3000px } .scroll { overflow: visible }&,' \
		-e 's,</style>,:focus-visible { outline: none !important }&,' \
		-e 's,<caption[^>]*>Kernels[^<]*</caption>,,; s,<h2,<h4,; s,</h2>,</h4>,' \
		-e 's,<main,<img src="http://192.0.2.1/x.png"><main,' \
		-e 's/compare(b.value, a.value)/1/; s/words.every/words.some/' \
		"$BATS_FILE_TMPDIR/pages/plain.html" >plain.html
	run timeout -k 10 200 python3 "$BATS_TEST_DIRNAME/pages.py" . silence sorting filtering accessibility focus width screenshots
	echo "$output"
	for check in silence sorting filtering accessibility focus width screenshots; do
		[[ "$output" == *"not ok $check plain"* ]]
	done
	[[ "$output" == *"request: http://192.0.2.1/x.png"* ]]
	[[ "$output" == *"a image without a name"* ]]
	[[ "$output" == *"has no caption"* ]]
	[[ "$output" == *": contrast 2."* ]]
	[[ "$output" == *"does not show that it has the focus"* ]]
}
