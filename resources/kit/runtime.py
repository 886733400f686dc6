"""Executes the ops of one device in the order of schedule.csv.

PyTorch's pipeline runtime has one direction, whole micro-batches and one version of the weights.
KitRuntime executes every schedule that Bubblescope writes: two directions, sequence slices, halves,
weight versions, evicted and recomputed activations.
"""

import inspect
from collections import defaultdict

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _Action, _PipelineScheduleRuntime
from torch.profiler import record_function

from communication import Messages, Reductions, Stashes
from data import patch_values
from model import loss_of
from schedule import activation, gradient


class KitRuntime:
    """Executes every kind of op of schedule.csv."""

    def __init__(self, job, stages, update):
        self.job, self.stages, self.update = job, stages, update
        self.program = job.schedule.programs[job.pipeline_rank]
        self.messages, self.reductions = Messages(job), Reductions(job, stages)
        self.stashes = Stashes(job)
        self.queues = {row: stage.defer_weights() for row, stage in stages.items()} \
            if "W" in job.schedule.kinds else {}
        self.recomputed = {op.part for op in self.program if op.kind == "RC"}
        self.last_use = {(op.row, op.version): op for op in self.program
                         if op.version is not None and op.kind in ("F", "B", "I", "W")}
        self.actions = {"F": self._forward, "B": self._backward, "I": self._backward,
                        "W": self._weights, "RC": self._recompute, "OPT": self._optimize,
                        "SF": self._send, "SB": self._send, "RF": self._receive,
                        "RB": self._receive,
                        "AR": lambda op: self.reductions.start(op.row),
                        "EV": lambda op: self.stashes.evict(op.part),
                        "LD": lambda op: self.stashes.load(op.part),
                        "EVH": lambda op: self.stashes.offload(op.part),
                        "LDH": lambda op: self.stashes.reload(op.part)}

    def step(self, inputs, targets):
        """Runs one iteration. Returns the sum of the losses of this device's tokens."""
        self.inputs, self.targets = inputs, targets
        self.values, self.graphs, self.deferred, self.keys = {}, {}, {}, defaultdict(dict)
        self.versions = {row: {0: self._weights_of(stage)} for row, stage in self.stages.items()} \
            if self.job.schedule.is_asynchronous else {}
        self.loss = torch.zeros((), dtype=torch.float64, device=self.job.device)
        self.messages.begin_iteration()
        self.stashes.begin_iteration()
        for op in self.program:
            self.job.current = str(op)
            with record_function(str(op)):
                self.actions[op.kind](op)
            self.messages.post_ahead()
        self.messages.end_iteration()
        self.stashes.end_iteration()
        self.reductions.clear()
        return self.loss

    @staticmethod
    def _weights_of(stage):
        return {name: p.detach().clone().requires_grad_() for name, p in stage.named_parameters()}

    def _tokens(self, tokens, op):
        tokens = tokens[op.micro_batch]
        if op.slice is None:
            return tokens
        is_half = op.part[:3] in self.job.schedule.halved
        parts = 2 if is_half else self.job.schedule.slices
        return tokens.chunk(parts, dim=0 if is_half else 1)[op.slice]

    def _run_stage(self, op, x, counts_loss=True):
        """Returns the output of the stage, or its loss on the last stage."""
        stage, keys, earlier = self.stages[op.row], None, []
        if self.job.schedule.slices > 1:
            keys = []
            earlier = [self.keys[op.part[:3]][i][1] for i in range(op.slice)]
        arguments = (x, earlier, keys)
        with self.stashes.saved(op.part[:3] + (None,), stage):
            if self.versions:
                weights = self.versions[op.row][op.version]
                y = torch.func.functional_call(stage, weights, arguments)
            else:
                y = stage(*arguments)
            if op.stage == self.job.schedule.stages - 1:
                y = loss_of(y, self._tokens(self.targets, op))
                if counts_loss:
                    self.loss += y.detach()
        if keys:  # later slices read copies, whose gradients the backward of this slice adds
            leaves = [tuple(t.detach().requires_grad_() for t in pair) for pair in keys]
            self.keys[op.part[:3]][op.slice] = keys, leaves
        return y

    def _forward(self, op):
        parts = self.job.schedule.parts(op)
        if op.stage == 0:
            xs = [self._tokens(self.inputs, part) for part in parts]
        else:
            xs = self.values.pop(activation(op, op.stage)).chunk(len(parts))
            xs = [x.detach().requires_grad_() for x in xs]
        outputs = []
        for part, x in zip(parts, xs):
            with torch.set_grad_enabled(op.part not in self.recomputed):
                y = self._run_stage(part, x)
            self.graphs[part.part] = x, y
            outputs.append(y.detach())
        if op.stage < self.job.schedule.stages - 1:
            whole = outputs[0] if len(outputs) == 1 else torch.cat(outputs)
            self.values[activation(op, op.stage + 1)] = whole
        self._free_version(op)

    def _recompute(self, op):
        x, _ = self.graphs[op.part]
        self.graphs[op.part] = x, self._run_stage(op, x, counts_loss=False)

    def _backward(self, op):
        if op.slice is None and op.part[:3] in self.job.schedule.halved:
            for part in self.job.schedule.parts(op):
                self._backward(part)
            return
        x, y = self.graphs.pop(op.part)
        if op.stage == self.job.schedule.stages - 1:
            tensors, gradients = [y], [torch.full_like(y, self.job.loss_scale)]
        else:
            tensors, gradients = [y], [self.values.pop(gradient(op, op.stage))]
        keys, leaves = self.keys[op.part[:3]].pop(op.slice, ((), ()))
        for own, leaf in zip(keys, leaves):
            for tensor, copy in zip(own, leaf):
                if copy.grad is not None:
                    tensors.append(tensor)
                    gradients.append(copy.grad)
        torch.autograd.backward(tensors, gradients)
        if op.stage > 0:
            self.values[gradient(op, op.stage - 1)] = x.grad
        if op.row in self.queues:
            run = self.queues[op.row].take()
            if op.kind == "B":
                run()
            else:
                self.deferred[op.part] = run
        if self.versions:
            self._add_gradients(op)
            self._free_version(op)

    def _weights(self, op):
        self.deferred.pop(op.part)()
        if self.versions:
            self._add_gradients(op)
            self._free_version(op)

    def _add_gradients(self, op):
        """Moves the gradients of a version of the weights to the parameters."""
        weights = self.versions[op.row][op.version]
        for name, parameter in self.stages[op.row].named_parameters():
            grad, weights[name].grad = weights[name].grad, None
            if grad is not None:  # I leaves some of them to W
                parameter.grad = grad if parameter.grad is None else parameter.grad.add_(grad)

    def _free_version(self, op):
        if self.versions and self.last_use.get((op.row, op.version)) is op:
            del self.versions[op.row][op.version]

    def _optimize(self, op):
        self.reductions.finish(op.row)
        if self.versions:
            self.reductions.forget(op.row)
        self.update(op.row)
        if self.versions and (op.row, op.version) in self.last_use:
            self.versions[op.row][op.version] = self._weights_of(self.stages[op.row])

    def _send(self, op):
        key = activation(op, op.stage + 1) if op.kind == "SF" else gradient(op, op.stage - 1)
        self.messages.send(key, self.values.pop(key))

    def _receive(self, op):
        key = (activation if op.kind == "RF" else gradient)(op, op.stage)
        self.values[key] = self.messages.receive(key)


def accepted(function, **arguments):
    """Those of the arguments that this version of PyTorch knows."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in arguments.items() if name in known}


class TorchRuntime:
    """Executes the compute ops with torch.distributed.pipelining, which adds the messages."""

    def __init__(self, job, stages, update):
        self.job, self.stages, self.update = job, stages, update
        schedule = job.schedule
        copies = [[job.rank_of(d, copy) for d in range(schedule.devices)]
                  for copy in range(job.copies)]
        groups = [dist.new_group(ranks, timeout=job.timeout) for ranks in copies]
        self.reductions = Reductions(job, stages)
        self.losses = []
        pipeline = [self._stage(row, stage, groups[job.copy]) for row, stage in stages.items()]
        base = _PipelineScheduleRuntime.__mro__[1]
        self.runtime = _PipelineScheduleRuntime(
            pipeline, schedule.micro_batches, loss_fn=self._loss,
            **accepted(base.__init__, scale_grads=False))
        compute = {device: [op for op in program if op.kind in ("F", "B", "I", "W")]
                   for device, program in enumerate(schedule.programs)}
        # Before PyTorch 2.9 the method has another name.
        prepare = getattr(self.runtime, "_prepare_schedule_with_comms", None) \
            or self.runtime._load_actions
        prepare({device: [_Action.from_str(str(op)) for op in ops]
                 for device, ops in compute.items()})

    def _stage(self, row, stage, group):
        job, schedule = self.job, self.job.schedule
        shape = (job.model["micro_batch_size"], job.model["sequence"])
        hidden = torch.zeros(*shape, job.model["width"], dtype=job.dtype, device=job.device,
                             requires_grad=True)
        is_vit = job.model["family"] == "vit"
        values = [patch_values(job.model)] if is_vit else []
        tokens = torch.zeros(*shape, *values, dtype=torch.int64, device=job.device)
        logits = torch.zeros(*shape[:1 if is_vit else 2], job.model["vocabulary"],
                             dtype=job.dtype, device=job.device, requires_grad=True)
        queue = stage.defer_weights() if "W" in schedule.kinds else None
        return PipelineStage(
            stage, row[1], schedule.stages, job.device,
            input_args=tokens if row[1] == 0 else hidden,
            output_args=logits if row[1] == schedule.stages - 1 else hidden, group=group,
            dw_builder=queue.take if queue is not None else None)

    def _loss(self, logits, targets):
        loss = loss_of(logits, targets)
        self.losses.append(loss.detach().double())
        return loss * self.job.loss_scale

    def step(self, inputs, targets):
        self.losses.clear()
        self.job.current = "an op of PyTorch's runtime"
        has_first = (0, 0) in self.stages
        has_last = (0, self.job.schedule.stages - 1) in self.stages
        self.runtime.step(
            *([inputs.flatten(0, 1)] if has_first else []),
            target=targets.flatten(0, 1) if has_last else None, losses=[] if has_last else None,
            **accepted(self.runtime.step, return_outputs=False))
        for name, action in (("ALLREDUCE", self.reductions.start), ("OPT", self._optimize)):
            if name == "ALLREDUCE" and self.job.copies == 1 and not self.job.model["tied"]:
                continue
            for row in self.stages:
                with record_function(f"{row[1]}{name}"):
                    action(row)
        self.reductions.clear()
        return sum(self.losses, torch.zeros((), dtype=torch.float64, device=self.job.device))

    def _optimize(self, row):
        self.reductions.finish(row)
        self.update(row)
