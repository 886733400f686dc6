"""Sums of gradients, messages between devices, and activations that move to a partner device."""

from collections import defaultdict, deque
from contextlib import nullcontext
from threading import Thread
from weakref import WeakSet

import torch
import torch.distributed as dist

from schedule import activation, gradient


def new_channel(job, source, target):
    """A process group for the messages of two ranks. Every rank creates it.

    NCCL connects two ranks at their first message, and each host waits there for the other one, so
    a message is sent before the schedule starts.
    """
    group = dist.new_group([source, target], timeout=job.timeout)
    rank = dist.get_rank()
    if job.backend == "nccl" and rank == source:
        dist.send(torch.zeros(1, device=job.device), target, group=group)
    elif job.backend == "nccl" and rank == target:
        dist.recv(torch.zeros(1, device=job.device), source, group=group)
    return group


class Groups:
    """Process groups by members. Every rank creates all of them, in the same order.

    NCCL connects the members at their first sum, and each host waits there for the others, so a
    number is summed before the schedule starts.
    """

    def __init__(self, job, memberships):
        self.groups = {}
        for members in sorted({tuple(sorted(set(each))) for each in memberships}):
            if len(members) > 1:
                group = dist.new_group(list(members), timeout=job.timeout)
                if job.backend == "nccl" and dist.get_rank() in members:
                    dist.all_reduce(torch.zeros(1, device=job.device), group=group)
                self.groups[members] = group

    def of(self, members):
        return self.groups.get(tuple(sorted(set(members))))


class Reductions:
    """Sums the gradients of a stage over its replicas and over the copies of the pipeline."""

    def __init__(self, job, stages):
        schedule, self.job, self.stages = job.schedule, job, stages
        self.holders = defaultdict(list)  # the ranks that have a stage
        for (_, stage), device in sorted(schedule.device_of.items()):
            self.holders[stage] += [copy * schedule.devices + device for copy in range(job.copies)]
        self.tied = None
        if job.model["tied"]:
            self.tied = self.holders[0] + self.holders[schedule.stages - 1]
        self.groups = Groups(job, list(self.holders.values()) + ([self.tied] if self.tied else []))
        self.pending = {}
        self.arrived = defaultdict(set)

    def _is_tied(self, name):
        return self.tied is not None and name in ("embedding.token", "head.weight")

    def start(self, row):
        """The gradients of this replica of a stage are complete."""
        stage = row[1]
        local = {each for each in self.stages if each[1] == stage}
        self.arrived[stage].add(row)
        if self.arrived[stage] != local or stage in self.pending:
            return
        lists = [[p for name, p in self.stages[each].named_parameters()
                  if not self._is_tied(name)] for each in sorted(local)]
        self.pending[stage] = self._sum(lists, self.groups.of(self.holders[stage]))
        ends = {0, self.job.schedule.stages - 1}
        held = {row_ for row_ in self.stages if row_[1] in ends}
        if self.tied and stage in ends and all(r in self.arrived[r[1]] for r in held):
            lists = [[p] for each in sorted(held)
                     for name, p in self.stages[each].named_parameters() if self._is_tied(name)]
            self.pending["tied"] = self._sum(lists, self.groups.of(self.tied))

    @staticmethod
    def _sum(lists, group):
        if group is None and len(lists) == 1:  # the gradients are the sum
            return None, None, []
        # A direction of the pipeline without micro-batches has no gradients.
        flat = sum(torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten()
                              for p in parameters]) for parameters in lists)
        work = dist.all_reduce(flat, group=group, async_op=True) if group else None
        return work, flat, lists

    def finish(self, row):
        """Waits for the sum and stores it in the gradients."""
        ends = (0, self.job.schedule.stages - 1)
        same = [row[1]] if self.tied is None or row[1] not in ends else ends
        for each in self.stages:
            if each[1] in same and each not in self.arrived[each[1]]:
                self.start(each)
        for key in (row[1], "tied"):
            work, flat, lists = self.pending.get(key, (None, None, []))
            if work is not None:
                work.wait()
            for parameters in lists:
                parts = flat.split([p.numel() for p in parameters])
                for parameter, part in zip(parameters, parts):
                    parameter.grad = part.view_as(parameter)
            if key in self.pending:
                self.pending[key] = None, None, []

    def clear(self):
        self.pending.clear()
        self.arrived.clear()

    def forget(self, row):
        """The replica is updated; the next sum of its stage is that of the next update."""
        self.arrived[row[1]].discard(row)
        if not self.arrived[row[1]]:
            self.pending.pop(row[1], None)


class Sends:
    """Tensors that are being sent. Each is kept until its transfer is complete."""

    def __init__(self):
        self.pending = deque()

    def add(self, key, work, tensor):
        while self.pending and self.pending[0][1].is_completed():
            self._finish_first()
        self.pending.append((key, work, tensor))

    def finish(self, key):
        """Waits for the tensors of a key and for those before them."""
        while any(each[0] == key for each in self.pending):
            self._finish_first()

    def finish_all(self):
        while self.pending:
            self._finish_first()

    def _finish_first(self):
        self.pending[0][1].wait()
        self.pending.popleft()


class Messages:
    """Activations and gradients between devices.

    Each directed pair of devices has a channel for activations and one for gradients. Messages of a
    channel are received in the order in which they are sent, one message ahead, because NCCL has no
    tags and a transfer starts when both of its ends are called.
    """

    def __init__(self, job):
        self.job, schedule = job, job.schedule
        self.order = defaultdict(list)  # [source, target, kind] keys of messages
        for device, program in enumerate(schedule.programs):
            for op in program:
                if op.kind in ("SF", "SB"):
                    to = op.stage + (1 if op.kind == "SF" else -1)
                    key = (activation if op.kind == "SF" else gradient)(op, to)
                    target = schedule.device_of[op.replica, to]
                    self.order[device, target, key[0]].append(key)
        self.channel_of = {key: channel for channel, keys in self.order.items() for key in keys}
        self.groups = {}
        if job.backend == "nccl":  # a communicator per channel and copy
            for copy in range(job.copies):
                for source, target, kind in sorted(self.order):
                    ranks = [self.job.rank_of(d, copy) for d in (source, target)]
                    group = new_channel(job, *ranks)
                    if dist.get_rank() in ranks:
                        self.groups[source, target, kind] = group

    def begin_iteration(self):
        self.waiting = {channel: deque(keys) for channel, keys in self.order.items()
                        if channel[1] == self.job.pipeline_rank}
        self.posted, self.sends, self.ahead = {}, Sends(), None

    def _arguments(self, channel):
        return {"group": self.groups.get(channel), "tag": "FB".index(channel[2])}

    def _post(self, channel):
        if not self.waiting[channel]:
            return
        key = self.waiting[channel].popleft()
        buffer = torch.empty(self.job.message_shape(key), dtype=self.job.dtype,
                             device=self.job.device)
        source = self.job.rank_of(channel[0])
        self.posted[key] = dist.irecv(buffer, source, **self._arguments(channel)), buffer

    def send(self, key, tensor):
        channel = self.channel_of[key]
        tensor = tensor.contiguous()
        work = dist.isend(tensor, self.job.rank_of(channel[1]), **self._arguments(channel))
        self.sends.add(key, work, tensor)

    def receive(self, key):
        channel = self.channel_of[key]
        while key not in self.posted:
            self._post(channel)
        self.ahead = channel
        work, buffer = self.posted.pop(key)
        work.wait()
        return buffer

    def post_ahead(self):
        """Posts the message after the one that was received, outside the range of its op."""
        if self.ahead is not None:
            self._post(self.ahead)
            self.ahead = None

    def end_iteration(self):
        self.sends.finish_all()


class Stashes:
    """Moves saved activations to the partner device (BPipe, Kim et al., 2023) or the host, and back.

    The partner has no row for a move, so a thread on each device serves the moves of its partner.
    """

    class Box:
        """A tensor that autograd saved."""

        def __init__(self, tensor):
            self.tensor, self.meta = tensor, (tensor.shape, tensor.dtype, tensor.numel())

    def __init__(self, job):
        self.job, schedule = job, job.schedule
        self.boxes = defaultdict(WeakSet)  # those that the graphs of autograd own, by key
        self.evicted, self.sends, self.thread = {}, Sends(), None
        self.partner = schedule.devices - 1 - job.pipeline_rank
        self.moves = [op for op in schedule.programs[self.partner] if op.kind in ("EV", "LD")] \
            if self.partner != job.pipeline_rank else []
        self.is_used = bool(schedule.kinds & {"EV", "LD", "EVH", "LDH"})
        if not self.is_used:
            return
        # A thread on the stream of the ops would make them wait for the partner's next EVICT.
        self.stream = torch.cuda.Stream(job.device) if job.device.type == "cuda" else None
        if "EV" not in schedule.kinds:
            return
        for copy in range(job.copies):
            for device in range(schedule.devices):
                ranks = [job.rank_of(d, copy) for d in (device, schedule.devices - 1 - device)]
                if ranks[0] == ranks[1]:
                    continue
                group = new_channel(job, *ranks)
                if copy == job.copy and device == job.pipeline_rank:
                    self.own_group = group
                elif copy == job.copy and device == self.partner:
                    self.partner_group = group

    def saved(self, key, module):
        """A context in which autograd saves activations in boxes of this key."""
        if not self.is_used:
            return nullcontext()
        weights = {p.untyped_storage().data_ptr() for p in module.parameters()}

        def pack(tensor):
            # Attention on a GPU saves its dropout seed on the CPU.
            if tensor.device != self.job.device \
                    or tensor.untyped_storage().data_ptr() in weights:
                return tensor
            box = self.Box(tensor)
            self.boxes[key].add(box)
            return box

        return torch.autograd.graph.saved_tensors_hooks(
            pack, lambda saved: saved.tensor if isinstance(saved, self.Box) else saved)

    def _empty(self, key):
        """Joins the bytes of the boxes of this key and empties them."""
        boxes = list(self.boxes[key])
        # A forward that is recomputed saves nothing.
        empty = torch.empty(0, dtype=torch.uint8, device=self.job.device)
        flat = torch.cat(
            [empty, *(b.tensor.contiguous().view(-1).view(torch.uint8) for b in boxes)])
        for box in boxes:
            box.tensor = None
        return flat, boxes

    @staticmethod
    def _fill(flat, boxes):
        at = 0
        for box in boxes:
            shape, dtype, count = box.meta
            size = count * dtype.itemsize
            # A copy is aligned for its type.
            box.tensor = flat[at:at + size].clone().view(dtype).view(shape)
            at += size

    def _copy(self, to, of):
        """Copies between device and host, on a GPU beside the ops until the next load."""
        if self.stream is None:
            to.copy_(of)
            return
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            to.copy_(of, non_blocking=True)
        for each in (to, of):
            if each.is_cuda:
                each.record_stream(self.stream)

    def offload(self, key):
        flat, boxes = self._empty(key)
        host = torch.empty(flat.shape, dtype=flat.dtype, pin_memory=self.stream is not None)
        self._copy(host, flat)
        self.evicted[key] = host, boxes

    def reload(self, key):
        host, boxes = self.evicted.pop(key)
        flat = torch.empty(host.shape, dtype=host.dtype, device=self.job.device)
        self._copy(flat, host)
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
        self._fill(flat, boxes)

    def evict(self, key):
        flat, boxes = self._empty(key)
        size = torch.tensor([flat.numel()], device=self.job.device)
        to = self.job.rank_of(self.partner)
        for tensor in (size, flat):
            self.sends.add(key, dist.isend(tensor, to, group=self.own_group), tensor)
        self.evicted[key] = flat.numel(), boxes

    def load(self, key):
        self.sends.finish(key)
        total, boxes = self.evicted.pop(key)
        flat = torch.empty(total, dtype=torch.uint8, device=self.job.device)
        dist.irecv(flat, self.job.rank_of(self.partner), group=self.own_group).wait()
        self._fill(flat, boxes)

    def _serve(self):
        if self.job.device.type == "cuda":
            torch.cuda.set_device(self.job.device)
        owner, held = self.job.rank_of(self.partner), {}
        with torch.cuda.stream(self.stream):
            for op in self.moves:
                if op.kind == "LD":
                    dist.send(held.pop(op.part), owner, group=self.partner_group)
                    continue
                size = torch.zeros(1, dtype=torch.int64, device=self.job.device)
                dist.recv(size, owner, group=self.partner_group)
                held[op.part] = torch.empty(int(size), dtype=torch.uint8, device=self.job.device)
                dist.recv(held[op.part], owner, group=self.partner_group)

    def begin_iteration(self):
        if self.moves:
            self.thread = Thread(target=self._serve, daemon=True)
            self.thread.start()

    def end_iteration(self):
        if self.thread:
            self.thread.join()
        self.sends.finish_all()
        self.boxes.clear()
