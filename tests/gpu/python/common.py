# SPDX-License-Identifier: MIT
"""What the Python test programs share: a missing package ends them with status 77, a skip."""
import importlib
import sys

sys.dont_write_bytecode = True


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)


def need(*packages):
    """Imports packages; gives the module, or a list of them where there are several."""
    modules = []
    for package in packages:
        try:
            modules.append(importlib.import_module(package))
        except ImportError as error:
            skip(f"no {package} ({error})")
    return modules[0] if len(modules) == 1 else modules


def deterministic_torch():
    torch = need("torch")
    if not torch.cuda.is_available():
        skip("PyTorch sees no GPU")
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    return torch
