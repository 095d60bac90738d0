# SPDX-License-Identifier: MIT
"""The machine that measurements were taken on, for the head of a results file."""
import glob
import os
import platform
import re
import subprocess
import sys
import time


def output_of(argv):
    """What a command prints; nothing where it is not there or fails."""
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def gpus():
    """[(name, driver version)] of the GPUs."""
    lines = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    return [tuple(part.strip() for part in line.split(",")) for line in lines.splitlines()
            if "," in line]


def cuda_version():
    for nvcc in ("nvcc", "/usr/local/cuda/bin/nvcc"):
        match = re.search(r"release ([\d.]+)", output_of([nvcc, "--version"]))
        if match:
            return match.group(1)
    match = re.search(r"CUDA Version: ([\d.]+)", output_of(["nvidia-smi"]))
    return match.group(1) if match else "unknown"


def commit():
    return os.environ.get("KTIME_COMMIT") or output_of(
        ["git", "rev-parse", "--short", "HEAD"]) or "unknown"


def python_library_directories():
    """Where wheels keep CUDA's libraries (nvidia/*/lib)."""
    found = []
    for place in sys.path:
        found += glob.glob(os.path.join(place, "nvidia", "*", "lib"))
    return sorted(set(found))


def library_directories():
    """Where CUDA's shared libraries are, the toolkit's before the wheels'."""
    places = ["/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"]
    home = os.environ.get("CUDA_HOME")
    if home:
        places.insert(0, os.path.join(home, "lib64"))
    return [p for p in places if os.path.isdir(p)] + python_library_directories()


def find_library(name):
    """The first of CUDA's libraries whose file name begins so, in full; "" where there is none."""
    for directory in library_directories():
        found = sorted(glob.glob(os.path.join(directory, name + "*")), key=len)
        if found:
            return found[-1]
    return ""


def describe():
    """Lines of Markdown: GPU, driver, CUDA, host, date, commit."""
    cards = gpus()
    names = sorted({name for name, _ in cards})
    number = f"{len(cards)} x " if len(cards) > 1 else ""
    return [
        f"- GPU: {number}{', '.join(names) or 'none found'}",
        f"- driver: {cards[0][1] if cards else 'none found'}, CUDA {cuda_version()}",
        f"- host: {os.cpu_count()} cores, Linux {platform.release()}",
        f"- date: {time.strftime('%Y-%m-%d', time.gmtime())}, commit {commit()}",
    ]
