#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A program that launches for as long as asked, on the simulated device, with a metrics file that
ktime writes all the while: is memory constant, and is every launch counted?

usage: always_on.py [MINUTES[xSECONDS] [KTIME_OPTIONS…]]; prints a line a minute, and at the end
whether the counts of the program, of the metrics and of the profile agree, and what is wrong beside:
memory that grows, or, with --budget, a cost beyond it. With "steer" as its first option collecting
is switched off and on twenty times, a window opened and a snapshot taken each minute.

A minute can be shortened: in 60x0.2 each lasts 0.2 s, in which all is done that comes once a minute,
and the metrics are written as often as in a minute.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUILT = os.path.join(ROOT, os.environ.get("BUILD", "build"))
KTIME = os.path.join(BUILT, "ktime")
# In KiB; more is growth. Of CUPTI's buffers each is touched when the collector is late enough.
MOST_GROWTH = 512
MOST_GROWTH_OF_BUFFERS = 48 * 1024
METRICS_A_MINUTE = 4
HEADER = "minute  resident KiB  profile KiB  metrics B  launches  counted  CPU s  ktime's CPU s"


def ktime(*arguments):
    return subprocess.run([KTIME, *map(str, arguments)], check=True, capture_output=True, text=True,
                          timeout=300).stdout


class Program:
    def __init__(self, folder, options, limit):
        environment = dict(os.environ, LD_PRELOAD=os.path.join(BUILT, "libktime.so"),
                           XDG_RUNTIME_DIR=folder, KTIME_OPTIONS=" ".join(options),
                           SIM_KERNEL_NS="first=1000,second=3000000", SIM_LIMIT_S=str(limit))
        self.report = open(os.path.join(folder, "report"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [os.path.join(ROOT, "tests/sim/run"), os.path.join(BUILT, "sim/preload/served")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.report, env=environment,
            text=True, bufsize=1)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the program did not start")
        self.launched = self.loaded = 0

    def order(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        answer = self.process.stdout.readline().split()
        if answer[:1] != ["ok"]:
            raise RuntimeError(f"the program has ended: {answer}")
        if words[0] in ("first", "second"):
            self.launched += words[1]
        if words[0] == "rest":
            self.launched += int(answer[1]) - self.loaded
            self.loaded = int(answer[1])

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def cpu(self):
        """Seconds of CPU: of the whole process, and of ktime's threads."""
        total = own = 0.0
        for task in glob.glob(f"/proc/{self.process.pid}/task/*/stat"):
            with open(task, encoding="utf-8") as file:
                name, rest = re.fullmatch(r"\d+ \((.*)\) (.*)", file.read().strip()).groups()
            if name.startswith("ktime"):
                own += sum(map(int, rest.split()[11:13]))
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            total = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        return total / os.sysconf("SC_CLK_TCK"), own / os.sysconf("SC_CLK_TCK")


def kernels(profile):
    rows = json.loads(ktime("export", "--json", "-", profile))["rows"]
    return sum(row["calls"] + row.get("calls_outside", 0) for row in rows if row["kind"] == "kernel")


def steer(program, folder, window):
    for _ in range(20):
        ktime("off", program.process.pid)
        ktime("on", program.process.pid)
    for name, command in (("window", ["window", program.process.pid, window]),
                          ("snapshot", ["snapshot", program.process.pid])):
        path = os.path.join(folder, name)
        ktime(*command, "-o", path)
        os.unlink(path)


def metrics_of(path):
    """The metrics' text and its calls of kernels, once ktime has written it again twice."""
    times, deadline = set(), time.monotonic() + 300
    while len(times) < 3:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} is written no more")
        times.add(os.stat(path).st_mtime_ns)
        time.sleep(0.2)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text, sum(int(value) for value in re.findall(r"^ktime_kernel_calls_total\{.*\} (\d+)$", text, re.M))


def check_memory(resident, options, failures):
    """Of each minute, in KiB. A sanitizer's allocator keeps what is freed, to find uses of it."""
    if "SANITIZE" in os.environ:
        return
    settled = max(1, len(resident) // 6)
    growth = min(resident[-settled:]) - max(resident[:2 * settled])
    if len(resident) >= 6 and growth > (MOST_GROWTH if "events" in options else MOST_GROWTH_OF_BUFFERS):
        failures.append(f"memory grows: by {growth} KiB from the first third to the end")


def check_cost(profile, options, failures):
    """By ktime's own account, which adds what an event pair costs for each that there was."""
    counters = json.loads(ktime("export", "--json", "-", profile))["counters"]
    share = 100 * counters["added_ns"] / counters["wall_ns"]
    print(f"cost: {share:.3f} % of {counters['wall_ns'] / 1e9:.1f} s, {counters['event_pairs']} event pairs")
    if "--budget" in options and share > float(options[options.index("--budget") + 1]):
        failures.append(f"the budget is exceeded: {share:.3f} %")


def run(minutes, seconds, options):
    steered = options[:1] == ["steer"]
    options = options[1:] if steered else options
    failures, resident = [], []
    short = seconds < 60
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        kept = os.path.join(folder, "kept")
        # The simulated device remembers each gate.
        program = Program(folder, ["--gate off", *options, "-o", kept,
                                   "--prometheus", os.path.join(folder, "app.prom"),
                                   f"--prometheus-interval {seconds / METRICS_A_MINUTE}"],
                          int(2 * minutes * seconds) + 600)
        metrics = os.path.join(folder, f"app.{program.process.pid}.prom")
        print(HEADER, flush=True)
        begin = time.monotonic()
        for minute in range(1, minutes + 1):
            program.order("load", 2)
            if steered:
                steer(program, folder, "10ms" if short else "200ms")
            time.sleep(max(0.0, begin + seconds * (minute - 1 / 12) - time.monotonic()))
            program.order("rest")
            program.order("first", 100)
            program.order("second", 10)
            program.order("copy", 1 << 20)
            # It takes as long as ktime takes a program for quiet.
            if not short or minute == minutes:
                program.order("settle")
            counted = kernels(kept)
            resident.append(program.resident())
            if counted != program.launched and (not short or minute == minutes):
                failures.append(f"minute {minute}: {program.launched} launches, {counted} counted")
            total, own = program.cpu()
            print(f"{minute:6} {resident[-1]:13} {os.stat(kept).st_blocks // 2:12} "
                  f"{os.stat(metrics).st_size if os.path.exists(metrics) else 0:10} {program.launched:9} "
                  f"{counted:8} {total:6.1f} {own:14.1f}", flush=True)
        text, counted = metrics_of(metrics)
        if counted != program.launched and not steered:
            failures.append(f"metrics: {program.launched} launches, {counted} counted")
        program.process.stdin.close()
        program.process.wait(timeout=300)
        if os.path.exists(metrics):
            failures.append("the metrics file is left behind")
        counted = kernels(kept)
        if counted != program.launched:
            failures.append(f"profile: {program.launched} launches, {counted} counted")
        check_memory(resident, options, failures)
        check_cost(kept, options, failures)
        with open(os.path.join(folder, "report"), encoding="utf-8") as file:
            print(file.read())
        print(text)
    print("\n".join(failures) or f"all {program.launched} launches counted")
    return failures


if __name__ == "__main__":
    LENGTH = (sys.argv[1] if len(sys.argv) > 1 else "60").split("x") + ["60"]
    sys.exit(1 if run(int(LENGTH[0]), float(LENGTH[1]), sys.argv[2:]) else 0)
