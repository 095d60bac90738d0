#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Ends programs that launch without end by SIGINT and SIGTERM: whether each had its report, by how many
launches the report's counts differ from the program's own, how long the end took, and what was left.
Writes its section of tests/gpu/RESULTS.md, unless only a part is asked for.
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import profilers
import results

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(profilers.BUILD, "gpu", "signalled")
TRAINING = (sys.executable, os.path.join(HERE, "python", "resnet_training.py"), "1000000")
KILLS = 200
KILLS_AT_A_TIME = 8  # how long their end takes is not measured
KILL_AFTER_S = (0.003, 0.02, 0.1, 0.25, 0.4)  # at different places of the collector's periods
MOST_S = 10  # beyond this a run is a failure; the aim is a second


@dataclasses.dataclass(frozen=True)
class Way:
    title: str
    arguments: tuple  # of signalled, after COUNTS
    options: str = ""
    runs: int = 5
    row: str = "spin"
    argv: tuple = ()  # another program, which does not count
    interrupted: int = -signal.SIGINT  # its status after SIGINT
    at_a_time: int = 1

    def status_after(self, number):
        return self.interrupted if number == signal.SIGINT else -number


WAYS = (
    Way("launch-bound, one thread", ("1", "0"), runs=30),
    Way("full queue of 1 ms kernels", ("1", "1000")),
    Way("four threads", ("4", "0")),
    Way("sixteen threads", ("16", "0")),
    Way("graphs of ten kernels", ("1", "0", "graph"), row="[CUDA graph"),
    Way("events alone (--timer events)", ("1", "0"), "--timer events"),
    Way("a trace (--print-gpu-trace)", ("1", "20"), "--print-gpu-trace --log-file trace.txt"),
    # PyTorch 2.11 ends by KeyboardInterrupt with status 1, without ktime too.
    Way("PyTorch training, ResNet-50", (), argv=TRAINING, interrupted=1, at_a_time=5),
)


def launches(path):
    with open(path, "rb") as file:
        data = file.read()
    return sum(int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8))


def counted(report, row):
    """The calls of the row in the table; None where the table does not have it."""
    for line in report.splitlines():
        found = re.match(r"\s*(?:[A-Za-z ]+:)?\s*(?:[\d.]+%|-)\s+\S+\s+(?:(?:[\d.]+%|\?)\s+)?([\d]+)\s.*", line)
        if found and row in line:
            return int(found.group(1))
    return None


def missing(report):
    found = re.search(r"([\d,]+) operations are missing", report)
    return int(found.group(1).replace(",", "")) if found else 0


def start(way, folder):
    counts = os.path.join(folder, "counts")
    argv = way.argv or (PROGRAM, counts, *way.arguments)
    argv, environment = profilers.under_ktime(list(argv), way.options)
    environment["XDG_RUNTIME_DIR"] = os.path.join(folder, "run")
    os.mkdir(environment["XDG_RUNTIME_DIR"])
    environment["TMPDIR"] = environment["XDG_RUNTIME_DIR"]
    child = subprocess.Popen(argv, env=environment, cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, start_new_session=True)
    return child, counts


def wait_until_launching(way, child, counts, more_s=0.3):
    if way.argv:
        time.sleep(12)
        return
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and child.poll() is None:
        if os.path.exists(counts) and os.path.getsize(counts) and launches(counts) > 2000:
            break
        time.sleep(0.01)
    time.sleep(more_s)


def one_run(way, number):
    with tempfile.TemporaryDirectory() as folder:
        child, counts = start(way, folder)
        wait_until_launching(way, child, counts)
        sent = time.monotonic()
        child.send_signal(number)
        try:
            _, report = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            _, report = child.communicate(timeout=60)
        seconds = time.monotonic() - sent
        report = report.decode(errors="replace")
        trace = os.path.join(folder, "trace.txt")
        if os.path.exists(trace):
            with open(trace, errors="replace") as file:
                report += file.read()
        left = glob.glob(os.path.join(folder, "run", "ktime*"))
        apart = None
        if not way.argv and "print-gpu-trace" not in way.options:
            calls = counted(report, way.row)
            if calls is not None:
                apart = calls + missing(report) - launches(counts)
        printed = "Profiling result:" in report
        return {"status": child.returncode == way.status_after(number), "report": printed, "apart": apart,
                "short": "operations are missing" in report, "seconds": seconds, "left": len(left)}


def measure(way, number, runs):
    with concurrent.futures.ThreadPoolExecutor(way.at_a_time) as pool:
        outcomes = list(pool.map(lambda _: one_run(way, number), range(runs)))
    seconds = [outcome["seconds"] for outcome in outcomes]
    apart = [outcome["apart"] for outcome in outcomes if outcome["apart"] is not None]
    good = all(outcome["status"] and outcome["report"] and not outcome["left"]
               and outcome["seconds"] < MOST_S for outcome in outcomes)
    row = (way.title, signal.Signals(number).name,
           f"{sum(outcome['report'] for outcome in outcomes)} of {runs}",
           f"{sum(outcome['status'] for outcome in outcomes)} of {runs}",
           f"{min(apart)} to {max(apart)}" if apart else "-",
           sum(outcome["short"] for outcome in outcomes),
           f"{statistics.median(seconds):.2f}, {max(seconds):.2f}",
           sum(outcome["left"] for outcome in outcomes))
    print(*row, sep=" | ", flush=True)
    return good, row


def one_kill(number):
    """Whether a killed program's profile can be shown, and how many launches are missing in it."""
    way = WAYS[0]
    with tempfile.TemporaryDirectory() as folder:
        child, counts = start(way, folder)
        wait_until_launching(way, child, counts, KILL_AFTER_S[number % len(KILL_AFTER_S)])
        child.kill()
        child.communicate(timeout=60)
        launched = launches(counts)
        profiles = glob.glob(os.path.join(folder, "run", "ktime*"))
        shown = subprocess.run([os.path.join(profilers.BUILD, "ktime"), "show", *profiles],
                               capture_output=True, text=True, check=False, timeout=300)
        calls = counted(shown.stdout + shown.stderr, way.row) if len(profiles) == 1 else None
        return None if shown.returncode or calls is None else launched - calls


def measure_kills(runs):
    with concurrent.futures.ThreadPoolExecutor(KILLS_AT_A_TIME) as pool:
        missing_calls = list(pool.map(one_kill, range(runs)))
    good = [calls for calls in missing_calls if calls is not None and calls >= 0]
    line = (f"{len(good)} of {runs} programs ended by SIGKILL while they launched left a profile that "
            f"`ktime show` prints; of the program's own count of launches it lacked "
            f"{statistics.median(good):.0f} (median) and {max(good)} (most), some milliseconds' worth."
            if good else f"0 of {runs} killed programs left a profile")
    print(line, flush=True)
    return len(good) == runs, line


def main():
    parser = argparse.ArgumentParser(description="Ends programs by signals, on a real GPU.")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs by their title")
    parser.add_argument("--quick", action="store_true", help="two runs each, ten kills, no PyTorch")
    options = parser.parse_args()
    good, rows = True, []
    for way in WAYS:
        if (options.quick and way.argv) or not re.search(options.only, way.title):
            continue
        for number in (signal.SIGINT, signal.SIGTERM):
            ok, row = measure(way, number, 2 if options.quick else way.runs)
            good &= ok
            rows.append(row)
    lines = ["`calls less launches`: of the table and the operations said to be missing, less what the",
             "program itself had counted when it ended. `short`: reports that the second thread made.", ""]
    lines += results.table(("program", "signal", "reports", "status as alone", "calls less launches",
                            "short", "seconds to the end (median, longest)", "files left"), rows)
    if not options.only:
        ok, line = measure_kills(10 if options.quick else KILLS)
        good &= ok
        lines += ["", line]
    if not (options.only or options.quick):
        results.write_section("signals", "Programs ended by a signal", "signals.py", lines)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
