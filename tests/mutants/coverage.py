# SPDX-License-Identifier: MIT
"""Which test reaches which line, by a build that notes which basic blocks ran (coverage.c)."""
import bisect
import glob
import json
import os
import re
import shutil
import subprocess
import threading
import time

BATS_FOLDERS = ("tests/preload", "tests/command")


def every_test(tree):
    """Unit tests as (program, None), those of bats as (file, name)."""
    tests = [(os.path.basename(path)[:-2], None) for path in sorted(glob.glob(f"{tree}/tests/unit/test_*.c"))]
    for folder in BATS_FOLDERS:
        for path in sorted(glob.glob(f"{tree}/{folder}/*.bats")):
            with open(path) as file:
                for match in re.finditer(r'^@test "(.*)" \{$', file.read(), re.M):
                    tests.append((os.path.relpath(path, tree), match.group(1)))
    return tests


def command(test):
    program, name = test
    if name is None:
        return [f"build/tests/unit/{program}"]
    name = re.sub(r"\\(.)", r"\1", name)
    return ["bats", "--tap", "-f", "^" + re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", name) + "$", program]


def blocks(module, tree):
    """The offset of each basic block of a program or library, and its lines as (path, line)."""
    text = subprocess.run(["objdump", "-d", "-l", "--no-show-raw-insn", module], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=300).stdout
    found, lines, place, begins = {}, None, None, False
    for row in text.splitlines():
        source = re.match(r"(/.*):(\d+)(?: \(.*\))?$", row)
        if source:
            place = (os.path.relpath(source.group(1), tree), int(source.group(2)))
            if lines is not None and not begins:
                lines.add(place)
        elif row.endswith(">:"):
            lines, place = None, None
        elif row.startswith(" "):
            if begins:
                lines = found.setdefault(int(row.split(":")[0], 16), set())
                if place:
                    lines.add(place)
            begins = row.endswith("<__sanitizer_cov_trace_pc>")
    return found


def lines_of(folder, modules):
    """The lines that ran, of the files that coverage.c left in a folder."""
    ran = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            offsets = [match.start() for match in re.finditer(b"\x01", file.read())]
        for offset in offsets:
            ran |= modules.get(name, {}).get(offset, set())
    return ran


def measure(tree, run, environments):
    """The map of a tree that is built for it: tests with their seconds, and for each line their numbers.
    As many tests run at a time as there are environments, for most of them wait for programs."""
    modules = {os.path.basename(path): blocks(path, tree) for path in
               [f"{tree}/build/libktime.so", f"{tree}/build/sim/libktime_virtual.so", f"{tree}/build/ktime"] + glob.glob(f"{tree}/build/tests/unit/test_*")
               if os.access(path, os.X_OK)}
    listed = every_test(tree)
    tests, reached = [None] * len(listed), {}
    lock, left = threading.Lock(), iter(range(len(listed)))

    def work(environment, folder):
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            begin = time.monotonic()
            passed = run(command(listed[number]), tree, 600, dict(environment, COVERAGE=folder))
            seconds = round(time.monotonic() - begin, 2)
            ran = lines_of(folder, modules)
            with lock:
                for path, line in ran:
                    reached.setdefault(path, {}).setdefault(line, []).append(number)
                tests[number] = {"test": listed[number], "seconds": seconds, "passed": passed}

    threads = [threading.Thread(target=work, args=(environment, os.path.join(tree, f"covered{place}")))
               for place, environment in enumerate(environments)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    coded = {}
    for module in modules.values():
        for lines in module.values():
            for path, line in lines:
                coded.setdefault(path, set()).add(line)
    return {"tests": tests, "reached": reached, "coded": {path: sorted(lines) for path, lines in coded.items()}}


class Map:
    def __init__(self, path):
        with open(path) as file:
            known = json.load(file)
        self.tests = [(tuple(one["test"]), one["seconds"]) for one in known["tests"]]
        self.failed = [(tuple(one["test"]), one["seconds"]) for one in known["tests"] if not one["passed"]]
        self.left_out = set()
        self.reached, self.coded = known["reached"], known["coded"]

    def tests_of(self, path, line, inside, most):
        """The tests that reach a line, those first that do so for little time and reach what lies
        near and is reached by few; as many as take `most` seconds together. A line without code goes
        by the last one before it if it is inside a function, else by the whole file."""
        lines = self.reached.get(path, {})
        if inside:
            before = bisect.bisect_right(self.coded.get(path, []), line)
            numbers = lines.get(str(self.coded[path][before - 1]), []) if before else []
        else:
            numbers = {number for some in lines.values() for number in some} or range(len(self.tests))
        nearness = dict.fromkeys(numbers, 0)
        for other, some in lines.items():
            for number in nearness.keys() & set(some):
                nearness[number] += 10 / (10 + abs(int(other) - line)) / len(some)
        numbers = sorted(numbers, key=lambda number: nearness[number] / (0.2 + self.tests[number][1]), reverse=True)
        chosen = []
        for test, seconds in (self.tests[number] for number in numbers):
            if seconds <= most and (test, seconds) not in self.left_out:
                chosen.append((test, seconds))
                most -= seconds
        return chosen
