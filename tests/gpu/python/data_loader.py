# SPDX-License-Identifier: MIT
"""A DataLoader whose workers are forked after CUDA was initialised, with pinned batches."""
import common

torch = common.deterministic_torch()


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((16,), float(index)) ** 2


total = torch.zeros((), device="cuda")
for epoch in range(2):
    loader = torch.utils.data.DataLoader(Squares(), batch_size=8, num_workers=3, pin_memory=True)
    for batch in loader:
        total += batch.to("cuda", non_blocking=True).sum()
print(f"total {total.item():.0f}")
