#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
How long `ktime export` takes for a long trace, and how much memory, on two processors. Needs no GPU:
the profile is made by many_records, with records in the order in which a run has them. Ends with 1
if a timeline takes more than MOST_SECONDS or MOST_MEGABYTES, which hold for 10 million records.
Usage: export.py [RECORDS]   (from the root of the tree, after `make bench-export-program`)
"""
import os
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 60
MOST_MEGABYTES = 200
BUILD = os.environ.get("BUILD", "build")
OUTPUTS = [("perfetto", "trace"), ("perfetto", "trace.gz"),
           ("chrome", "trace.json"), ("chrome", "trace.json.gz")]


def export(form, profile, output):
    """Seconds, processor seconds and resident megabytes of one export."""
    begin = time.monotonic()
    process = subprocess.Popen([f"{BUILD}/ktime", "export", f"--{form}", output, profile])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"ktime export --{form} {output} failed")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    failed = False
    with tempfile.TemporaryDirectory(prefix="ktime-export.") as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run([f"{BUILD}/bench/many_records", profile, str(count)], check=True, timeout=3600)
        print(f"{count:,} records, a profile of {os.path.getsize(profile) / 1e6:,.0f} MB\n")
        print("| export | time | processor time | resident | file |\n|---|---|---|---|---|")
        for form, name in OUTPUTS:
            output = os.path.join(folder, name)
            seconds, processor, megabytes = export(form, profile, output)
            print(f"| `--{form} {name}` | {seconds:.1f} s | {processor:.1f} s | "
                  f"{megabytes:.0f} MB | {os.path.getsize(output) / 1e6:,.0f} MB |", flush=True)
            failed |= seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES
            os.unlink(output)
    if failed:
        sys.exit(f"more than {MOST_SECONDS} s or {MOST_MEGABYTES} MB")


main()
