# SPDX-License-Identifier: MIT
"""torch.compile: kernels made by Triton at run time."""
import shutil

import common

torch = common.deterministic_torch()
common.need("triton")
if not shutil.which("gcc") and not shutil.which("cc"):
    common.skip("torch.compile needs a C compiler")


@torch.compile
def function(x, y):
    return (torch.sin(x) * torch.cos(y) + x.square()).sum(dim=1)


x, y = torch.ones(256, 512).cuda(), torch.zeros(256, 512).cuda()
for _ in range(5):
    result = function(x, y)
print(f"sum {result.sum().item():.1f}")
