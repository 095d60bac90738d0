#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the samples in the documents anew, on this machine's GPU.

usage: document_samples.py [--output FOLDER] [--profiles FOLDER] [PAGE…]

A sample is a block of a page between <!-- sample --> and <!-- end of sample -->. Its lines that
begin with "$ " are the commands, the others what they printed. The commands are run as in a
terminal, one after the other, in a folder that has the workloads, tests/gpu's programs and its
Python programs; all samples of a page share the folder. <!-- device -->…<!-- end of device --> is
the GPU, the driver and the date. Pages are changed in place, or written below FOLDER.

A sample whose last command fails stays as it was, and so does one that needs what is not here
(PyTorch): the commands end with status 77. Needs the built command, library and workloads. Ends with 1
if a sample failed. --profiles has pages.sh make the pages that pictures.sh makes the documents' pictures of; that
needs PyTorch and build/bench/launch_loop.
"""
import argparse
import datetime
import fcntl
import glob
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(ROOT, os.environ.get("BUILD", "build"))
PAGES = ["README.md", "docs/*.md"]
SAMPLE = re.compile(r"(<!-- sample -->\n+)(.*?)(\n+<!-- end of sample -->)", re.S)
DEVICE = re.compile(r"(<!-- device -->)(.*?)(<!-- end of device -->)", re.S)
INDENT = "    "
COLUMNS = 116
LIMIT_S = 300
SKIPPED = 77
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()].|\r")


def folder_of_programs(folder):
    """Links to what the commands name."""
    os.symlink(BUILT, os.path.join(folder, "build"))
    for pattern in (os.path.join(BUILT, "workloads", "*"), os.path.join(BUILT, "gpu", "*"),
                    os.path.join(ROOT, "tests", "gpu", "python", "*.py")):
        for path in glob.glob(pattern):
            if os.path.isfile(path) and not path.endswith(".d"):
                os.symlink(path, os.path.join(folder, os.path.basename(path)))


def environment():
    changed = dict(os.environ, TERM="dumb", PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8")
    for name in ("KTIME_OPTIONS", "LD_PRELOAD"):
        changed.pop(name, None)
    changed["PATH"] = BUILT + ":" + changed["PATH"]
    # Of what the command is linked to, the machine may lack.
    libraries = os.path.join(BUILT, "gpu", "lib")
    if os.path.isdir(libraries):
        changed["LD_LIBRARY_PATH"] = ":".join(
            filter(None, [changed.get("LD_LIBRARY_PATH"), libraries]))
    return changed


def run_in_terminal(script, folder):
    """(status, what the terminal shows)"""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment(),
                               stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               start_new_session=True)
    os.close(slave)
    expired = threading.Timer(LIMIT_S, os.killpg, (process.pid, signal.SIGKILL))
    expired.start()
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last process that had the terminal is gone
            break
        if not part:
            break
        shown += part
    status = process.wait(timeout=LIMIT_S)
    expired.cancel()
    os.close(master)
    return status, ESCAPES.sub("", shown.decode(errors="replace"))


def commands_of(block):
    """A command may go on in a line that follows a backslash."""
    commands = []
    for line in block.splitlines():
        line = line[len(INDENT):]
        if commands and commands[-1].endswith("\\"):
            commands[-1] += "\n" + line
        elif line.startswith("$ "):
            commands.append(line[2:])
    return commands


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def sample(block, folder):
    """(the block anew, what went wrong)"""
    commands = commands_of(block)
    status, shown = run_in_terminal(
        "\n".join(f"printf '%s\\n' {quoted('$ ' + command)}\n{command}" for command in commands), folder)
    if status == SKIPPED:
        return block, None
    if status:
        return block, f"status {status} of {'; '.join(commands)}:\n{shown}"
    lines = [line.rstrip() for line in shown.strip("\n").splitlines()]
    return "\n".join(INDENT + line if line else "" for line in lines), None


def device():
    answer = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                            stdout=subprocess.PIPE, text=True, check=True,
                            timeout=LIMIT_S).stdout.splitlines()[0]
    name, driver = answer.split(", ")
    return f"an {name}, driver {driver}, {datetime.date.today()}"


def make_page(path, output):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        page = file.read()
    if not SAMPLE.search(page):
        return []
    wrong = []
    folder = tempfile.mkdtemp(prefix="ktime-samples-")
    folder_of_programs(folder)

    def anew(match):
        block, failure = sample(match.group(2), folder)
        if failure:
            wrong.append(f"{path}: {failure}")
        return match.group(1) + block + match.group(3)

    try:
        page = SAMPLE.sub(anew, page)
        if not wrong and shutil.which("nvidia-smi"):
            page = DEVICE.sub(lambda match: match.group(1) + device() + match.group(3), page)
    finally:
        shutil.rmtree(folder)
    target = os.path.join(output, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(page)
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--output", default=ROOT)
    parser.add_argument("--profiles")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    pages = options.pages or [os.path.relpath(path, ROOT) for pattern in PAGES
                              for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]
    wrong = [failure for page in pages for failure in make_page(page, options.output)]
    if options.profiles:
        made = subprocess.run(["sh", os.path.join(ROOT, "tests", "gpu", "pages.sh"), options.profiles],
                              timeout=4 * LIMIT_S)
        if made.returncode:
            wrong.append(f"pages.sh: status {made.returncode}")
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
