#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Which instructions stand between the two clock readings of each kernel of workloads/latency, as
cuobjdump disassembles a cubin. Fails where others stand there than the kernel is to measure.
Usage: clock_reads.py [CUBIN]
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import profilers

# The last of each is the store that waits for the result.
EXPECTED = {
    "overhead": ["STS"],
    "shared_naive": ["STS", "BAR", "LDS"],
    "shared_store_load": ["STS", "BAR", "LDS", "STS"],
    "shared_load": ["LDS", "STS"],
    "global_load_l1": ["LDG", "STS"],
    "global_load_l2": ["LDG", "STS"],
    "integer_multiply_add": ["IMAD"] * 64 + ["STS"],
    "float_multiply_add": ["FFMA"] * 64 + ["STS"],
    "double_multiply_add": ["DFMA"] * 64 + ["STS"],
}
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+\s+)?([A-Z][A-Z0-9_]*)([^;]*);")


def find_cuobjdump():
    """Its path; None where there is none."""
    for folder in [*os.environ.get("PATH", "").split(":"), "/usr/local/cuda/bin"]:
        path = os.path.join(folder, "cuobjdump")
        if folder and os.access(path, os.X_OK):
            return path
    return None


def between_clocks(listing):
    """{kernel: [the instructions between its two clock readings]}, without their suffixes."""
    found = {}
    for part in re.split(r"Function : ", listing)[1:]:
        name = part.split()[0]
        instructions = INSTRUCTION.findall(part)
        clocks = [i for i, (_, operands) in enumerate(instructions) if "SR_CLOCK" in operands]
        if len(clocks) == 2:
            found[name] = [mnemonic for mnemonic, _ in instructions[clocks[0] + 1:clocks[1]]]
        else:
            found[name] = [f"{len(clocks)} clock readings"]
    return found


def check(cubin):
    """[why it is not as it should be], from the disassembly of a cubin."""
    done = subprocess.run([find_cuobjdump(), "-sass", cubin], capture_output=True, text=True,
                          timeout=120)
    if done.returncode:
        return [f"cuobjdump: {done.stderr.strip()}"]
    found = between_clocks(done.stdout)
    return [f"{kernel}: between the clocks stand {' '.join(found.get(kernel, ['none']))}, "
            f"not {' '.join(expected)}"
            for kernel, expected in EXPECTED.items() if found.get(kernel) != expected]


def main():
    default = os.path.join(profilers.BUILD, "workloads", "latency.cubin")
    cubin = (sys.argv[1:] or [default])[0]
    if not find_cuobjdump():
        print("skipped: no cuobjdump")
        return 0
    wrong = check(cubin)
    print("\n".join(wrong) or f"{len(EXPECTED)} kernels: only what they measure is between "
          "their clocks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
