#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures in docs/pages, of the pages that pages.sh wrote into FOLDER. Needs Chromium, and no GPU.
# Usage: pictures.sh FOLDER
set -eu

folder=$(cd "$1" && pwd)
pictures=$(cd "$(dirname "$0")/../../docs/pages" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)

# picture NAME PAGE SIZE: the top of the page.
picture() {
	timeout 60 "$browser" --headless --no-sandbox --hide-scrollbars --virtual-time-budget=3000 --user-data-dir="$folder/browser" \
		--window-size="$3" --screenshot="$folder/$1.png" "file://$folder/$2" >"$folder/browser.log" 2>&1
	mv "$folder/$1.png" "$pictures/$1.png"
}

# A headless browser draws nothing of what it scrolled to: the page with that section alone.
sed 's#</head>#<style>section:not(\#timeline) { display: none }</style></head>#' "$folder/training.html" >"$folder/timeline.html"

picture training training.html 1160,1300
picture timeline timeline.html 1160,850
picture sampled sampled.html 1160,1300
picture diff diff.html 1160,1300
rm -rf "$folder/browser"
