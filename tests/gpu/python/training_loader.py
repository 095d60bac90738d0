# SPDX-License-Identifier: MIT
"""Training whose data loader is too slow for the GPU: for tests/gpu/idle.py."""
import time

import common

torch = common.deterministic_torch()
STEPS, BATCH, WIDTH = 60, 2048, 4096
# Storage that gives a batch every PERIOD seconds, whatever the rest of the program takes: so runs can
# be compared.
PERIOD = 0.06


class Slow(torch.utils.data.Dataset):
    start = None

    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        self.start = self.start or time.monotonic()
        time.sleep(max(0, self.start + index * PERIOD - time.monotonic()))
        return torch.full((BATCH, 256), float(index % 7))


layers = [torch.nn.Linear(256, WIDTH), *(torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))]
model = torch.nn.Sequential(*layers)
loader = iter(torch.utils.data.DataLoader(Slow(), batch_size=None, num_workers=1, pin_memory=True))
# The GPU's time begins with the first batch.
first = next(loader)
model = model.to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for batch in loader:
    loss = model(batch.to("cuda", non_blocking=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss.item()
print(f"steps {STEPS}")
