# SPDX-License-Identifier: MIT
"""ResNet-50 inference at batch 1, random weights, 120 times or as often as the argument says: the
host launches, the GPU waits for it."""
import sys

import common

torch = common.deterministic_torch()
torchvision = common.need("torchvision")

model = torchvision.models.resnet50(weights=None).cuda().eval()
image = torch.randn(1, 3, 224, 224, device="cuda")
with torch.inference_mode():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 120):
        model(image)
        torch.cuda.synchronize()
