#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What ktime is to say of the programs that tests/preload/programs/timeline.c runs: a second account of
the simulated device's time, from its rules alone, kept as simple as possible.

  timeline_model.py make SEED          prints random commands, one a line
  timeline_model.py expect COMMAND…    prints, as JSON, each device's time, busy and idle
  timeline_model.py said FILE          prints what a JSON export says, in the same form

The program has to run with SIM_LAUNCH_NS=4000 and SIM_CALL_NS as CALL_NS below has it.
"""
import json
import random
import sys

LAUNCH_NS, SUBMIT_NS = 4000, 2000
CALL_NS = {"cuMemAlloc_v2": 70001, "cuMemFree_v2": 90007, "cuCtxSynchronize": 6011,
           "cuStreamSynchronize": 5003}
BYTES_PER_US = {"c": 50000, "p": 20000, "C": 20000, "z": 2000000}
STREAMS = range(4)
SHORT_NS = 5000
FIRST_NS = 1000000


class Model:
    def __init__(self):
        self.furthest = FIRST_NS
        self.hosts = {0: FIRST_NS}
        self.devices, self.contexts = {}, {}      # of a thread
        self.tails, self.event = {}, 0            # by context and stream; of the last event
        self.used = set()                         # streams, since the host last waited for them
        self.calls = {}                           # of a thread: (begin, end, name, waits, works)
        self.operations = []                      # (device, start, end, is copy, thread, call)
        self.context_count, self.known = 0, {("d", 0)}  # contexts that have been used

    def spend(self, thread, ns):
        self.hosts[thread] += ns
        self.furthest = max(self.furthest, self.hosts[thread])

    def until(self, thread, ns):
        self.spend(thread, max(0, ns - self.hosts[thread]))

    def context(self, thread):
        return self.contexts.setdefault(thread, ("d", 0))

    def device(self, thread):
        return self.devices.setdefault(thread, 0)

    def end_of_work(self, thread):
        context = self.context(thread)
        return max((tail for key, tail in self.tails.items() if key[0] == context), default=0)

    def rest(self, thread, streams):
        context = self.context(thread)
        self.used -= {(context, stream) for stream in streams}

    def touch(self, thread, stream):
        """An event takes place when it is recorded, if the device has nothing else to do."""
        key = self.context(thread), stream
        if key not in self.used:
            self.tails[key] = max(self.tails.get(key, 0), self.hosts[thread])
            self.used.add(key)
        return key

    def work(self, thread, name, ns, stream, is_copy, waits=False):
        begin = self.hosts[thread]
        key = self.touch(thread, stream)
        self.spend(thread, SUBMIT_NS)
        start = max(self.tails.get(key, 0), begin + LAUNCH_NS)
        self.tails[key] = start + ns
        if waits:
            self.until(thread, start + ns)
        calls = self.calls.setdefault(thread, [])
        calls.append((begin, self.hosts[thread], name, waits, True))
        self.operations.append((self.device(thread), start, start + ns, is_copy, thread,
                                len(calls) - 1))

    def host_call(self, thread, name, until=0, waits=False):
        begin = self.hosts[thread]
        self.until(thread, until)
        self.spend(thread, CALL_NS[name])
        # A thread's calls are timed once it has made the GPU work.
        if self.calls.get(thread):
            plain = name.removesuffix("_v2")
            self.calls[thread].append((begin, self.hosts[thread], plain, waits, False))

    def obey(self, command):
        thread, _, words = command.rpartition("/")
        thread = int(thread or 0)
        self.hosts.setdefault(thread, self.furthest)
        what, *numbers = words.split(",")
        numbers = [int(number) for number in numbers] + [0, 0]
        if what == "k":
            self.work(thread, "cuLaunchKernel", numbers[0], numbers[1], False)
        elif what in "cpz":
            name = "cuMemsetD8Async" if what == "z" else "cuMemcpyHtoDAsync"
            self.work(thread, name, 1000 + numbers[0] * 1000 // BYTES_PER_US[what], numbers[1], True)
        elif what == "C":
            self.work(thread, "cuMemcpyHtoD", 1000 + numbers[0] * 1000 // BYTES_PER_US["C"],
                      "legacy", True, True)
        elif what == "m":
            self.host_call(thread, "cuMemAlloc_v2")
        elif what == "f":
            self.host_call(thread, "cuMemFree_v2", self.end_of_work(thread))
            self.rest(thread, STREAMS)
        elif what == "s":
            self.host_call(thread, "cuCtxSynchronize", self.end_of_work(thread), True)
            self.rest(thread, STREAMS)
        elif what == "S":
            tail = self.tails.get((self.context(thread), numbers[0]), 0)
            self.host_call(thread, "cuStreamSynchronize", tail, True)
            self.rest(thread, [numbers[0]])
        elif what == "r":
            self.event = self.tails.get(self.touch(thread, numbers[0]), 0)
        elif what == "w":
            key = self.touch(thread, numbers[0])
            self.tails[key] = max(self.tails.get(key, 0), self.event)
        elif what == "h":
            self.spend(thread, numbers[0])
        elif what == "@":
            self.until(thread, numbers[0])
        elif what in "dn":
            self.context_count += what == "n"
            self.devices[thread] = numbers[0] if what == "d" else self.device(thread)
            self.contexts[thread] = (what, numbers[0] if what == "d" else self.context_count)
            if self.contexts[thread] not in self.known:
                self.known.add(self.contexts[thread])
                self.host_call(thread, "cuMemAlloc_v2")

    def causes(self, begin, operation):
        """Each part of the gap from `begin` to an operation: {cause: nanoseconds}."""
        _, end, _, _, thread, number = operation
        calls = self.calls[thread]
        call_begin, call_end = calls[number][:2]
        if end - begin < SHORT_NS:
            queued = call_end + SHORT_NS <= begin
            return {"dependency" if queued else "short": end - begin}
        if call_end <= begin:
            return {"dependency": end - begin}
        parts = {}

        def add(cause, start, stop):
            length = min(stop, end) - max(start, begin)
            if length > 0:
                parts[cause] = parts.get(cause, 0) + length

        add("launch latency", call_begin, end)
        after = call_begin
        for i in range(number - 1, -2, -1):
            before = calls[i] if i >= 0 else (0, 0, None, False, False)
            last = next((c for c in reversed(calls[:i + 1]) if c[3] or c[4]), before)
            add("program after waiting" if last[3] else "program", before[1], after)
            if before[2]:
                add("call " + before[2], before[0], before[1])
            after = before[0]
        return parts

    def use(self, device):
        operations = sorted(o for o in self.operations if o[0] == device)
        parts, until = {}, operations[0][1]
        for operation in operations:
            if operation[1] > until:
                for cause, part in self.causes(until, operation).items():
                    parts[cause] = parts.get(cause, 0) + part
            until = max(until, operation[2])
        return {"device": device, "whole": until - operations[0][1],
                "busy": union(operations),
                "kernels": union(o for o in operations if not o[3]),
                "copies": union(o for o in operations if o[3]),
                "idle": dict(sorted(parts.items()))}


def union(operations):
    covered, until = 0, 0
    for operation in operations:
        covered += max(0, operation[2] - max(until, operation[1]))
        until = max(until, operation[2])
    return covered


def expect(commands):
    model = Model()
    for command in commands:
        model.obey(command)
    return [model.use(device) for device in sorted({o[0] for o in model.operations})]


def said(path):
    uses = []
    with open(path, encoding="utf-8") as file:
        for use in json.load(file)["use"]:
            parts = {}
            for cause in use["causes"]:
                name = cause["cause"] + (" " + cause["function"] if "function" in cause else "")
                parts[name] = parts.get(name, 0) + cause["total"]
            uses.append({"device": use["device"], "whole": use["last"] - use["first"],
                         "busy": use["busy"], "kernels": use["busy_kernels"],
                         "copies": use["busy_copies"], "idle": dict(sorted(parts.items()))})
    return uses


def make(seed):
    """Two threads with streams of their own; all are at one time when ktime collects."""
    chance = random.Random(seed)
    commands, model = [], Model()

    def say(thread, words):
        commands.append(f"{thread}/{words}" if thread else words)
        model.obey(commands[-1])

    devices = seed % 2 + 1
    threads = seed // 2 % 2 + 1
    say(0, "k,10000,0")
    if threads > 1:
        say(1, "h,777")  # no two operations begin at one time
    for _ in range(60):
        thread = chance.randrange(threads)
        stream = 2 * thread + chance.randrange(2)
        number = chance.randrange(1001, 60000)
        kind = chance.choice("kkkkkkccpzCmfsSrwhhhhhdnx")
        if kind == "k":
            say(thread, f"k,{number},{stream}")
        elif kind in "cp":
            say(thread, f"{kind},{number * 50},{stream}")
        elif kind == "z":
            say(thread, f"z,{number * 400},{stream}")
        elif kind == "C":
            say(thread, f"C,{number * 10}")
        elif kind in "ms" and model.calls.get(thread):
            say(thread, kind)
            if kind == "m":
                say(thread, "f")
        elif kind in "Srw":
            say(thread, f"{kind},{stream}")
        elif kind == "h":
            say(thread, f"h,{number * 3}")
        elif kind == "d" and devices > 1:
            say(thread, f"d,{chance.randrange(devices)}")
        elif kind == "n" and chance.random() < 0.1:
            say(thread, "n")
        elif kind == "x" and chance.random() < 0.3:
            for other in range(threads):
                if other in model.hosts:
                    say(other, f"@,{model.furthest + 200000}")
            say(0, "s")
            commands.append("!")
    return commands


def main():
    if sys.argv[1] == "make":
        print("\n".join(make(int(sys.argv[2]))))
    elif sys.argv[1] == "expect":
        print(json.dumps(expect(sys.argv[2:]), indent=1))
    else:
        print(json.dumps(said(sys.argv[2]), indent=1))


main()
