"""Samples and initial weights: the numbers of Bubblescope's engine for the same seed."""

import numpy as np
import torch

from schedule import KitError

HIDDEN, NOT_PREDICTED = 256, -1  # the byte that replaces a hidden one; the target of the others
STEP, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1  # SplitMix64 (Steele, Lea, Flood, 2014)


def mix(z):
    """Accepts an int below 2^64 or an array of uint64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def combine(seed, value):
    if isinstance(value, str):
        text, value = value, 0xCBF29CE484222325  # FNV-1a
        for byte in text.encode():
            value = ((value ^ byte) * 0x100000001B3) & MASK
    return mix((seed * STEP + mix((value + 0x632BE59BD9B4E019) & MASK)) & MASK)


def random_numbers(seed, count):
    """The first numbers of SplitMix64."""
    states = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(STEP)
    states = (states ^ (states >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    states = (states ^ (states >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return states ^ (states >> np.uint64(31))


def normal_numbers(seed, shape, deviation):
    """The numbers of Box and Muller from SplitMix64, rounded to float32."""
    draws = random_numbers(seed, 2 * int(np.prod(shape)))
    uniform = ((draws >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    numbers = np.sqrt(-2 * np.log(uniform[0::2])) * np.cos(2 * np.pi * uniform[1::2])
    return torch.from_numpy((numbers * deviation).astype(np.float32)).reshape(shape)


def patch_values(model):
    """The values of a patch of an RGB image."""
    return 3 * model["patch"] ** 2


class Images:
    """Generated images of classes. The seed and its number determine an image."""

    def __init__(self, model, seed):
        self.model, self.seed = model, seed

    def batch(self, first, count):
        """Bytes, (count, patches, values), and classes of `count` images."""
        values, classes, images, noise = patch_values(self.model), [], [], np.uint64(3)
        size = values * self.model["sequence"]
        for sample in range(first, first + count):
            draws = random_numbers(combine(combine(self.seed, "image"), sample), size + 1)
            classes.append(int(draws[0]) % self.model["vocabulary"])
            texture = random_numbers(combine(combine(self.seed, "texture"), classes[-1]), values)
            bytes_ = (draws[1:] >> np.uint64(56)).reshape(-1, values)
            images.append(((texture >> np.uint64(56)) + noise * bytes_) // (noise + np.uint64(1)))
        return torch.from_numpy(np.stack(images).astype(np.int64)), torch.tensor(classes)

    def predicted_share(self):
        return 1 / self.model["sequence"]


class Samples:
    """Sequences of bytes of text.txt. The seed and its number determine a sample."""

    def __init__(self, file, model, seed):
        self.text, self.model, self.seed = file.read_bytes(), model, seed
        self.sequences = (len(self.text) - 1) // model["sequence"]
        if self.sequences < 1:
            raise KitError(f"{file} is shorter than one sample of {model['sequence']} tokens")

    def _position(self, sample):
        """Each epoch has every sequence once: a Feistel network permutes them."""
        epoch, index = divmod(sample, self.sequences)
        key = combine(combine(self.seed, "epoch"), epoch)
        half = ((self.sequences - 1).bit_length() + 1) // 2
        while True:
            left, right = index >> half, index & ((1 << half) - 1)
            for turn in range(6):
                mixed = combine(combine(key, turn), right) & ((1 << half) - 1)
                left, right = right, left ^ mixed
            index = left << half | right
            if index < self.sequences:
                return index * self.model["sequence"]

    def hidden_tokens(self):
        return max(1, int(0.15 * self.model["sequence"] + 0.5))

    def _hide(self, sample, inputs, targets):
        state = combine(combine(self.seed, "hidden"), sample)

        def below(bound):
            nonlocal state
            state = (state + STEP) & MASK
            return mix(state) % bound

        left = self.hidden_tokens()
        for t in range(len(inputs)):
            targets[t] = NOT_PREDICTED
            if below(len(inputs) - t) >= left:
                continue
            left -= 1
            targets[t] = inputs[t]
            fate = below(10)
            if fate < 8:
                inputs[t] = HIDDEN
            elif fate == 8:
                inputs[t] = below(HIDDEN)

    def batch(self, first, count):
        """Inputs and targets of `count` samples, (count, sequence) each."""
        inputs, targets = [], []
        for sample in range(first, first + count):
            at, length = self._position(sample), self.model["sequence"]
            inputs.append(list(self.text[at:at + length]))
            targets.append(list(self.text[at + 1:at + 1 + length]))
            if self.model["family"] == "bert":
                self._hide(sample, inputs[-1], targets[-1])
        return torch.tensor(inputs), torch.tensor(targets)

    def predicted_share(self):
        return self.hidden_tokens() / self.model["sequence"] \
            if self.model["family"] == "bert" else 1.0


def samples_of(file, model, seed):
    return Images(model, seed) if model["family"] == "vit" else Samples(file, model, seed)
