#!/usr/bin/env python3
"""Trains kits on local ranks and compares them with sequential training and with `bscope run`.

Usage: ranks.py KIT... ; a kit may have expected.json, the output of `bscope analyze --json`. All
kits have the same programs, so PyTorch is loaded once and the ranks are forks of this process. A kit
whose name ends in -titan is trained with the schedule class and file of its titan.toml, in
-rendezvous with a channel per message kind, as over NCCL, in -2.8 with PyTorch 2.8's names, and in
-slow with a rank 1 that computes 10 % longer.
"""

import json
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

KITS = [Path(kit) for kit in sys.argv[1:]]
sys.path.insert(0, str(KITS[0]))
os.environ.setdefault("OMP_NUM_THREADS", "1")
import torch  # noqa: E402
import communication  # noqa: E402
import data  # noqa: E402
import model  # noqa: E402
import runtime  # noqa: E402
import schedule  # noqa: E402
import train  # noqa: E402
from torch.distributed.pipelining import PipelineStage  # noqa: E402
from torch.distributed.pipelining.schedules import get_schedule_class  # noqa: E402

TOLERANCE = 1e-5


def options_of(kit):
    """The arguments that run.sh gives to train.py."""
    line = next(text for text in (kit / "run.sh").read_text().splitlines()
                if text.startswith("arguments=("))
    return line.split("train.py ")[1].split('"$@"')[0].split()


def argument(options, name):
    return int(options[options.index(name) + 1])


def use_titan(kit):
    """Builds schedules as torchtitan does: the class by its name, the ops from a file."""
    settings = schedule.tomllib.loads((kit / "titan.toml").read_text())["parallelism"]
    order = schedule.Schedule(kit / "schedule.csv")
    assert settings["pipeline_parallel_degree"] == order.devices
    assert len(settings["module_fqns_per_model_part"]) == order.stages

    class FromFile(get_schedule_class(settings["pipeline_parallel_schedule"])):
        def _prepare_schedule_with_comms(self, _):
            self._load_csv(kit / settings["pipeline_parallel_schedule_csv"])

    runtime._PipelineScheduleRuntime = FromFile


def use_rendezvous(_):
    """NCCL's channels over gloo. At the first call of a group, each host waits for the others.

    The channels of both directions were first used in the schedule, where two devices that both
    send first waited for each other forever. So were the groups of the sums: with GEMS a device
    waited there for one that needed its next message.
    """
    dist, join, met = communication.dist, train.Job.join, set()

    def join_as_nccl(job, timeout):
        join(job, timeout)
        job.backend = "nccl"

    def meeting(function):
        def call(*arguments, group=None, **others):
            if group not in met:
                met.add(group)
                dist.barrier(group)
            return function(*arguments, group=group, **others)
        return call

    train.Job.join = join_as_nccl
    for name in ("send", "recv", "isend", "irecv", "all_reduce"):
        setattr(dist, name, meeting(getattr(dist, name)))


def use_pytorch_28(_):
    """A method of PyTorch's runtime has its name before 2.9, which kits did not know."""
    cls = runtime._PipelineScheduleRuntime
    if hasattr(cls, "_prepare_schedule_with_comms"):
        cls._load_actions = cls._prepare_schedule_with_comms
        del cls._prepare_schedule_with_comms


def use_slow_rank(_):
    """Rank 1 computes 10 % longer."""
    def slowed(function):
        def run(*arguments, **named):
            begin = time.thread_time()
            result = function(*arguments, **named)
            end = time.thread_time()
            while time.thread_time() < end + (end - begin) / 10:
                pass
            return result
        return run

    if os.environ["RANK"] == "1":
        for name in ("forward_one_chunk", "backward_one_chunk"):
            setattr(PipelineStage, name, slowed(getattr(PipelineStage, name)))


VARIANTS = {"titan": use_titan, "rendezvous": use_rendezvous, "2.8": use_pytorch_28,
            "slow": use_slow_rank}


def train_on_ranks(kit, options, ranks):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    children = []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks),
                              MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), USE_LIBUV="0")
            log = os.open(kit / f"rank{rank}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            VARIANTS.get(kit.name.split("-")[-1], lambda _: None)(kit)
            sys.argv = ["train.py", *options, "--timeout", "60", "--save-gradients"]
            for name in ("schedule.csv", "model.toml", "text.txt", "results"):
                sys.argv += [f"--{Path(name).stem}", str(kit / name)]
            train.main()
            os._exit(0)
        children.append(child)
    return all([os.waitpid(child, 0)[1] == 0 for child in children])


def sequential_gradients(kit, order, options):
    """The gradients of the first iteration, without a pipeline."""
    spec = schedule.tomllib.loads((kit / "model.toml").read_text())
    seed = argument(options, "--seed")
    samples = data.samples_of(kit / "text.txt", spec, seed)
    micro_batches = order.micro_batches * argument(options, "--data-parallel")
    size = spec["micro_batch_size"]
    scale = 1.0 / (micro_batches * size * spec["sequence"] * samples.predicted_share())
    stages = [model.Stage(spec, s, order.stages, seed, torch.float32)
              for s in range(order.stages)]
    for micro_batch in range(micro_batches):
        x, targets = samples.batch(micro_batch * size, size)
        for stage in stages:
            x = stage(x)
        (model.loss_of(x, targets) * scale).backward()
    gradients = {f"{s}.{name}": p.grad for s, stage in enumerate(stages)
                 for name, p in stage.named_parameters()}
    if spec["tied"]:
        ends = ("0.embedding.token", f"{order.stages - 1}.head.weight")
        total = gradients[ends[0]] + gradients[ends[1]]
        gradients.update({end: total for end in ends})
    return gradients


def gradient_error(kit, order, options, ranks):
    expected = sequential_gradients(kit, order, options)
    seen, worst = set(), 0.0
    for rank in range(ranks):
        for name, gradient in torch.load(kit / "results" / f"rank{rank}.gradients.pt").items():
            seen.add(name)
            error = (gradient - expected[name]).abs().max() / expected[name].abs().max()
            worst = max(worst, error.item())
    return worst if seen == set(expected) else float("inf")


def loss_error(kit):
    expected = json.loads((kit / "expected.json").read_text())["losses"]
    lines = (kit / "results" / "losses.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    if len(losses) != len(expected):
        return float("inf")
    return max(abs(a - b) / abs(b) for a, b in zip(losses, expected))


def ranks_of(kit, options):
    return schedule.Schedule(kit / "schedule.csv").devices * argument(options, "--data-parallel")


def train_kit(kit):
    options = options_of(kit)
    ranks = ranks_of(kit, options)
    if train_on_ranks(kit, options, ranks):
        return None
    for rank in range(ranks):
        sys.stdout.write((kit / f"rank{rank}.log").read_text()[-2000:])
    return "a rank failed"


def check(kit):
    options = options_of(kit)
    order = schedule.Schedule(kit / "schedule.csv")
    ranks = ranks_of(kit, options)
    errors = {}
    if not order.is_asynchronous:  # whose first update has a part of the micro-batches
        errors["gradients"] = gradient_error(kit, order, options, ranks)
    if (kit / "expected.json").exists():
        errors["losses"] = loss_error(kit)
    print(f"{kit.name}: " + ", ".join(f"{what} {error:.1e}" for what, error in errors.items()),
          flush=True)
    wrong = [what for what, error in errors.items() if not error <= TOLERANCE]
    return f"{' and '.join(wrong)} differ" if wrong else None


class FakeWork:
    """A transfer."""

    is_done = False

    def is_completed(self):
        return self.is_done

    def wait(self):
        self.is_done = True


def check_sends():
    """A sent tensor is freed as soon as it is sent, not at the end of the iteration."""
    sends, works = communication.Sends(), [FakeWork() for _ in range(4)]

    def waiting():
        return [key for key, *_ in sends.pending]

    sends.add("a", works[0], None)
    works[0].is_done = True
    sends.add("b", works[1], None)
    sends.add("b", works[2], None)
    assert waiting() == ["b", "b"]
    sends.add("c", works[3], None)
    sends.finish("b")
    assert waiting() == ["c"] and [work.is_done for work in works] == [True, True, True, False]
    sends.finish_all()
    assert not waiting() and works[3].is_done


def make_stashes():
    order = SimpleNamespace(devices=1, programs=[[]], kinds={"EV", "LD"})
    return communication.Stashes(SimpleNamespace(
        schedule=order, pipeline_rank=0, copies=0, device=torch.device("cpu"), rank_of=int))


def check_serving():
    """A partner's moves have their own stream. They waited for that of the ops, and it for them."""
    stashes, calls = make_stashes(), mock.MagicMock()
    stashes.moves = [schedule.Op("EV", 0, 0, 0, None, None)]
    stashes.stream, stashes.partner_group = "own", None
    with mock.patch("torch.cuda.stream", calls.stream), \
            mock.patch.object(communication, "dist", calls.dist):
        stashes._serve()
    assert calls.mock_calls[0] == mock.call.stream("own")
    assert [each[0] for each in calls.mock_calls[1:]] == [
        "stream().__enter__", "dist.recv", "dist.recv", "stream().__exit__"]


class SavesSeed(torch.autograd.Function):
    """Saves its input, and a tensor of another device."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, torch.ones(1, device="meta"))
        return x.clone()


def check_stashes():
    """Activations are freed with their graph, also with BPipe."""
    stashes = make_stashes()
    layer = torch.nn.Linear(4, 4)
    with stashes.saved("key", layer):
        y = layer(torch.ones(2, 4))
    assert len(stashes.boxes["key"]) > 0
    del y
    assert len(stashes.boxes["key"]) == 0
    # A CPU tensor that attention on a GPU saves was to be joined with those of the GPU.
    with stashes.saved("key", layer):
        y = SavesSeed.apply(torch.ones(2, 4, requires_grad=True))
    assert [box.tensor.device.type for box in stashes.boxes["key"]] == ["cpu"]


def check_sums():
    """The gradients of a stage that one rank holds are not copied; they were, before OPT."""
    one, two = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    one.grad, two.grad = torch.ones(2), torch.ones(2)
    assert communication.Reductions._sum([[one]], None) == (None, None, [])
    assert communication.Reductions._sum([[one], [two]], None)[1].tolist() == [2, 2]
    # With one micro-batch the direction up has no gradients, which ended the kit.
    two.grad = None
    assert communication.Reductions._sum([[one], [two]], None)[1].tolist() == [1, 1]


def saved_bytes(dtype):
    """The bytes that autograd saves in a forward of few tokens, without the parameters."""
    spec = {"family": "gpt", "width": 64, "heads": 4, "layers": 1, "sequence": 4,
            "vocabulary": 260, "tied": False, "init": {"std": 0.02}}
    stage = model.Stage(spec, 0, 1, 1, dtype)
    weights = {p.untyped_storage().data_ptr() for p in stage.parameters()}
    saved = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        stage(torch.zeros(1, 4, dtype=torch.int64))
    return sum(saved.values())


def check_weights():
    """No micro-batch in flight has a copy of the weights; in bf16 each had one."""
    assert saved_bytes(torch.bfloat16) < saved_bytes(torch.float32)


def schedule_of(ops):
    """A schedule of one device and one stage. An op is a kind, micro-batch, joint and version."""
    rows = ["device,index,op,stage,chunk,microbatch,replica,slice,joint,version"]
    for index, (kind, micro_batch, joint, version) in enumerate(ops):
        rows.append(f"0,{index},{kind},0,0,{micro_batch},0,,{joint},{version}")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("\n".join(rows) + "\n")
        file.flush()
        return schedule.Schedule(file.name)


def obstacle_of(joint):
    """The obstacle of two ops on one device that run as one: F0 B0, or B0 F1 if `joint` is B."""
    return schedule_of([(op, micro_batch, int((op, micro_batch) == (joint, 0)), "")
                        for micro_batch in (0, 1) for op in "FB"]).obstacle()


def check_obstacles():
    """As in bscope, PyTorch joins a forward and a backward. Other joint ops were not seen."""
    assert obstacle_of(None) == obstacle_of("F") == ""
    assert "join only one forward and one backward" in obstacle_of("B")


def check_versions():
    """A file has versions modulo 256. Old ones were kept until their number was used again."""
    order = schedule_of([(kind, "" if kind == "OPT" else m, 0, (m + (kind == "OPT")) % 256)
                         for m in range(300) for kind in ("F", "B", "OPT")])
    order.check()
    versions = [[op.version for op in order.programs[0] if op.kind == kind]
                for kind in ("F", "B", "OPT")]
    assert versions == [list(range(300)), list(range(300)), list(range(1, 301))]


def check_queues():
    """No op waits for a receive of another stream: not in its queue, nor to load its kernel."""
    for variable in ("CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_MODULE_LOADING"):
        os.environ.pop(variable, None)
    train.Job(SimpleNamespace(model=KITS[0] / "model.toml", schedule=KITS[0] / "schedule.csv",
                              data_parallel=1, backend="gloo"))
    assert os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] == "32"
    assert os.environ["CUDA_MODULE_LOADING"] == "EAGER"


def main():
    check_obstacles()
    check_queues()
    check_versions()
    check_sends()
    check_serving()
    check_stashes()
    check_sums()
    check_weights()
    # Autograd's threads do not survive a fork, so this process computes gradients at the end.
    failures = {kit.name: failure for kit in KITS if (failure := train_kit(kit))}
    failures.update({kit.name: failure for kit in KITS
                     if kit.name not in failures and (failure := check(kit))})
    for kit, failure in failures.items():
        print(f"FAILED {kit}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
