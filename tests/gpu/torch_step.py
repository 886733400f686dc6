#!/usr/bin/env python3
"""A training step of GPT-2 in PyTorch on one GPU: what run_all.sh compares ours with.

The same model as `--model gpt2-124m` (pre-norm, learned positions, tanh GELU, tied head), the same
shapes as stages/2_training.sh: bf16 autocast over fp32 weights, SDPA, fused AdamW. Losses are not
asked for, so the host never waits within a step. Prints one line: tokens/s first.
"""
import argparse
import statistics
import sys
import time

PEAK = {"H100": 989e12, "H200": 989e12, "A100": 312e12}  # dense bf16 FLOP/s, data sheets
MODELS = {"gpt2-124m": (12, 768, 12), "gpt2-350m": (24, 1024, 16)}
VOCABULARY, SEQUENCE, SAMPLES, MICRO_BATCHES = 50257, 1024, 8, 8


def build(torch, layers, width, heads):
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            samples, sequence, _ = x.shape
            heads_of = lambda t: t.view(samples, sequence, heads, width // heads).transpose(1, 2)
            q, k, v = map(heads_of, self.qkv(self.norm1(x)).split(width, dim=2))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.project(y.transpose(1, 2).reshape(samples, sequence, width))
            return x + self.contract(functional.gelu(self.expand(self.norm2(x)), approximate="tanh"))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(SEQUENCE, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, tokens, targets):
            x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
            for block in self.blocks:
                x = block(x)
            logits = self.head(self.norm(x))
            return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())

    return Gpt()


def measure(torch, name, mode):
    layers, width, heads = MODELS[name]
    torch.manual_seed(1)
    model = build(torch, layers, width, heads).cuda()
    parameters = sum(p.numel() for p in model.parameters()) - model.positions.weight.numel()  # the tied table once: in the head
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)
    run = torch.compile(model) if mode == "compile" else model
    data = torch.randint(VOCABULARY, (MICRO_BATCHES, SAMPLES, SEQUENCE + 1), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        for batch in data:
            with torch.autocast("cuda", torch.bfloat16):
                loss = run(batch[:, :-1], batch[:, 1:]) / MICRO_BATCHES
            loss.backward()
        optimizer.step()

    times = []
    for i in range(13):  # 3 of them to warm up
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        if i >= 3:
            times.append(time.perf_counter() - begin)
    seconds, tokens = statistics.median(times), MICRO_BATCHES * SAMPLES * SEQUENCE
    flops = 6 * parameters * tokens + 12 * layers * width * SEQUENCE * tokens
    peak = next((p for n, p in PEAK.items() if n in torch.cuda.get_device_name()), None)
    mfu = f", MFU {100 * flops / seconds / peak:.1f} %" if peak else ""
    return f"{tokens / seconds:.0f} tokens/s, {1e3 * seconds:.1f} ms a step{mfu}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=["eager", "compile"], default="eager")
    parser.add_argument("--model", choices=MODELS, default="gpt2-124m")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here")
        return 77
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU here")
        return 77
    torch.backends.cuda.matmul.allow_tf32 = True
    print(measure(torch, options.model, options.mode), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
