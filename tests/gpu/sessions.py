# SPDX-License-Identifier: MIT
"""ktime's session files, read through `ktime export --json`."""
import dataclasses
import json
import os
import subprocess
import tempfile

import profilers


@dataclasses.dataclass
class Figures:
    """One clock's figures of a row."""
    calls: int = 0
    total_ns: float = 0.0
    median_ns: float = None

    @property
    def average_ns(self):
        return self.total_ns / self.calls if self.calls else None


@dataclasses.dataclass
class Checked:
    """The calls timed by both clocks: how many, and their totals by each."""
    calls: int = 0
    cupti_ns: float = 0.0
    raw_ns: float = 0.0
    corrected_ns: float = 0.0


@dataclasses.dataclass
class Row:
    kind: str  # "kernel", "memcpy", "memset", "graph", …
    name: str  # kernels: mangled
    calls: int
    total_ns: float  # as the report shows it
    interval: tuple  # 95 % interval of total_ns; None where it is no estimate
    cupti: Figures
    events: Figures
    checked: Checked
    reason: str  # why the clocks differ, where the report says so


@dataclasses.dataclass
class Session:
    rows: list
    counters: dict
    cost_ns: float  # what ktime says it cost the program


def export(file):
    """The exported JSON of a session file. Raises OSError where ktime cannot export it."""
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        done = subprocess.run([profilers.COMMAND, "export", "--json", path, file],
                              capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"ktime export: {done.stderr.strip()}")
        with open(path) as exported:
            return json.load(exported)
    finally:
        os.unlink(path)
