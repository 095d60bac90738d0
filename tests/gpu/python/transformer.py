# SPDX-License-Identifier: MIT
"""A small transformer, trained in half precision with autocast."""
import common

torch = common.deterministic_torch()

layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 2).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randn(8, 64, 128).cuda()
for step in range(5):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(tokens).float().square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.2f}")
