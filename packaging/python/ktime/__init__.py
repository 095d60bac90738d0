# SPDX-License-Identifier: MIT
"""Becomes the ktime command that lies beside this file: the same process, arguments and status."""

import os
import signal
import sys

COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ktime")


def _environment():
    """What this process was started with: Python itself may have added LC_CTYPE since."""
    try:
        with open("/proc/self/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        entries = []
    return dict(entry.split(b"=", 1) for entry in entries if b"=" in entry) or os.environb


def main():
    # Python ignores these two, and what is ignored stays so in the program.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execve(COMMAND, ["ktime"] + sys.argv[1:], _environment())
    except OSError as error:
        sys.stderr.write("ktime: %s: %s\n" % (COMMAND, error.strerror))
        return 126
