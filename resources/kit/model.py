"""GPT, BERT, LLaMA and ViT, divided into stages."""

import torch
import torch.nn.functional as F
from torch import nn

from data import NOT_PREDICTED, combine, normal_numbers, patch_values
from schedule import stage_layers


def weight_gradients(weight, bias, x, dy, transposed):
    product = (dy.t() @ x if transposed else x.t() @ dy).to(weight.dtype)
    return product, None if bias is None else dy.sum(0, dtype=bias.dtype)


class WeightQueue(list):
    """The weight gradients that an I op leaves to its W op."""

    def take(self):
        products = list(self)
        self.clear()

        def run():
            for factors in products:
                for weight, grad in zip(factors, weight_gradients(*factors)):
                    if grad is not None:
                        weight.grad = grad if weight.grad is None else weight.grad.add_(grad)
        return run


class Product(torch.autograd.Function):
    """x @ weight + bias. With a queue, backward computes only the gradient of x.

    Saves the fp32 weight: autograd would save a bf16 copy of it per micro-batch.
    """

    @staticmethod
    def forward(ctx, x, weight, bias, transposed, queue):
        ctx.save_for_backward(x, weight, bias)
        ctx.transposed, ctx.queue = transposed, queue
        cast = weight.to(x.dtype)
        y = x @ (cast.t() if transposed else cast)
        return y if bias is None else y + bias.to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, weight, bias = ctx.saved_tensors
        cast = weight.to(dy.dtype)
        dx = dy @ (cast if ctx.transposed else cast.t())
        factors = weight, bias, x.flatten(0, -2), dy.flatten(0, -2), ctx.transposed
        if ctx.queue is None:
            return dx, *weight_gradients(*factors), None, None
        ctx.queue.append(factors)
        return dx, None, None, None, None


class Linear(nn.Module):
    """The weight is (in, out), or (out, in) if `transposed`. Weights are fp32 master weights."""

    queue = None  # a WeightQueue, if the schedule separates I and W

    def __init__(self, inputs, outputs, bias=True, transposed=False):
        super().__init__()
        self.transposed = transposed
        shape = (outputs, inputs) if transposed else (inputs, outputs)
        self.weight = nn.Parameter(torch.empty(shape))
        self.bias = nn.Parameter(torch.empty(outputs)) if bias else None

    def forward(self, x):
        return Product.apply(x, self.weight, self.bias, self.transposed, self.queue)


class Norm(nn.Module):
    """Layer norm, or RMSNorm for LLaMA."""

    def __init__(self, model):
        super().__init__()
        self.gain = nn.Parameter(torch.empty(model["width"]))
        is_llama = model["family"] == "llama"
        self.bias = None if is_llama else nn.Parameter(torch.empty(model["width"]))

    def forward(self, x):
        gain, shape = self.gain.to(x.dtype), self.gain.shape
        if self.bias is None:
            return F.rms_norm(x, shape, gain, eps=1e-5)
        return F.layer_norm(x, shape, gain, self.bias.to(x.dtype), eps=1e-5)


class Block(nn.Module):
    """A pre-norm block: y = x + attention(norm(x)), then y + mlp(norm(y))."""

    def __init__(self, model):
        super().__init__()
        width, heads = model["width"], model["heads"]
        self.heads, self.key_heads = heads, model.get("kv_heads", 0) or heads
        self.size = width // heads
        self.is_causal = model["family"] not in ("bert", "vit")
        self.is_llama = model["family"] == "llama"
        inner = model.get("ffn_width", 0) or (
            (8 * width // 3 + 255) // 256 * 256 if self.is_llama else 4 * width)
        bias = not self.is_llama
        self.norm1, self.norm2 = Norm(model), Norm(model)
        self.qkv = Linear(width, width + 2 * self.key_heads * self.size, bias)
        self.project = Linear(width, width, bias)
        self.expand = Linear(width, 2 * inner if self.is_llama else inner, bias)
        self.contract = Linear(inner, width, bias)

    def rotate(self, x, first):
        """Rotary positions; x is (samples, heads, sequence, size)."""
        half = self.size // 2
        c = torch.arange(half, dtype=torch.float64, device=x.device)
        positions = torch.arange(first, first + x.shape[2], dtype=torch.float64, device=x.device)
        angles = positions[:, None] * 1e4 ** (-2.0 * c / self.size)
        cosines, sines = angles.cos().float(), angles.sin().float()
        a, b = x.float().split(half, dim=-1)
        return torch.cat((a * cosines - b * sines, b * cosines + a * sines), -1).to(x.dtype)

    def attention(self, x, earlier):
        """`earlier` are the keys and values of earlier slices. Also returns those of this one."""
        samples, length, width = x.shape
        kv_width = self.key_heads * self.size
        q, k, v = (each.view(samples, length, -1, self.size).transpose(1, 2)
                   for each in self.qkv(x).split((width, kv_width, kv_width), dim=-1))
        first = sum(keys.shape[2] for keys, _ in earlier)
        if self.is_llama:
            q, k = self.rotate(q, first), self.rotate(k, first)
        own = (k, v)
        if earlier:
            k, v = (torch.cat([pair[i] for pair in earlier] + [own[i]], dim=2) for i in (0, 1))
        if self.key_heads < self.heads:
            k, v = (each.repeat_interleave(self.heads // self.key_heads, 1) for each in (k, v))
        mask = torch.ones(length, k.shape[2], dtype=torch.bool, device=x.device).tril(first) \
            if earlier and self.is_causal else None
        y = F.scaled_dot_product_attention(
            q, k, v, mask, is_causal=self.is_causal and mask is None)
        return self.project(y.transpose(1, 2).reshape(x.shape)), own

    def forward(self, x, earlier=()):
        y, own = self.attention(self.norm1(x), earlier)
        x = x + y
        y = self.expand(self.norm2(x))
        if self.is_llama:
            gate, up = y.chunk(2, dim=-1)
            y = F.silu(gate) * up
        else:
            y = F.gelu(y, approximate="tanh")
        return x + self.contract(y), own


class Embedding(nn.Module):
    """Of tokens or, for a ViT, of the bytes of patches."""

    def __init__(self, model):
        super().__init__()
        if model["family"] == "vit":
            self.patch = Linear(patch_values(model), model["width"])
        else:
            self.token = nn.Parameter(torch.empty(model["vocabulary"], model["width"]))
        self.position = None if model["family"] == "llama" else nn.Parameter(
            torch.empty(model["sequence"], model["width"]))

    def forward(self, tokens, first):
        if hasattr(self, "patch"):
            x = self.patch((tokens - 128) / 128)
        else:
            x = F.embedding(tokens, self.token)
        return x if self.position is None else x + self.position[first:first + tokens.shape[1]]


class Head(Linear):
    """The decoder. Before it, BERT has a dense layer, GELU and a norm, ViT the mean of the tokens."""

    def __init__(self, model):
        is_bert = model["family"] == "bert"
        self.is_vit = model["family"] == "vit"
        super().__init__(model["width"], model["vocabulary"], is_bert or self.is_vit, model["tied"])
        self.transform = Linear(model["width"], model["width"]) if is_bert else None
        self.norm = Norm(model) if is_bert else None

    def forward(self, x):
        if self.transform is not None:
            x = self.norm(F.gelu(self.transform(x), approximate="tanh"))
        if self.is_vit:
            x = x.mean(1)
        return super().forward(x)


class Stage(nn.Module):
    """The blocks of one stage; the first also has the embedding, the last the head."""

    def __init__(self, model, stage, stages, seed, dtype):
        super().__init__()
        self.dtype = dtype
        counts = stage_layers(model, stages)
        first = sum(counts[:stage])
        self.blocks = [f"block{layer}" for layer in range(first, first + counts[stage])]
        if stage == 0:
            self.embedding = Embedding(model)
        for block in self.blocks:
            self.add_module(block, Block(model))
        if stage == stages - 1:
            self.norm, self.head = Norm(model), Head(model)
        self._initialize(model, seed)

    @torch.no_grad()
    def _initialize(self, model, seed):
        """Every tensor depends only on the seed and on its name."""
        for name, parameter in self.named_parameters():
            if name.endswith(".bias"):
                parameter.zero_()
            elif name.endswith(".gain"):
                parameter.fill_(1)
            else:
                key = "embedding.token" if model["tied"] and name == "head.weight" else name
                parameter.copy_(normal_numbers(combine(seed, key), parameter.shape,
                                               model["init"]["std"]))

    def forward(self, x, earlier=(), keys=None):
        """`earlier` has a list of keys and values per earlier slice; `keys` receives the own."""
        if hasattr(self, "embedding"):
            first = sum(slice_[0][0].shape[2] for slice_ in earlier)
            x = self.embedding(x, first).to(self.dtype)
        for index, block in enumerate(self.blocks):
            x, own = getattr(self, block)(x, [slice_[index] for slice_ in earlier])
            if keys is not None:
                keys.append(own)
        return self.head(self.norm(x)) if hasattr(self, "head") else x

    def defer_weights(self):
        """Separates I and W. Returns the queue of the weight gradients."""
        queue = WeightQueue()
        for module in self.modules():
            if isinstance(module, Linear):
                module.queue = queue
        return queue


def loss_of(logits, targets):
    """The sum of the losses of the predicted tokens or classes, in nats."""
    return F.cross_entropy(logits.float().flatten(0, -2), targets.flatten(),
                           ignore_index=NOT_PREDICTED, reduction="sum")


def adamw(stage, model):
    """Weights decay; gains and biases do not."""
    decaying, others = [], []
    for name, parameter in stage.named_parameters():
        (others if name.endswith((".bias", ".gain")) else decaying).append(parameter)
    o = model["optimizer"]
    return torch.optim.AdamW(
        [{"params": decaying, "weight_decay": o["weight_decay"]},
         {"params": others, "weight_decay": 0.0}],
        lr=o["learning_rate"], betas=(o["beta1"], o["beta2"]), eps=o["epsilon"])
