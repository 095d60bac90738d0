# SPDX-License-Identifier: MIT
"""Runs a program and says what came of it, and when."""
import dataclasses
import os
import signal
import subprocess
import threading
import time


@dataclasses.dataclass
class Outcome:
    returncode: int  # negative: the signal that ended it
    stdout: str
    stderr: str
    start_ns: int  # CLOCK_MONOTONIC, like the times below
    end_ns: int  # it was reaped
    stderr_ns: int  # the last that it said on stderr; 0 where it said nothing
    rss_kib: int  # peak resident memory
    timed_out: bool = False

    @property
    def wall_s(self):
        return (self.end_ns - self.start_ns) / 1e9


def _read(pipe, chunks, last):
    while chunk := os.read(pipe.fileno(), 65536):
        chunks.append(chunk)
        last[0] = time.monotonic_ns()


def run(argv, environment=None, timeout=300, directory=None):
    """Runs argv in its own process group, which is killed whole where the timeout passes."""
    started = time.monotonic_ns()
    child = subprocess.Popen(argv, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True)
    timed_out = []

    def kill():
        timed_out.append(True)
        os.killpg(child.pid, signal.SIGKILL)

    timer = threading.Timer(timeout, kill)
    timer.start()
    streams = [(child.stdout, [], [0]), (child.stderr, [], [0])]
    readers = [threading.Thread(target=_read, args=stream) for stream in streams]
    for reader in readers:
        reader.start()
    _, status, usage = os.wait4(child.pid, 0)
    ended = time.monotonic_ns()
    child.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    for reader in readers:
        reader.join(10)
    texts = [b"".join(chunks).decode(errors="replace") for _, chunks, _ in streams]
    for pipe, _, _ in streams:
        pipe.close()
    return Outcome(child.returncode, texts[0], texts[1], started, ended, streams[1][2][0],
                   usage.ru_maxrss, bool(timed_out))
