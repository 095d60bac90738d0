# SPDX-License-Identifier: MIT
"""How a program is started under ktime and under the bare CUPTI tracer."""
import os

import machine

# A command that starts programs, as tests/sim/run does on the simulated device.
RUNNER = os.environ.get("KTIME_RUNNER", "").split()
BUILD = os.path.abspath(os.environ.get("KTIME_BUILD", "build"))
LIBRARY = os.path.join(BUILD, "libktime.so")
COMMAND = os.path.join(BUILD, "ktime")
BARE_TRACER = os.path.join(BUILD, "bench", "libbare_tracer.so")
# Libraries that the command is linked to, brought along from where it was built.
COMMAND_LIBRARIES = os.path.join(BUILD, "gpu", "lib")
# The libcupti that programs are to use, instead of the one that is found for them.
CUPTI = os.environ.get("KTIME_CUPTI", "")


def plain_environment():
    """The environment of a program without any profiler."""
    environment = dict(os.environ)
    for name in ("LD_PRELOAD", "KTIME_OPTIONS", "CUDA_INJECTION64_PATH", "BARE_TRACER_FILE",
                 "BARE_TRACER_CUPTI"):
        environment.pop(name, None)
    return environment


def with_libraries(environment, *directories):
    """Adds directories to the search path for shared libraries."""
    paths = [environment.get("LD_LIBRARY_PATH", ""), *directories]
    environment["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)
    return environment


def command_environment():
    """For the ktime command."""
    return with_libraries(plain_environment(), COMMAND_LIBRARIES)


def under_nothing(argv):
    return [*RUNNER, *argv], plain_environment()


def under_ktime(argv, options="", cupti=CUPTI):
    """ktime's preload, with its options in KTIME_OPTIONS. A libcupti that is loaded is used."""
    environment = plain_environment()
    environment["LD_PRELOAD"] = f"{LIBRARY}:{cupti}" if cupti else LIBRARY
    environment["KTIME_OPTIONS"] = options
    return [*RUNNER, *argv], environment


def under_bare_tracer(argv, file=None):
    """CUPTI's kernel, copy and memset records counted; kept by name where a file is given."""
    environment = plain_environment()
    environment["CUDA_INJECTION64_PATH"] = BARE_TRACER
    environment["BARE_TRACER_CUPTI"] = CUPTI or machine.find_library("libcupti.so")
    if file:
        environment["BARE_TRACER_FILE"] = file
    return [*RUNNER, *argv], environment
