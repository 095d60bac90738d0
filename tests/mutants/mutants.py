#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the sources in small ways, one at a time, and runs the tests that reach the place.

A mutant that no test notices is a survivor, and a hint at a test that is missing. Places and
changes are drawn by SEED; what was tried before is kept in FOLDER and not tried again. Works in
copies of the source tree. Which test reaches which line is measured once (coverage.py); those that
are near and quick are run, as many as take SECONDS together, until one fails. A mutant whose object
code is the same is none. Survivors that change nothing are named in equivalent.txt.
"""
import argparse
import filecmp
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

import changes
import coverage

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD_SECONDS = 600
VIRTUAL = "build/sim/libktime_virtual.so"
MAKE = ["make", "--no-print-directory", "BUILD=build", "CFLAGS=-O2", "MAKEFLAGS="]


def end_processes(folder):
    """Ends what still runs with a scratch folder in the folder."""
    mark = f"TMPDIR={folder}/scratch".encode()
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if any(one.startswith(mark) for one in file.read().split(b"\0")):
                    os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass


def run(command, folder, seconds, environment=None):
    """Whether it ends with 0 in time; what it started ends with it."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL, start_new_session=True, env=environment)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def surroundings(folder, scratch="scratch"):
    """The environment of a test: what it writes lies in the folder."""
    end_processes(folder)
    scratch = os.path.join(folder, scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(os.path.join(scratch, "run"))
    return dict(os.environ, TMPDIR=scratch, XDG_RUNTIME_DIR=os.path.join(scratch, "run"))


def fails(test, seconds, folder):
    """Whether a test fails twice: a machine that is busy must not count."""
    return all(not run(coverage.command(test), folder, 10 + 5 * seconds, surroundings(folder)) for _ in range(2))


def noticed_by(path, text, change, tree, reach, most):
    """What notices the mutant that stands in the tree: a test, the compiler, or None. "same": it is none."""
    relative = os.path.relpath(path, tree)
    target = f"build/obj/{relative[:-2]}.o"
    if not run(MAKE + [target], tree, BUILD_SECONDS):
        return "compiler"
    if filecmp.cmp(f"{tree}/{target}", f"{tree}/{target}.before", False):
        return "same"
    line = text.count("\n", 0, change[0]) + 1
    braces = re.findall(r"^[{}]", text[:change[0]], re.M)
    library_built = False
    for test, seconds in reach.tests_of(relative, line, bool(braces) and braces[-1] == "{", most):
        if test[1] is None:
            targets = [f"build/tests/unit/{test[0]}"]
        else:
            targets = [] if library_built else ["library", "command", "command-programs", VIRTUAL]
            library_built = True
        if targets and not run(MAKE + targets, tree, BUILD_SECONDS):
            return "compiler"
        if fails(test, seconds, tree):
            return ": ".join(filter(None, test))
    return None


def try_out(path, change, tree, reach, most):
    target = f"{tree}/build/obj/{os.path.relpath(path, tree)[:-2]}.o"
    stat = os.stat(path)
    with open(path) as file:
        text = file.read()
    shutil.copyfile(target, f"{target}.before")
    try:
        with open(path, "w") as file:
            file.write(changes.apply(text, change))
        return noticed_by(path, text, change, tree, reach, most)
    finally:
        with open(path, "w") as file:
            file.write(text)
        # make takes the object for newer than all that is linked from it.
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        shutil.copyfile(f"{target}.before", target)
        # That of the library with the simulated device's clock, which not every file has, is built anew.
        try:
            os.unlink(f"{tree}/build/obj/tests/sim/clock/{os.path.relpath(path, tree)[:-2]}.o")
        except FileNotFoundError:
            pass
        end_processes(tree)


def copy_sources(tree):
    """What git knows of, unless it is there as it is: make builds again what is newer."""
    os.makedirs(tree, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.splitlines()
    listed = {name for name in listed if os.path.isfile(os.path.join(ROOT, name))}
    digest = hashlib.sha256()
    for name in sorted(listed):
        source, copy = os.path.join(ROOT, name), os.path.join(tree, name)
        if name.startswith(("Makefile", "preload/", "cupti/", "report/", "tests/")) and "/mutants/" not in name:
            with open(source, "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
        if os.path.isfile(copy) and filecmp.cmp(source, copy, False):
            continue
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(source, copy)
    # make builds what lies there.
    for base, _, names in (one for folder in changes.SOURCES + ("tests",) for one in os.walk(os.path.join(tree, folder))):
        for name in names:
            if os.path.relpath(os.path.join(base, name), tree) not in listed:
                os.unlink(os.path.join(base, name))
    return digest.hexdigest()


def build(tree, jobs, *more):
    units = [f"build/tests/unit/{test}" for test, name in coverage.every_test(tree) if name is None]
    subprocess.run(MAKE + [f"-j{jobs}", *more, "all", "sim", "preload-programs", "command-programs"] + units,
                   cwd=tree, check=True, stdout=subprocess.DEVNULL)


def measured_map(folder, jobs):
    """The map of the sources as they are; measured anew when any file differs."""
    tree, path = os.path.join(folder, "coverage"), os.path.join(folder, "coverage.json")
    stamp = os.path.join(folder, "coverage.of")
    digest = copy_sources(tree)
    if not os.path.exists(stamp) or open(stamp).read() != digest:
        print("measures which test reaches which line", flush=True)
        build(tree, jobs, "COVERAGE_BUILD=1")
        measured = coverage.measure(tree, run, [surroundings(tree, f"scratch{place}") for place in range(jobs)])
        end_processes(tree)
        with open(path, "w") as file:
            json.dump(measured, file)
        with open(stamp, "w") as file:
            file.write(digest)
    return coverage.Map(path)


def equivalents():
    with open(os.path.join(ROOT, "tests", "mutants", "equivalent.txt")) as file:
        return [line.split("\t")[0] for line in file if line.strip() and not line.startswith("#")]


def without_line(description):
    return re.sub(r":\d+: ", ": ", description, count=1)


class Trial:
    """Draws mutants until enough of them were built; several threads try them out."""

    def __init__(self, options, trees, reach):
        self.options, self.trees, self.reach = options, trees, reach
        self.lock = threading.Lock()
        self.drawn = changes.draw(options.seed, trees[0])
        self.results, self.pending = {}, 0
        self.path = os.path.join(options.folder, f"seed{options.seed}.jsonl")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.known = {one["mutant"]: one["noticed"] for one in map(json.loads, file)}

    def tried(self):
        return {name: test for name, test in self.results.items() if test not in ("compiler", "same")}

    def next(self):
        """The next mutant that is not known, or None if there are enough."""
        with self.lock:
            while len(self.tried()) + self.pending < self.options.count:
                path, change = next(self.drawn)
                name = changes.described(path, change, self.trees[0])
                self.results[name] = self.known.get(name, "compiler")
                if name not in self.known:
                    self.pending += 1
                    return name, os.path.relpath(path, self.trees[0]), change
        return None

    def work(self, tree):
        while one := self.next():
            name, path, change = one
            noticed = try_out(os.path.join(tree, path), change, tree, self.reach, self.options.seconds)
            with self.lock:
                self.pending -= 1
                self.results[name] = noticed
                with open(self.path, "a") as file:
                    file.write(json.dumps({"mutant": name, "noticed": noticed}) + "\n")
                print(f"{noticed or 'SURVIVED'}\t{name}", flush=True)

    def run(self):
        threads = [threading.Thread(target=self.work, args=(tree,)) for tree in self.trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def summary(self):
        same, tried = equivalents(), self.tried()
        survivors = [name for name, test in tried.items() if not test]
        harmless = [name for name in survivors if without_line(name) in same]
        print(f"\nseed {self.options.seed}: {len(tried)} mutants; "
              f"{sum(test == 'compiler' for test in self.results.values())} more do not build, "
              f"{sum(test == 'same' for test in self.results.values())} more leave the object code as it is, "
              f"{len(harmless)} change nothing")
        for name in survivors:
            print(f"{'the same' if name in harmless else 'SURVIVED'}\t{name}")
        print(f"{len(tried) - len(survivors)} of {len(tried) - len(harmless)} noticed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--folder", default="/tmp/ktime-mutants", help="the copies, and what was found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time")
    parser.add_argument("--seconds", type=float, default=60, help="of tests for a mutant, the nearest first")
    options = parser.parse_args()

    for name in ("KTIME_OPTIONS", "LD_PRELOAD", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD"):
        os.environ.pop(name, None)
    os.makedirs(options.folder, exist_ok=True)
    reach = measured_map(options.folder, options.jobs)
    trees = [os.path.join(options.folder, f"tree{number}") for number in range(options.jobs)]
    for tree in trees:
        copy_sources(tree)
        build(tree, options.jobs)
    for test, seconds in reach.failed:
        if seconds <= options.seconds and fails(test, seconds, trees[0]):
            print(f"left out, as it fails without a mutant: {': '.join(filter(None, test))}", flush=True)
            reach.left_out.add((test, seconds))
    trial = Trial(options, trees, reach)
    trial.run()
    trial.summary()
    return 0


if __name__ == "__main__":
    sys.exit(main())
