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
MAKE = ["make", "--no-print-directory", "BUILD=build", "MAKEFLAGS="]
SANITIZED = '. tests/sanitizers/environment.sh address "$PWD/reports"; '


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
        process.wait(timeout=60)


def surroundings(folder, scratch="scratch"):
    """The environment of a test: what it writes lies in the folder."""
    end_processes(folder)
    scratch = os.path.join(folder, scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(os.path.join(scratch, "run"))
    return dict(os.environ, TMPDIR=scratch, XDG_RUNTIME_DIR=os.path.join(scratch, "run"))


class Tree:
    """A copy of the sources with its build. Under sanitizers a test fails too where these report something."""

    def __init__(self, folder, sanitized=False):
        self.folder, self.reports = folder, os.path.join(folder, "reports") if sanitized else None

    def make_command(self, *arguments):
        if not self.reports:
            return [*MAKE, "CFLAGS=-O2", *arguments]
        # The command for old machines is linked with symbols that a sanitizer has no place for.
        return ["bash", "-c", SANITIZED + 'exec "$@" CFLAGS="$sanitizer_flags"', "make", *MAKE,
                "OLD_GLIBC_COMMAND=", *arguments]

    def make(self, targets):
        return run(self.make_command(*targets), self.folder, BUILD_SECONDS)

    def passes(self, test, seconds):
        if not self.reports:
            return run(coverage.command(test), self.folder, 10 + 5 * seconds, surroundings(self.folder))
        shutil.rmtree(self.reports, ignore_errors=True)
        os.mkdir(self.reports)
        command = ["bash", "-c", SANITIZED + 'exec "$@"', "test", *coverage.command(test)]
        return (run(command, self.folder, 30 + 15 * seconds, surroundings(self.folder))
                and not os.listdir(self.reports))

    def fails(self, test, seconds):
        """Whether a test fails twice: a machine that is busy must not count."""
        return not self.passes(test, seconds) and not self.passes(test, seconds)

    def build(self, jobs, *more):
        """All that tests run."""
        units = [f"build/tests/unit/{test}" for test, name in coverage.every_test(self.folder) if name is None]
        subprocess.run(self.make_command(f"-j{jobs}", *more, "all", "sim", "preload-programs", "command-programs",
                                         *units), cwd=self.folder, check=True, stdout=subprocess.DEVNULL, timeout=7200)


def targets_of(test):
    program, name = test
    return ["library", "command", "command-programs", VIRTUAL] if name else [f"build/tests/unit/{program}"]


def title(test):
    return ": ".join(filter(None, test))


def noticed_by(path, text, change, tree, reach, most):
    """What notices the mutant that stands in the tree: a test, the compiler, or None. "same": it is none."""
    relative = os.path.relpath(path, tree.folder)
    target = f"build/obj/{relative[:-2]}.o"
    if not tree.make([target]):
        return "compiler"
    if filecmp.cmp(f"{tree.folder}/{target}", f"{tree.folder}/{target}.before", False):
        return "same"
    line = text.count("\n", 0, change[0]) + 1
    braces = re.findall(r"^[{}]", text[:change[0]], re.M)
    library_built = False
    for test, seconds in reach.tests_of(relative, line, bool(braces) and braces[-1] == "{", most):
        if not (test[1] and library_built) and not tree.make(targets_of(test)):
            return "compiler"
        library_built |= test[1] is not None
        if tree.fails(test, seconds):
            return title(test)
    return None


def try_out(path, change, tree, reach, most):
    relative = os.path.relpath(path, tree.folder)
    target = f"{tree.folder}/build/obj/{relative[:-2]}.o"
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
            os.unlink(f"{tree.folder}/build/obj/tests/sim/clock/{relative[:-2]}.o")
        except FileNotFoundError:
            pass
        end_processes(tree.folder)


def copy_sources(tree):
    """What git knows of, unless it is there as it is: make builds again what is newer."""
    os.makedirs(tree, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True, timeout=300).stdout.splitlines()
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


def measured_map(folder, jobs):
    """The map of the sources as they are; measured anew when any file differs."""
    tree, path = os.path.join(folder, "coverage"), os.path.join(folder, "coverage.json")
    stamp = os.path.join(folder, "coverage.of")
    digest = copy_sources(tree)
    if not os.path.exists(stamp) or open(stamp).read() != digest:
        print("measures which test reaches which line", flush=True)
        Tree(tree).build(jobs, "COVERAGE_BUILD=1")
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


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return list(map(json.loads, file))


class Trial:
    """Draws mutants until enough of them were built; several threads try them out."""

    def __init__(self, options, trees, reach):
        self.options, self.trees, self.reach = options, trees, reach
        self.lock = threading.Lock()
        self.drawn = changes.draw(options.seed, trees[0].folder)
        self.places, self.results, self.sanitized, self.pending = {}, {}, {}, 0
        self.path = os.path.join(options.folder, f"seed{options.seed}.jsonl")
        self.sanitized_path = os.path.join(options.folder, f"seed{options.seed}.sanitized.jsonl")
        self.known = {one["mutant"]: one["noticed"] for one in read_lines(self.path)}

    def tried(self):
        return {name: test for name, test in self.results.items() if test not in ("compiler", "same")}

    def survivors(self):
        same = equivalents()
        return [name for name, test in self.tried().items() if not test and without_line(name) not in same]

    def next(self):
        """The next mutant that is not known, or None if there are enough."""
        with self.lock:
            while len(self.tried()) + self.pending < self.options.count:
                path, change = next(self.drawn)
                name = changes.described(path, change, self.trees[0].folder)
                self.places[name] = (os.path.relpath(path, self.trees[0].folder), change)
                self.results[name] = self.known.get(name, "compiler")
                if name not in self.known:
                    self.pending += 1
                    return name
        return None

    def try_out(self, name, tree, seconds):
        path, change = self.places[name]
        return try_out(os.path.join(tree.folder, path), change, tree, self.reach, seconds)

    def note(self, name, noticed, path):
        with open(path, "a") as file:
            file.write(json.dumps({"mutant": name, "noticed": noticed}) + "\n")
        print(f"{noticed or 'SURVIVED'}\t{name}", flush=True)

    def work(self, tree):
        while name := self.next():
            noticed = self.try_out(name, tree, self.options.seconds)
            with self.lock:
                self.pending -= 1
                self.results[name] = noticed
                self.note(name, noticed, self.path)

    def run(self):
        threads = [threading.Thread(target=self.work, args=(tree,)) for tree in self.trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run_sanitized(self):
        """Tries the survivors again under sanitizers, where a test takes some four times as long."""
        self.sanitized = {one["mutant"]: one["noticed"] for one in read_lines(self.sanitized_path)}
        left = [name for name in self.survivors() if name not in self.sanitized]
        if not left:
            return
        print(f"{len(left)} survivors again, under sanitizers", flush=True)
        tree = Tree(os.path.join(self.options.folder, "sanitized"), True)
        copy_sources(tree.folder)
        tree.build(self.options.jobs)
        tests = {title(test): (test, seconds) for test, seconds in self.reach.tests}
        for name in left:
            # One that fails there without the mutant too does not notice it.
            while (noticed := self.try_out(name, tree, self.options.seconds / 4)) in tests:
                test, seconds = tests[noticed]
                if tree.make(targets_of(test)) and not tree.fails(test, seconds):
                    break
                self.reach.left_out.add((test, seconds))
            self.sanitized[name] = noticed if noticed in tests else None
            self.note(name, self.sanitized[name], self.sanitized_path)

    def summary(self):
        tried, survivors = self.tried(), self.survivors()
        harmless = [name for name, test in tried.items() if not test and name not in survivors]
        reported = [name for name in survivors if self.sanitized.get(name)]
        print(f"\nseed {self.options.seed}: {len(tried)} mutants; "
              f"{sum(test == 'compiler' for test in self.results.values())} more do not build, "
              f"{sum(test == 'same' for test in self.results.values())} more leave the object code as it is, "
              f"{len(harmless)} change nothing")
        for name in harmless + survivors:
            what = "the same" if name in harmless else "sanitizer" if name in reported else "SURVIVED"
            print(f"{what}\t{name}")
        others = len(tried) - len(harmless)
        print(f"{others - len(survivors)} of {others} noticed, and {len(reported)} more under sanitizers")


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
    trees = [Tree(os.path.join(options.folder, f"tree{number}")) for number in range(options.jobs)]
    for tree in trees:
        copy_sources(tree.folder)
        tree.build(options.jobs)
    for test, seconds in reach.failed:
        if seconds <= options.seconds and trees[0].fails(test, seconds):
            print(f"left out, as it fails without a mutant: {title(test)}", flush=True)
            reach.left_out.add((test, seconds))
    trial = Trial(options, trees, reach)
    trial.run()
    trial.run_sanitized()
    trial.summary()
    return 0


if __name__ == "__main__":
    sys.exit(main())
