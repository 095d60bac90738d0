#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the sources in small ways, one at a time, and runs the tests that reach the place.

A mutant that no test notices is a survivor, and a hint at a test that is missing. Places and
changes are drawn by SEED; what was tried before is kept in FOLDER and not tried again. Works in a
copy of the source tree. Survivors that change nothing are named in equivalent.txt.
"""
import argparse
import filecmp
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SOURCES = ("preload", "cupti", "report")
BUILD_SECONDS = 300
TEST_SECONDS = 120

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


def members(text):
    """The members of each struct that are of one type, as lists of names."""
    lists = []
    for body in re.findall(r"^struct \w+ \{\n(.*?)^\}", text, re.M | re.S):
        by_type = {}
        for kind, names in re.findall(r"^\s+([\w ]+?) (\w+(?:, \w+)*);", body, re.M):
            by_type.setdefault(kind, []).extend(names.split(", "))
        lists += [names for names in by_type.values() if len(names) > 1]
    return lists


def blank_comments(text):
    """The text with comments and strings as blanks, so that positions stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\])'|^#(?:[^\n\\]|\\.|\\\n)*",
                  blank, text, flags=re.S | re.M)


def swap(names, name, chance):
    return chance.choice([other for other in names if other != name])


def changes(path, chance, structs):
    """All single changes of a file: (offset, length, new text, what)."""
    with open(path) as file:
        code = blank_comments(file.read())
    found = []
    for match in re.finditer(r"(?<=[\w)\]] )(<=|>=|==|!=|<|>)(?= [\w(\-!&*])", code):
        found.append((match.start(), len(match.group(1)), COMPARISONS[match.group(1)], "comparison"))
    for match in re.finditer(r"^\t+(?!return|goto|break|continue|case|default|const|static|struct|enum"
                             r"|u?int|unsigned|bool|char|void|size_t|double)"
                             r"[\w*&(][^;{}=\n]*(?:=[^;{}\n]*)?;$", code, re.M):
        statement = match.group(0).strip()
        # A declaration is no statement.
        if re.match(r"[\w ]+ \**\w+(\[.*\])?( =.*)?(, .*)?;$", statement) and "(" not in statement.split("=")[0]:
            if not re.match(r"[\w.>\-\[\]*]+(\+\+|--| [-+|&^]?=)", statement):
                continue
        indent = len(match.group(0)) - len(match.group(0).lstrip("\t"))
        found.append((match.start() + indent, len(match.group(0)) - indent, ";", "statement dropped"))
    for match in re.finditer(r"\bif \(([^\n]*)\)(?: \{)?$", code, re.M):
        found.append((match.start(1), len(match.group(1)), "0 && (%s)", "check removed"))
    for match in re.finditer(r"(?<![\w.])([1-9]\d{0,3})(?![\w.\]])", code):
        number = int(match.group(1))
        found.append((match.start(1), len(match.group(1)), str(number + chance.choice((1, -1))), "constant"))
    for match in re.finditer(r"(?:->|\.)(\w+)(?![\w(])", code):
        for names in structs:
            if match.group(1) in names:
                found.append((match.start(1), len(match.group(1)), swap(names, match.group(1), chance),
                              "wrong member"))
                break
    for match in re.finditer(r"\b\w+\((\w[\w>.\-]*), (\w[\w>.\-]*)\)", code):
        if match.group(1) != match.group(2):
            first, second = match.group(1), match.group(2)
            found.append((match.start(1), match.end(2) - match.start(1), f"{second}, {first}", "arguments swapped"))
    return found


def apply(text, change):
    offset, length, new, _ = change
    old = text[offset:offset + length]
    return text[:offset] + new.replace("%s", old) + text[offset + length:]


def draw(seed, folder):
    """One mutant of the tree after the other, each kind of change as often as the others."""
    chance = random.Random(seed)
    paths = sorted(os.path.join(base, name) for source in SOURCES
                   for base, _, names in os.walk(os.path.join(folder, source))
                   for name in names if name.endswith(".c"))
    headers = ""
    for source in SOURCES:
        for base, _, names in os.walk(os.path.join(folder, source)):
            for name in sorted(names):
                if name.endswith(".h"):
                    with open(os.path.join(base, name)) as file:
                        headers += file.read()
    structs = members(headers)
    every = [(path, change) for path in paths for change in changes(path, chance, structs)]
    kinds = sorted({change[3] for _, change in every})
    by_kind = {kind: [one for one in every if one[1][3] == kind] for kind in kinds}
    while True:
        kind = chance.choice(kinds)
        if by_kind[kind]:
            yield by_kind[kind].pop(chance.randrange(len(by_kind[kind])))


def run(command, folder, seconds, environment=None):
    """Whether it ends with 0 in time; all that it started ends with it."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True, env=environment)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def tests_of(path, folder):
    """What reaches a source, by tests.txt: the unit tests first, then the others; as commands."""
    relative = os.path.relpath(path, folder)
    units, files = [], []
    with open(os.path.join(ROOT, "tests", "mutants", "tests.txt")) as file:
        for line in file:
            words = line.split()
            if not words or words[0].startswith("#") or not relative.startswith(words[0]):
                continue
            units += [word for word in words[1:] if word.startswith("test_")]
            files += [word for word in words[1:] if word.endswith(".bats")]
    return list(dict.fromkeys(units)), list(dict.fromkeys(files))


def every_test():
    with open(os.path.join(ROOT, "tests", "mutants", "tests.txt")) as file:
        words = [word for line in file if not line.startswith("#") for word in line.split()[1:]]
    return dict.fromkeys(words)


def fails(test, folder, environment, times):
    """Whether a test fails, each of so many times: a machine that is busy must not count."""
    command = ["bats", "--tap", f"tests/{test}"] if test.endswith(".bats") else [f"build/tests/unit/{test}"]
    return all(not run(command, folder, TEST_SECONDS, environment) for _ in range(times))


def notices(path, folder, jobs, left_out):
    """What notices the mutant that stands in the tree: None if nothing does."""
    units, files = tests_of(path, folder)
    make = ["make", f"-j{jobs}", "BUILD=build"]
    if not run(make + ["library", "command"], folder, BUILD_SECONDS):
        return "compiler"
    environment = surroundings(folder)
    for test in units + files:
        if test.startswith("test_") and not run(make + [f"build/tests/unit/{test}"], folder, BUILD_SECONDS):
            return "compiler"
        if test not in left_out and fails(test, folder, environment, 2):
            return test
    return None


def surroundings(folder):
    """The environment of a test: what it writes lies in the folder."""
    scratch = os.path.join(folder, "scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(os.path.join(scratch, "run"))
    return dict(os.environ, TMPDIR=scratch, XDG_RUNTIME_DIR=os.path.join(scratch, "run"))


def described(path, change, folder):
    with open(path) as file:
        text = file.read()
    line = text.count("\n", 0, change[0]) + 1
    before = text.splitlines()[line - 1].strip()
    after = apply(text, change).splitlines()[line - 1].strip()
    return f"{os.path.relpath(path, folder)}:{line}: {change[3]}: {before}  ->  {after}"


def equivalents():
    try:
        with open(os.path.join(ROOT, "tests", "mutants", "equivalent.txt")) as file:
            return [line.split("\t")[0] for line in file if line.strip() and not line.startswith("#")]
    except FileNotFoundError:
        return []


def without_line(description):
    return re.sub(r":\d+: ", ": ", description, count=1)


def try_out(path, change, tree, jobs, left_out):
    with open(path) as file:
        text = file.read()
    try:
        with open(path, "w") as file:
            file.write(apply(text, change))
        return notices(path, tree, jobs, left_out)
    finally:
        with open(path, "w") as file:
            file.write(text)


def copy_sources(tree):
    """What git knows of, unless it is there as it is: make builds again what is newer."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for name in listed:
        source, copy = os.path.join(ROOT, name), os.path.join(tree, name)
        if not os.path.isfile(source) or os.path.isfile(copy) and filecmp.cmp(source, copy, False):
            continue
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(source, copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--folder", default="/tmp/ktime-mutants", help="the copy, and what was found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    tree = os.path.join(options.folder, "tree")
    os.makedirs(tree, exist_ok=True)
    copy_sources(tree)
    tests = every_test()
    units = [f"build/tests/unit/{test}" for test in tests if test.startswith("test_")]
    subprocess.run(["make", f"-j{options.jobs}", "BUILD=build", "all", "sim", "preload-programs", "command-programs"] + units,
                   cwd=tree, check=True, stdout=subprocess.DEVNULL)
    environment = surroundings(tree)
    left_out = [test for test in tests if fails(test, tree, environment, 1)]
    for test in left_out:
        print(f"left out, as it fails without a mutant: {test}")

    known_path = os.path.join(options.folder, f"seed{options.seed}.jsonl")
    known, results = {}, {}
    if os.path.exists(known_path):
        with open(known_path) as file:
            known = {one["mutant"]: one["noticed"] for one in map(json.loads, file)}
    for path, change in draw(options.seed, tree):
        if sum(test != "compiler" for test in results.values()) >= options.count:
            break
        name = described(path, change, tree)
        if name not in known:
            known[name] = try_out(path, change, tree, options.jobs, left_out)
            with open(known_path, "a") as file:
                file.write(json.dumps({"mutant": name, "noticed": known[name]}) + "\n")
            print(f"{known[name] or 'SURVIVED'}\t{name}", flush=True)
        results[name] = known[name]

    same = equivalents()
    built = {name: test for name, test in results.items() if test != "compiler"}
    survivors = [name for name, test in built.items() if not test]
    harmless = [name for name in survivors if without_line(name) in same]
    wanted = len(built) - len(harmless)
    print(f"\nseed {options.seed}: {len(built)} mutants, {len(results) - len(built)} more that do not build, "
          f"{len(harmless)} that change nothing")
    for name in survivors:
        print(f"{'the same' if name in harmless else 'SURVIVED'}\t{name}")
    print(f"{wanted - len(survivors) + len(harmless)} of {wanted} noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
