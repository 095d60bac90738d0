#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What CUPTI answers to a program that uses its V2 interface, the older one, or one after the other, and
whether it answers the same under ktime, which must count the kernels in any case. Writes its section
of tests/gpu/RESULTS.md; takes about a minute a version.

usage: cupti_subscribers.py FOLDER…

Each folder is named by its version and has its libcupti.so.13 somewhere, as for cupti_versions.py.
"""
import glob
import os
import sys
import tempfile

sys.dont_write_bytecode = True

import process
import profilers
import results
import sessions

PROGRAM = os.path.join(profilers.BUILD, "gpu", "subscriber")
LAUNCHES = 100
LIMIT_S = 20
V2 = "callbacks enable launch flush disable unsubscribe"
V1 = "callbacks-v1 enable-v1 launch flush disable-v1 flush"
ORDERS = {
    "V2": f"subscribe {V2} launch",
    "V2, later": f"launch subscribe {V2} launch",
    "V2 for several, later": f"launch subscribe-several {V2} launch",
    "V2 with calls, later": f"launch subscribe enable-calls {V2} launch",
    "V2 again": f"launch subscribe {V2} launch subscribe {V2} launch",
    "V2, then V1": f"launch subscribe {V2} {V1} launch",
    "V1, then V2": f"launch {V1} subscribe {V2} launch",
    "V1, finalized, then V2": f"launch {V1} finalize subscribe {V2} launch",
    "V1 on, V2": f"launch callbacks-v1 enable-v1 launch subscribe {V2} launch flush",
    "V2 on, V1": "launch subscribe callbacks enable launch timestamp timestamp-v1 clock-v1 callbacks-v1 enable-v1"
                 " launch flush disable-v1 disable flush unsubscribe launch",
    "V2 for several on, V1": "launch subscribe-several callbacks enable launch timestamp timestamp-v1 clock-v1 callbacks-v1"
                             " enable-v1 launch flush disable-v1 disable flush unsubscribe launch",
    "V1 kinds of a V2 subscriber": f"launch subscribe {V1} timestamp-v1 unsubscribe launch",
    "V1 kinds of a V1 subscriber": f"launch subscribe-v1 {V1} timestamp-v1 unsubscribe launch",
    "V2 unless it is refused": "launch subscribe-several timestamp subscribe-v1 " + V1 + " launch",
}
MODES = {"by default": "", "events": "--timer events", "CUPTI": "--timer cupti"}


def ended(outcome):
    if outcome.timed_out:
        return "hangs"
    return "" if outcome.returncode == 0 else f"status {outcome.returncode}"


def kernels(session):
    return sum(row.calls for row in session.rows if row.kind == "kernel")


def under(library, steps, options, alone, file):
    """What differs under ktime from what is alone, and how ktime timed the kernels: a cell."""
    argv, environment = profilers.under_ktime([PROGRAM, library, *steps], f"-f -o {file} {options}", library)
    outcome = process.run(argv, environment, timeout=LIMIT_S)
    if ended(outcome):
        return f"**{ended(outcome)}**"
    session = sessions.read(file)
    said = [line for line in outcome.stderr.splitlines() if "CUPTI" in line or " took " in line]
    wrong = [f"{ours} (alone: {theirs})" for ours, theirs in
             zip(outcome.stdout.splitlines(), alone.splitlines()) if ours != theirs]
    counted, launched = kernels(session), LAUNCHES * steps.count("launch")
    if counted != launched:
        wrong.append(f"{counted} of {launched} kernels counted")
    print(f"    {options or 'default'}: {'; '.join(wrong) or 'as alone'}", *said, sep="\n        ", flush=True)
    return f"**{'; '.join(wrong)}**" if wrong else "as alone"


def main():
    folders = sys.argv[1:] or sys.exit(__doc__)
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="ktime-subscribers-") as directory:
        for folder in folders:
            library = glob.glob(os.path.join(folder, "**", "libcupti.so.13"), recursive=True)[0]
            for order, text in ORDERS.items():
                steps = text.split()
                outcome = process.run(*profilers.under_nothing([PROGRAM, library, *steps]), timeout=LIMIT_S)
                answers = " ".join(line.replace(" ", "=", 1) for line in outcome.stdout.splitlines()
                                   if not line.endswith(" 0") or line.startswith("records"))
                print(f"{os.path.basename(folder)}: {order}: {ended(outcome)} {answers}", flush=True)
                cells = [under(library, steps, options, outcome.stdout, os.path.join(directory, "profile"))
                         for options in MODES.values()]
                failed += any("**" in cell for cell in cells)
                rows.append([os.path.basename(folder), order, ended(outcome) or answers, *cells])
    text = results.table(["CUPTI", "order", "errors and records alone", *MODES], rows)
    results.write_section("cupti-subscribers", "V2 subscribers of CUPTI", "cupti_subscribers.py", text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
