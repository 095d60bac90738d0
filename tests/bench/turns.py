# SPDX-License-Identifier: MIT
"""
One program under several variants at once, each working only when it is asked to, in turns: what
the machine does meanwhile meets them all alike, and what they take to start is paid once.
"""
import os
import random
import signal
import subprocess
import tempfile
import threading


class Program:
    """
    A program that says `ready`, then does the work that each line names which it is sent, and says
    `done` after it.
    """

    def __init__(self, argv, environment, timeout):
        self._errors = tempfile.TemporaryFile()
        self._child = subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=self._errors,
                                       start_new_session=True)
        self._timer = threading.Timer(timeout, self._kill)
        self._timer.start()

    def _kill(self):
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def process_id(self):
        return self._child.pid

    def lines_until(self, last):
        """What it prints before the line `last`; None where it ended without."""
        lines = []
        for line in self._child.stdout:
            line = line.decode(errors="replace").strip()
            if line == last:
                return lines
            lines.append(line)
        return None

    def work(self, name):
        """The lines that it prints for one piece of work; None where it ended."""
        try:
            self._child.stdin.write(name.encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            return None
        return self.lines_until("done")

    def close_input(self):
        try:
            self._child.stdin.close()
        except BrokenPipeError:
            pass

    def end(self):
        """
        Waits for its end, which comes in the constructor's time at the latest; the last line of its
        errors where it failed, else None.
        """
        self.close_input()
        self._child.stdout.read()
        status = self._child.wait(timeout=600)
        self._timer.cancel()
        self._child.stdout.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        return ((said or [f"exit {status}"])[-1]) if status else None


# Goes on from one run to the next, and is the same in every benchmark.
ORDER = random.Random(1)


def in_turns(names, turns, variants):
    """
    (name, variant), every name with all variants before the next. What has just run shows in what
    follows, so no variant always follows the same one.
    """
    for name in list(names) * turns:
        for variant in ORDER.sample(variants, len(variants)):
            yield name, variant


def run(commands, names, turns, timeout, take):
    """
    Has the programs of {variant: (argv, environment)} do each of the named pieces of work in turns,
    and hands every line to take(variant, line). Returns {variant: why} for those that failed; what
    they gave before stands.
    """
    programs = {variant: Program(*command, timeout) for variant, command in commands.items()}
    working = [v for v, program in programs.items() if program.lines_until("ready") is not None]
    for name, variant in in_turns(names, turns, list(working)):
        if variant in working:
            lines = programs[variant].work(name)
            if lines is None:
                working.remove(variant)
                continue
            for line in lines:
                take(variant, line)
    # All at once: some take seconds to end.
    for program in programs.values():
        program.close_input()
    ends = {variant: program.end() for variant, program in programs.items()}
    return {variant: ends[variant] or "ended early" for variant in programs
            if ends[variant] or variant not in working}
