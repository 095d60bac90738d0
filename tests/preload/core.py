# SPDX-License-Identifier: MIT
"""Runs a program that may write a core, in an empty folder, and prints how it ended: by which signal,
with a core or not, and, where cores are files there, the signal's code and whether the main thread
got it, by the core. usage: core.py PROGRAM [ARGUMENT…]"""
import glob
import os
import resource
import struct
import sys

PT_NOTE = 4
NT_PRSTATUS = 1
NT_SIGINFO = 0x53494749


def notes(data):
    """The type and content of each note of a 64-bit core."""
    headers, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for number in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, headers + number * size)
        at = offset
        while kind == PT_NOTE and at < offset + length:
            name_size, content_size, note = struct.unpack_from("<III", data, at)
            at += 12 + (name_size + 3) // 4 * 4
            yield note, data[at:at + content_size]
            at += (content_size + 3) // 4 * 4


def describe(path, process):
    """The first thread of a core is the one that got the signal."""
    with open(path, "rb") as core:
        found = list(notes(core.read()))
    status = next(content for note, content in found if note == NT_PRSTATUS)
    information = next(content for note, content in found if note == NT_SIGINFO)
    thread, = struct.unpack_from("<i", status, 32)
    number, _, code = struct.unpack_from("<iii", information)
    return f"signal {number} code {code} {'main' if thread == process else 'other'} thread"


def main():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    process = os.fork()
    if process == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    _, status = os.waitpid(process, 0)
    if not os.WIFSIGNALED(status):
        print("status", os.waitstatus_to_exitcode(status))
        return
    print("signal", os.WTERMSIG(status), "core" if os.WCOREDUMP(status) else "no core")
    for path in glob.glob("core*"):
        print(describe(path, process))
        os.unlink(path)


main()
