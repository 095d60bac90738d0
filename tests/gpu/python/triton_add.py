# SPDX-License-Identifier: MIT
"""A kernel written in Triton."""
import shutil

import common

torch = common.deterministic_torch()
triton = common.need("triton")
tl = common.need("triton.language")
if not shutil.which("gcc") and not shutil.which("cc"):
    common.skip("Triton needs a C compiler")


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)


x = torch.arange(10000, device="cuda", dtype=torch.float32)
out = torch.empty_like(x)
for _ in range(10):
    add_kernel[(triton.cdiv(10000, 1024),)](x, x, out, 10000, block=1024)
print(f"sum {out.sum().item():.0f}")
