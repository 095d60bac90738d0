#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
ktime --energy beside nvidia-smi's own readings during the same run, mean power and SM clock, and
beside the device's counter read before and after it; which threads, files and memory the option
takes; what it costs a program that launches without end. Writes its section of
tests/gpu/RESULTS.md, and ends with status 1 where two figures differ by more than the limit or the
option brings more than its one thread. Takes about two minutes. Run from the root of the tree.
"""
import argparse
import ctypes
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

import machine
import process
import profilers
import results
import sessions

WITHIN = 3  # percent, by which ktime may differ from nvidia-smi
POLL_S = 0.02
SAXPY = os.path.join(profilers.BUILD, "workloads", "saxpy")


class Smi:
    """nvidia-smi, which prints power and SM clock of the first GPU ten times a second."""

    def __enter__(self):
        self.child = subprocess.Popen(
            ["nvidia-smi", "--id=0", "--query-gpu=power.draw,clocks.sm",
             "--format=csv,noheader,nounits", "-lms", "100"],
            stdout=subprocess.PIPE, text=True)
        self.samples = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        return self

    def read(self):
        for line in self.child.stdout:
            watts, mhz = line.split(",")
            self.samples.append((time.monotonic_ns(), float(watts), float(mhz)))

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(timeout=60)
        self.reader.join()
        self.child.stdout.close()

    def means(self, start_ns, end_ns):
        """Mean watts and MHz of the samples between two times of CLOCK_MONOTONIC."""
        found = [sample for sample in self.samples if start_ns <= sample[0] <= end_ns]
        if not found:
            sys.exit("energy.py: nvidia-smi said nothing while the program ran")
        return tuple(statistics.mean(column) for column in list(zip(*found))[1:])


class Counter:
    """The first device's counter of energy, read by this process."""

    def __init__(self):
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self.nvml = None
            return
        self.device = ctypes.c_void_p()
        if self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(
                0, ctypes.byref(self.device)):
            self.nvml = None

    def joules(self):
        value = ctypes.c_ulonglong()
        if not self.nvml or self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device,
                                                                          ctypes.byref(value)):
            return None
        return value.value / 1000


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmRSS")), 0)


def look_at(pid, most):
    """Adds what a process has now to the most that it had: threads, descriptors, memory."""
    try:
        now = (len(glob.glob(f"/proc/{pid}/task/*")), len(glob.glob(f"/proc/{pid}/fd/*")),
               resident_kib(pid))
    except OSError:
        return most
    return tuple(max(pair) for pair in zip(most, now))


def run(arguments, options, file):
    """(start and end in ns, the most that it had) of a run under ktime: without gates, whose test
    has a thread for a moment."""
    argv, environment = profilers.under_ktime([SAXPY, *map(str, arguments)],
                                              f"{options} --gate off --quiet -f -o {file}")
    most = (0, 0, 0)
    start = time.monotonic_ns()
    child = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL)
    while child.poll() is None:
        most = look_at(child.pid, most)
        time.sleep(POLL_S)
    end = time.monotonic_ns()
    if child.returncode:
        sys.exit(f"{argv}: exit code {child.returncode}")
    return start, end, most


def held_against_nvidia_smi(arguments, directory):
    """(rows of the table, whether the figures agree, the most that the program had)."""
    file = os.path.join(directory, "with")
    counter = Counter()
    with Smi() as smi:
        before = counter.joules()
        start, end, most = run(arguments, "--energy", file)
        after = counter.joules()
    energy = sessions.export(file)["devices"][0]["energy"]
    if "missing" in energy:
        sys.exit(f"energy.py: ktime has no energy: {energy['missing']}")
    watts, mhz = smi.means(start, end)
    pairs = [("mean power, W", watts, energy["watts"]),
             ("mean SM clock, MHz", mhz, energy["sm_mhz"]["average"])]
    if before is not None:
        pairs.append(("energy by the counter, from start to end of the process, J",
                      after - before, energy["joules"]))
    rows, good = [], True
    for title, own, ktime in pairs:
        difference = 100 * (ktime - own) / own
        good &= abs(difference) <= WITHIN
        rows.append([title, f"{own:.1f}", f"{ktime:.1f}", f"{difference:+.2f} %"])
    shares = ", ".join(f"{name} {100 * share:.1f} %"
                       for name, share in energy["clock_reasons"].items() if share)
    rows.append(["clocks limited by", "", shares or "nothing", ""])
    return rows, good, most


def cost(arguments, turns, directory):
    """Seconds of each turn without and with the option."""
    times = {"": [], "--energy": []}
    for _ in range(turns):
        for options, taken in times.items():
            argv, environment = profilers.under_ktime(
                [SAXPY, *map(str, arguments)],
                f"{options} --quiet -f -o {os.path.join(directory, 'cost')}")
            outcome = process.run(argv, environment)
            if outcome.returncode:
                sys.exit(f"{argv}: {outcome.stderr}")
            taken.append(outcome.wall_s)
    return times[""], times["--energy"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=1 << 28)
    parser.add_argument("--repetitions", type=int, default=40000)
    parser.add_argument("--launches", type=int, default=1000000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--print-only", action="store_true", help="RESULTS.md stays as it is")
    options = parser.parse_args()
    if not machine.gpus() and not profilers.RUNNER:
        sys.exit("energy.py: no NVIDIA GPU here (nvidia-smi lists none)")
    steady = ["--n", options.elements, "--repetitions", options.repetitions]
    with tempfile.TemporaryDirectory() as directory:
        rows, good, most = held_against_nvidia_smi(steady, directory)
        _, _, without = run(steady, "", os.path.join(directory, "without"))
        plain, energy = cost(["--n", 1024, "--repetitions", options.launches], options.turns,
                             directory)
    threads, files, memory = (a - b for a, b in zip(most, without))
    good &= threads == 1
    medians = [statistics.median(times) for times in (plain, energy)]
    lines = [f"saxpy, N = {options.elements}, {options.repetitions} launches:", "",
             *results.table(["what", "own", "ktime --energy", "difference"], rows), "",
             f"They must agree within {WITHIN} %. While it runs the option takes {threads} more "
             f"thread{'' if threads == 1 else 's'} (one is right), {files} more descriptors and "
             f"{memory / 1024:.1f} MiB more resident memory, at most.", "",
             f"{options.launches} launches of a short kernel, {options.turns} turns: median "
             f"{medians[0]:.3f} s without, {medians[1]:.3f} s with it "
             f"({100 * (medians[1] / medians[0] - 1):+.2f} %; without it the turns lie between "
             f"{min(plain):.3f} and {max(plain):.3f} s)."]
    print("\n".join(lines))
    if not options.print_only:
        results.write_section("energy", "Energy and clocks", "energy.py", lines)
    sys.exit(0 if good else 1)


main()
