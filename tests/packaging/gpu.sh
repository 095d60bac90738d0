#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the wheel beside a PyTorch that is there and profiles ResNet-50 by it, on a GPU; prints the report
# and a row of RESULTS.md. Usage: gpu.sh WHEEL [PYTHON]
set -euo pipefail
wheel=$(realpath "$1") python=${2:-python3}
cd "$(dirname "$0")/../.."
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT

"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$site/a folder" "$wheel"
export PYTHONPATH="$site/a folder${PYTHONPATH:+:$PYTHONPATH}" PATH="$site/a folder/bin:$PATH" XDG_RUNTIME_DIR=$site

printf "resnet_%s\n" inference training | ktime --verbose --top 10 --log-file "$site/report" "$python" tests/bench/resnet.py
cat "$site/report"
grep -q 'Timing: CUPTI; all' "$site/report"
"$python" - "$(ktime --version)" <<'END'
import sys, datetime, torch
print("|", " | ".join([str(datetime.date.today()), torch.cuda.get_device_name(), "PyTorch " + torch.__version__, sys.argv[1],
	"pip install beside PyTorch; `ktime python3 resnet.py`, all operations timed by CUPTI"]), "|")
END
