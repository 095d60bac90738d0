#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How long merging the profiles of a large job takes, and how much memory, on two processors. Needs no
GPU: many_profiles makes the profiles, each a file of its own, some hundred at a time in memory (4 GB
of /dev/shm) or in $TMPDIR. Ends with 1 if it takes more than MOST_SECONDS or MOST_MEGABYTES, which
hold for 10,000 profiles of 500 rows.
Usage: merge.py [PROFILES [ROWS]]   (from the root of the tree, after `make bench-merge-program`)
"""
import os
import shutil
import subprocess
import sys
import tempfile

MOST_SECONDS = 60
MOST_MEGABYTES = 200
BUILD = os.environ.get("BUILD", "build")
MEMORY = "/dev/shm"
BATCH_BYTES = 4 << 30


def main():
    profiles = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    fits = os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > 2 * BATCH_BYTES
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory(prefix="ktime-merge.", dir=MEMORY if fits else None) as folder:
        said = subprocess.run([f"{BUILD}/bench/many_profiles", folder, str(profiles), str(rows)],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=3600).stdout
    seconds, processor, kilobytes, size = (float(word) for word in said.split())
    megabytes = kilobytes / 1024
    print("| profiles | rows of each | together | time | processor time | resident |\n"
          "|---|---|---|---|---|---|\n"
          f"| {profiles:,} | {rows:,} | {size / 1e9:.1f} GB | {seconds:.1f} s | {processor:.1f} s | "
          f"{megabytes:.0f} MB |")
    if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
        sys.exit(f"more than {MOST_SECONDS} s or {MOST_MEGABYTES} MB")


main()
