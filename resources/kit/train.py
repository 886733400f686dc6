#!/usr/bin/env python3
"""Trains the transformer of model.toml with the pipeline schedule of schedule.csv.

Start it with run.sh (torchrun) or slurm.sh. Rank r is device r % D of copy r // D of the pipeline.
Results are written to results/: losses.jsonl and one trace per rank.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

from data import samples_of
from model import Stage, adamw
from runtime import KitRuntime, TorchRuntime
from schedule import KitError, Schedule, read_model, stage_layers

FOLDER = Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schedule", type=Path, default=FOLDER / "schedule.csv")
    parser.add_argument("--model", type=Path, default=FOLDER / "model.toml")
    parser.add_argument("--text", type=Path, default=FOLDER / "text.txt")
    parser.add_argument("--results", type=Path, default=FOLDER / "results")
    parser.add_argument("--scheme", default="file", help="name of the scheme, for the results")
    parser.add_argument("--data-parallel", type=int, default=1, help="copies of the pipeline, W")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runtime", choices=("auto", "torch", "kit"), default="auto",
                        help="auto: PyTorch's pipeline runtime if it can execute the schedule")
    parser.add_argument("--backend", choices=("auto", "gloo", "nccl"), default="auto")
    parser.add_argument("--profile-from", type=int, default=5, help="first profiled iteration")
    parser.add_argument("--profile", type=int, default=10, help="iterations to profile; 0: none")
    parser.add_argument("--memory", action="store_true", help="record allocations, too")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds after which a rank gives up waiting for another one")
    parser.add_argument("--save-gradients", action="store_true",
                        help="save the gradients of the first iteration of each rank")
    parser.add_argument("--check", action="store_true", help="check the model and the schedule, and exit")
    return parser.parse_args()


class Job:
    """What all parts of the program know: model, schedule and the place of this rank."""

    def __init__(self, arguments):
        self.model = read_model(arguments.model)
        self.schedule = Schedule(arguments.schedule)
        self.schedule.check()
        stage_layers(self.model, self.schedule.stages)
        self.copies = arguments.data_parallel
        self.current = "its start"  # the op that runs, for error messages
        # Channels and sums have a stream each. With the default of 8 hardware queues, streams share
        # a queue and wait for each other. CUDA reads the number at its first call.
        os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
        # A kernel that is loaded at its first launch can wait for the kernels that run, and a
        # receive waits for other ranks (CUDA Programming Guide, "Lazy Loading": a deadlock).
        os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")
        self.backend = arguments.backend
        if self.backend == "auto":
            self.backend = "nccl" if torch.cuda.is_available() else "gloo"
        if self.copies > 1 and self.schedule.is_asynchronous:
            raise KitError("an asynchronous schedule has no all-reduces: use --data-parallel 1")

    def join(self, timeout):
        """Joins the other ranks."""
        ranks = self.schedule.devices * self.copies
        started = int(os.environ.get("WORLD_SIZE", "0"))
        if started != ranks:
            raise KitError(
                f"{self.schedule.devices} devices x {self.copies} copies need {ranks} rank(s), not "
                f"{started}: start run.sh, or torchrun with nnodes x nproc-per-node ranks")
        self.device = torch.device("cpu")
        if self.backend == "nccl":
            # A group connects for every algorithm at its first sum, not at the first use of one.
            os.environ.setdefault("NCCL_RUNTIME_CONNECT", "0")
            gpu, gpus = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
            if gpu >= gpus:
                raise KitError(f"this rank needs GPU {gpu} of its node, which has {gpus} GPU(s): "
                               "start fewer ranks on each of more nodes (NODES, RANKS_PER_NODE), "
                               "or train on the CPU with --backend gloo")
            self.device = torch.device("cuda", gpu)
            torch.cuda.set_device(self.device)
        self.timeout = timedelta(seconds=timeout)
        dist.init_process_group(self.backend, timeout=self.timeout)
        self.rank = dist.get_rank()
        self.copy, self.pipeline_rank = divmod(self.rank, self.schedule.devices)
        precision = self.model.get("precision", "fp32")
        self.dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        if precision == "tf32":
            torch.set_float32_matmul_precision("high")

    def rank_of(self, device, copy=None):
        return (self.copy if copy is None else copy) * self.schedule.devices + device

    def message_shape(self, key):
        samples, length = self.model["micro_batch_size"], self.model["sequence"]
        if key[4] is not None and key[1:4] in self.schedule.halved:
            samples //= 2
        elif key[4] is not None:
            length //= self.schedule.slices
        return samples, length, self.model["width"]

    def set_loss_scale(self, share):
        """The objective is the mean over the predicted tokens of an update."""
        micro_batches = self.schedule.micro_batches * self.copies
        if self.schedule.is_asynchronous:
            updates = [op for op in self.schedule.programs[0] if op.kind == "OPT"]
            rows = {op.row for op in updates}
            micro_batches = self.schedule.micro_batches * len(rows) // len(updates)
        per_micro_batch = self.model["micro_batch_size"] * self.model["sequence"] * share
        self.loss_scale = 1.0 / (per_micro_batch * micro_batches)
        self.mean_scale = 1.0 / (per_micro_batch * self.schedule.micro_batches * self.copies)


def require_same(job, arguments):
    """Fails if ranks have different files or versions of PyTorch."""
    digest = hashlib.sha256()
    for file in sorted(FOLDER.glob("*.py")) + [arguments.schedule, arguments.model, arguments.text]:
        digest.update(file.read_bytes() if file.exists() else b"")  # a ViT needs no text
    own = {"PyTorch": torch.__version__, "files of the kit": digest.hexdigest()[:12],
           "arguments": " ".join(sys.argv[1:])}
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, own)
    for rank, other in enumerate(everyone):
        for what, value in other.items():
            if value != everyone[0][what]:
                raise KitError(f"ranks differ: {what} of rank 0: {everyone[0][what]}, of rank "
                               f"{rank}: {value}; use the same on all ranks")


def remove_traces(job, arguments):
    """Deletes the traces of an earlier run, which `bscope import` would read as those of this."""
    for file in arguments.results.glob("rank*.json.gz"):
        rank = file.name[len("rank"):-len(".json.gz")]
        if rank.isdigit() and (int(rank) == job.rank or int(rank) >= dist.get_world_size()):
            file.unlink(missing_ok=True)


def choose_runtime(job, wanted):
    obstacle = job.schedule.obstacle()
    if wanted == "torch" and obstacle:
        raise KitError(f"PyTorch's pipeline runtime cannot execute this schedule, because "
                       f"{obstacle}: use --runtime kit")
    is_torch = wanted == "torch" or (wanted == "auto" and not obstacle)
    if job.rank == 0 and not is_torch:
        print("The runtime of the kit executes schedule.csv"
              + (f"; PyTorch's cannot, because {obstacle}." if obstacle else "."), flush=True)
    return TorchRuntime if is_torch else KitRuntime


def make_profiler(job, arguments):
    """Writes one Kineto trace per rank."""
    if arguments.profile == 0:
        return None
    activities = [torch.profiler.ProfilerActivity.CPU]
    if job.backend == "nccl":
        activities.append(torch.profiler.ProfilerActivity.CUDA)

    def save(profiler):
        profiler.export_chrome_trace(str(arguments.results / f"rank{job.rank}.json.gz"))

    first = min(arguments.profile_from, max(0, arguments.iterations - 1))
    job.last_profiled = min(first + arguments.profile, arguments.iterations) - 1
    warmup = min(1, first)
    return torch.profiler.profile(
        activities=activities, on_trace_ready=save, profile_memory=arguments.memory,
        schedule=torch.profiler.schedule(
            wait=first - warmup, warmup=warmup, repeat=1,
            active=job.last_profiled + 1 - first))


def train(job, arguments):
    schedule, model = job.schedule, job.model
    samples = samples_of(arguments.text, model, arguments.seed)
    job.set_loss_scale(samples.predicted_share())
    stages = {row: Stage(model, row[1], schedule.stages, arguments.seed, job.dtype).to(job.device)
              for row, device in sorted(schedule.device_of.items())
              if device == job.pipeline_rank}
    optimizers = {row: adamw(stage, model) for row, stage in stages.items()}
    saved = {}

    def update(row):
        if arguments.save_gradients and iteration == 0:
            saved.update({f"{row[1]}.{name}": p.grad.clone()
                          for name, p in stages[row].named_parameters()})
        optimizers[row].step()
        optimizers[row].zero_grad()

    runtime = choose_runtime(job, arguments.runtime)(job, stages, update)
    profiler = make_profiler(job, arguments)
    if arguments.memory and job.device.type == "cuda":
        torch.cuda.memory._record_memory_history()
    log = open(arguments.results / "losses.jsonl", "w") if job.rank == 0 else None
    losses = []
    per_iteration = schedule.micro_batches * model["micro_batch_size"]
    shape = (schedule.micro_batches, model["micro_batch_size"])
    if profiler:
        profiler.start()
    for iteration in range(arguments.iterations):
        job.iteration = iteration
        first = (iteration * job.copies + job.copy) * per_iteration
        inputs, targets = (tokens.unflatten(0, shape).to(job.device)
                           for tokens in samples.batch(first, per_iteration))
        dist.barrier()
        begin = time.perf_counter()
        loss = runtime.step(inputs, targets)
        dist.reduce(loss, 0)
        loss = loss.item() * job.mean_scale  # .item() waits for the GPU
        seconds = time.perf_counter() - begin
        losses.append(loss)
        if profiler:
            if iteration == job.last_profiled:
                profiler.add_metadata_json("bubblescope_kit", json.dumps(
                    {"scheme": arguments.scheme, "model": model["name"],
                     "losses": losses if job.rank == 0 else []}))  # only rank 0 has the sums
            profiler.step()
        if log:
            print(json.dumps({"iteration": iteration, "loss": loss, "seconds": seconds}),
                  file=log, flush=True)
            print(f"iteration {iteration}: loss {loss:.6f}, {1e3 * seconds:.1f} ms", flush=True)
        if iteration == 0 and saved:
            torch.save(saved, arguments.results / f"rank{job.rank}.gradients.pt")
    if profiler:
        profiler.stop()
    if arguments.memory and job.device.type == "cuda":
        torch.cuda.memory._dump_snapshot(str(arguments.results / f"rank{job.rank}.memory.pickle"))


def main():
    arguments, job = parse_arguments(), None
    rank = os.environ.get("RANK", "0")
    try:
        job = Job(arguments)
        if arguments.check:
            print("schedule.csv is complete and does not deadlock.")
            return 0
        arguments.results.mkdir(parents=True, exist_ok=True)
        job.join(arguments.timeout)
        require_same(job, arguments)
        remove_traces(job, arguments)
        train(job, arguments)
        dist.barrier()
        dist.destroy_process_group()
        return 0
    except (KitError, OSError) as error:
        print(f"train.py: rank {rank}: {error}", file=sys.stderr, flush=True)
    except RuntimeError as error:
        where = f"iteration {getattr(job, 'iteration', 0)}, {job.current}" if job else "its start"
        print(f"train.py: rank {rank} stopped in {where}: {error}", file=sys.stderr, flush=True)
    # Without destroying the group, which would wait for other ranks.
    sys.stdout.flush()
    os._exit(1)


if __name__ == "__main__":
    main()
