#!/usr/bin/env python3
"""A training step of GPT-2 in PyTorch on the CPU, for bench_train's gpt2_T64 and gpt2_T256.

The model of `--model gpt2-124m` (pre-norm, learned positions, tanh GELU, tied head), B = 4, fp32,
two threads. Run it in turn with bench_train, on an idle machine: Debian's python3-torch.
"""
import argparse
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

BATCH, LAYERS, WIDTH, HEADS, VOCABULARY = 4, 12, 768, 12, 50257


class Block(nn.Module):
    def __init__(self, sequence):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.expand, self.contract = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.register_buffer("future", ~torch.tril(torch.ones(sequence, sequence)).bool())

    def forward(self, x):
        samples, sequence, _ = x.shape
        heads_of = lambda t: t.view(samples, sequence, HEADS, WIDTH // HEADS).transpose(1, 2)
        q, k, v = map(heads_of, self.qkv(self.norm1(x)).split(WIDTH, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        weights = scores.masked_fill(self.future, -math.inf).softmax(-1)
        x = x + self.project((weights @ v).transpose(1, 2).reshape(samples, sequence, WIDTH))
        return x + self.contract(functional.gelu(self.expand(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, sequence):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(1024, WIDTH)
        self.blocks = nn.Sequential(*(Block(sequence) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        logits = self.head(self.norm(self.blocks(x)))
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sequence", type=int, default=256)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--steps", type=int, default=5)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    model = Gpt(asked.sequence)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    data = torch.randint(VOCABULARY, (BATCH, asked.sequence + 1))
    times = []
    for _ in range(asked.steps + 1):  # the first one warms up
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(data[:, :-1], data[:, 1:]).backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    rate = BATCH * asked.sequence / statistics.median(times[1:])
    print(f"PyTorch {torch.__version__}, T = {asked.sequence}, {asked.threads} threads: {rate:.1f} tokens/s")


if __name__ == "__main__":
    main()
