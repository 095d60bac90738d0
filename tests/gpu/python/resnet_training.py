# SPDX-License-Identifier: MIT
"""Training steps of ResNet-50: a few, or as many as the argument says."""
import sys

import common

torch = common.deterministic_torch()
torchvision = common.need("torchvision")

model = torchvision.models.resnet50(weights=None).cuda().train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(8, 3, 224, 224).cuda()
labels = torch.randint(0, 1000, (8,)).cuda()
for step in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.1f}")
