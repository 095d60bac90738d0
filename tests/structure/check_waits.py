#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Nothing in a test waits without end. Fails, naming each, on
  a sleep in a shell script of tests/, but for those that stand in a line with "for": wait_until of
    tests/waits.bash has an end, and does not take a time for an event,
  a wait for all that was started: in bats, that is also its watch over the test's time,
  a process that Python starts or waits for without a timeout.
Usage: check_waits.py [ROOT]
"""
import ast
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHELL = (".bats", ".bash", ".sh")
BEGIN = r"(?:^|[;&|({]|\b(?:do|then|else|until|while|if|!))\s*"
SLEEP = re.compile(BEGIN + r"(?:u?sleep)\s")
WAIT = re.compile(BEGIN + r"wait\s*(?:$|[;&|)}#]|\|\|)")
STARTS = ("run", "call", "check_call", "check_output")
WAITS = ("wait", "communicate")


def shell_faults(text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("#", "@test")):
            continue
        if SLEEP.search(line) and not re.search(r"\bfor\b", line):
            yield number, "a sleep: wait_until has an end"
        if WAIT.search(line):
            yield number, "a wait for everything: name the process"


def python_faults(text):
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, owner = node.func.attr, node.func.value
        timed = any(keyword.arg == "timeout" for keyword in node.keywords)
        if name in STARTS and isinstance(owner, ast.Name) and owner.id == "subprocess" and not timed:
            yield node.lineno, f"subprocess.{name} without a timeout"
        elif name in WAITS and not node.args and not timed:
            yield node.lineno, f"{name}() without a timeout"


def main(root):
    wrong = []
    for folder, _, names in sorted(os.walk(os.path.join(root, "tests"))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            faults = (shell_faults if name.endswith(SHELL) and name != "waits.bash" else
                      python_faults if name.endswith(".py") else None)
            if faults:
                with open(path, encoding="utf-8") as file:
                    wrong += [f"{os.path.relpath(path, root)}:{number}: {what}"
                              for number, what in sorted(faults(file.read()))]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..")))
