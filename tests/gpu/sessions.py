# SPDX-License-Identifier: MIT
"""ktime's session files, read through `ktime export --json`."""
import dataclasses
import json
import os
import subprocess
import tempfile

import profilers


@dataclasses.dataclass
class Row:
    kind: str  # "kernel", "memcpy", "memset", "graph", …
    name: str  # kernels: mangled
    calls: int
    total_ns: float
    interval: tuple  # 95 % interval of total_ns, where it is an estimate
    figures: dict  # everything that the export says of the row


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
