"""Reads and checks model.toml and schedule.csv, the order of the ops on every device."""

import csv
import re
from collections import Counter, defaultdict, namedtuple

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib


class KitError(Exception):
    """An error that the user can correct. Its text is printed without a stack trace."""


def read_model(file):
    """Returns the keys of model.toml. Fails if no transformer has these sizes."""
    try:
        model = tomllib.loads(file.read_text())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KitError(f"{file} is not TOML ({error}): correct it, or write the kit again") from None
    sizes = dict.fromkeys(
        ("layers", "width", "heads", "sequence", "vocabulary", "micro_batch_size"), 1)
    for key, least in (sizes | {"kv_heads": 0, "ffn_width": 0, "patch": 0}).items():
        value = model.get(key, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise KitError(f"{file}: {key} must be a whole number from {least}, not {value!r}")
    for whole, part in (("width", "heads"), ("heads", "kv_heads")):
        if model.get(part, 0) and model[whole] % model[part] != 0:
            raise KitError(f"{file}: {whole} {model[whole]} is not a multiple of {part} "
                           f"{model[part]}")
    return model


def stage_layers(model, stages):
    """Returns the number of layers of every stage. The key layout of model.toml has the form of
    Megatron-LM's --pipeline-model-parallel-layout."""
    text, layers = re.sub(r"[,\s]", "", model.get("layout", "")), model["layers"]
    if not text:
        if stages > layers:
            raise KitError(f"{layers} layers cannot be divided into {stages} stages: raise layers "
                           "in model.toml")
        return [(s + 1) * layers // stages - s * layers // stages for s in range(stages)]
    for pattern in (r"\(([^)]*)\)\*(\d+)", r"(.)\*(\d+)"):
        text = re.sub(pattern, lambda found: found[1] * int(found[2]), text)
    counts = [part.count("t") for part in text.split("|")]
    if len(counts) != stages or sum(counts) != layers or min(counts) < 1:
        raise KitError(f"layout in model.toml has the layers {counts}: give each of the {stages} "
                       f"stages at least one of the {layers}")
    return counts


KIND_NAMES = {"SF": "SEND_F", "RF": "RECV_F", "SB": "SEND_B", "RB": "RECV_B", "AR": "ALLREDUCE",
              "EV": "EVICT", "LD": "LOAD", "EVH": "EVICT_HOST", "LDH": "LOAD_HOST",
              "RC": "RECOMPUTE"}
KINDS = {"F", "B", "I", "W", "OPT"} | set(KIND_NAMES)


class Op(namedtuple("Op", "kind stage micro_batch replica slice version")):
    """One row of schedule.csv. Replica 0 is the down pipeline, 1 the up pipeline."""

    __slots__ = ()

    def __str__(self):
        name = f"{self.stage}{KIND_NAMES.get(self.kind, self.kind)}"
        name += "" if self.micro_batch is None else str(self.micro_batch)
        return name + "u" * self.replica + ("" if self.slice is None else f".{self.slice}")

    @property
    def row(self):
        return self.replica, self.stage

    @property
    def part(self):
        """What the op computes: stage and (slice of a) micro-batch."""
        return self.replica, self.stage, self.micro_batch, self.slice


def activation(op, stage):
    """The key of the activation that `stage` receives."""
    return "F", op.replica, stage, op.micro_batch, op.slice


def gradient(op, stage):
    """The key of the gradient that `stage` receives from the stage after it."""
    return "B", op.replica, stage, op.micro_batch, op.slice


def describe(value):
    """A value of Schedule.needs() for an error message."""
    kind, *of = value[1:] if value[0] in ("received", "sent") else value
    replica, stage, micro_batch, _ = of if len(of) == 4 else of[0]
    what = {"F": "activation", "B": "gradient", "stash": "forward", "done": "next slice's backward",
            "input": "input gradient", "evicted": "evicted activation"}[kind]
    return f"the {what} of micro-batch {micro_batch} for stage {stage}" + " (up)" * replica


def numbered(program):
    """The ops with versions that count all updates. The file has them modulo 256."""
    newest, ops = Counter(), []
    for op in program:
        if op.version is not None:
            newest[op.row] += op.kind == "OPT"
            behind = (newest[op.row] - op.version) % 256
            op = op._replace(version=newest[op.row] - behind)
        ops.append(op)
    return ops


class Schedule:
    """The ops of every device in order, and the placement that follows from them."""

    def __init__(self, file):
        def number(row, column):
            text = row[column]
            return int(text) if text else None

        programs, joins = defaultdict(list), defaultdict(list)
        with open(file, newline="") as rows:
            for line, row in enumerate(csv.DictReader(rows), 2):
                try:
                    op = Op(row["op"], int(row["stage"]), number(row, "microbatch"),
                            int(row["replica"]), number(row, "slice"), number(row, "version"))
                    programs[int(row["device"])].append(op)
                    joins[int(row["device"])].append(row["joint"] == "1")
                except (KeyError, TypeError, ValueError):
                    raise KitError(f"{file}, line {line}: not a row of a schedule") from None
                if op.kind not in KINDS:
                    raise KitError(f"{file}, line {line}: '{op.kind}' is not an op")
        if not programs:
            raise KitError(f"{file} has no ops")
        self.devices = max(programs) + 1
        self.programs = [numbered(programs[device]) for device in range(self.devices)]
        # By device: whether an op and the next one run as one.
        self.joins = [joins[device] for device in range(self.devices)]
        ops = [op for program in self.programs for op in program]
        self.stages = max(op.stage for op in ops) + 1
        self.micro_batches = max(op.micro_batch or 0 for op in ops) + 1
        self.kinds = {op.kind for op in ops}
        self.replicas = max(op.replica for op in ops) + 1
        self.slices = 1 + max((op.slice or 0 for op in ops if op.kind == "F"), default=0)
        self.halved = {op.part[:3] for op in ops if op.slice is not None and self.slices == 1}
        self.is_asynchronous = any(op.version is not None for op in ops)
        self.device_of = {}
        for device, program in enumerate(self.programs):
            for op in program:
                if self.device_of.setdefault(op.row, device) != device:
                    raise KitError(f"{op} is on device {device}, but stage {op.stage} is on device "
                                   f"{self.device_of[op.row]}")

    def parts(self, op):
        """The parts that a forward computes: itself, or both halves of its samples."""
        if op.part[:3] in self.halved and op.slice is None:
            return [op._replace(slice=half) for half in (0, 1)]
        return [op]

    def needs(self, op):
        """The results that `op` waits for, as keys of `makes`."""
        last = self.stages - 1
        if op.kind == "F":
            return [activation(op, op.stage)] if op.stage > 0 else []
        if op.kind in "BI":
            needs = [("stash", op.part if self.slices > 1 else op.part[:3] + (None,))]
            if self.slices > 1 and op.slice < self.slices - 1:
                needs.append(("done", op.part[:3] + (op.slice + 1,)))
            return needs + ([gradient(op, op.stage)] if op.stage < last else [])
        if op.kind == "W":
            return [("input", op.part)]
        if op.kind == "SF":
            return [activation(op, op.stage + 1)]
        if op.kind == "SB":
            return [gradient(op, op.stage - 1)]
        if op.kind in ("RF", "RB"):
            return [("sent",) + (activation if op.kind == "RF" else gradient)(op, op.stage)]
        if op.kind in ("EV", "EVH"):
            return [("stash", op.part)]
        if op.kind in ("LD", "LDH"):
            return [("evicted", op.part)]
        return [("stash", op.part)] if op.kind == "RC" else []

    def makes(self, op):
        if op.kind == "F":
            return [("stash", op.part), activation(op, op.stage + 1)]
        if op.kind in "BI":
            return [gradient(op, op.stage - 1), ("done", op.part), ("input", op.part)]
        if op.kind == "SF":
            return [("sent",) + activation(op, op.stage + 1)]
        if op.kind == "SB":
            return [("sent",) + gradient(op, op.stage - 1)]
        if op.kind in ("RF", "RB"):
            return [(activation if op.kind == "RF" else gradient)(op, op.stage)]
        return [("evicted", op.part)] if op.kind in ("EV", "EVH") else []

    def check(self):
        """Fails if work is missing or doubled, or if devices wait for each other forever."""
        counts = Counter((op.kind, op.part) for program in self.programs for op in program
                         if op.micro_batch is not None)
        for (kind, part), count in counts.items():
            op = Op(kind, part[1], part[2], part[0], part[3], None)
            if count > 1:
                raise KitError(f"schedule.csv has {op} {count} times")
        for micro_batch in range(self.micro_batches):
            for stage in range(self.stages):
                found = [r for r in range(self.replicas) if any(
                    counts["F", (r, stage, micro_batch, part)] for part in (None, 0))]
                whole = Op("F", stage, micro_batch, 0, None, None)
                if len(found) != 1:
                    raise KitError(f"schedule.csv has no {whole}" if not found else
                                   f"schedule.csv has {whole} in both directions")
                for part in range(self.slices) if self.slices > 1 else [None]:
                    forward = whole._replace(replica=found[0], slice=part)
                    for op in self.parts(forward):
                        self._check_backward(op, counts)
        self._check_order()

    def _check_backward(self, forward, counts):
        whole, halves = (sum(counts[kind, forward.part] for kind in kinds)
                         for kinds in ("B", "IW"))
        if (whole, halves) not in ((1, 0), (0, 2)) or counts["I", forward.part] != halves // 2:
            raise KitError(f"schedule.csv has no complete backward of {forward}: it needs either "
                           f"{forward._replace(kind='B')}, or I and W")

    def _check_order(self):
        done, at = set(), [0] * self.devices

        def missing(device, op):
            for need in self.needs(op):
                # A message of another device must be received first.
                if op.kind in "FBI" and need[0] in "FB":
                    source = op.stage + (-1 if need[0] == "F" else 1)
                    if self.device_of[op.replica, source] != device:
                        need = ("received",) + need
                if need not in done:
                    return need
            return None

        moved = True
        while moved:
            moved = False
            for device, program in enumerate(self.programs):
                while at[device] < len(program):
                    op = program[at[device]]
                    if missing(device, op):
                        break
                    for value in self.makes(op):
                        done.add(("received",) + value if op.kind in ("RF", "RB") else value)
                    at[device] += 1
                    moved = True
        stuck = [(d, at[d], program[at[d]]) for d, program in enumerate(self.programs)
                 if at[d] < len(program)]
        if stuck:
            device, index, op = stuck[0]
            need = missing(device, op)
            others = ", ".join(f"device {d} at {each}" for d, _, each in stuck[1:5])
            raise KitError(
                f"schedule.csv deadlocks: device {device} waits forever at index {index}, {op}, "
                f"for {describe(need)}" + (f"; also waiting: {others}" if others else ""))

    @staticmethod
    def _joins_others(program, joins):
        """Whether a device joins other ops than one forward and the backward after it."""
        return any(joint and (first.kind != "F" or second.kind not in "BIW" or third)
                   for joint, third, first, second in zip(joins, joins[1:], program, program[1:]))

    def obstacle(self):
        """Why PyTorch's pipeline runtime cannot execute the schedule; "" if it can."""
        if self.is_asynchronous:
            return "it has one version of the weights and one update per iteration"
        if self.replicas > 1:
            return "it has no second direction of the pipeline"
        if self.slices > 1 or self.halved:
            return "it has only whole micro-batches, no slices or halves"
        if self.kinds & {"EV", "LD", "EVH", "LDH"}:
            return "it cannot move activations to another device or the host"
        if "RC" in self.kinds:
            return "it has no ops that recompute activations"
        if any(map(self._joins_others, self.programs, self.joins)):
            return "it can join only one forward and one backward"
        last = [op.micro_batch for program in self.programs for op in program
                if op.kind == "F" and op.stage == self.stages - 1]
        return "" if last == sorted(last) else "it needs the last stage in micro-batch order"
