#include "profiler/analysis/alive.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {

// The key by which a free finds its allocation: category, stage, micro-batch, direction and slice.
// Stage and micro-batch are -1 for memory without an op, such as weights.
using Key = std::tuple<MemoryCategory, int, int, int, int>;

bool isOfSameMicroBatch(const Key& a, const Key& b)
{
    return std::get<2>(a) == std::get<2>(b) && std::get<3>(a) == std::get<3>(b)
        && std::get<4>(a) == std::get<4>(b);
}

Key keyOf(const Run& run, const OpIndex& index, const MemoryEvent& event)
{
    if (event.op >= index.count())
        return {event.category, -1, -1, 0, 0};
    const Op& op = opAt(run.schedule, index, event.op);
    return {event.category, op.stage.value, op.microBatch.value, op.replica, op.slice};
}

// The allocations of one device that are not freed yet.
class AliveTensors
{
public:
    AliveTensors(const Run& run, DeviceId device)
        : m_run(run)
        , m_index(run.schedule)
        , m_device(device)
    { }

    void add(const MemoryEvent& event)
    {
        if (DeviceId{event.device} != m_device)
            return;
        const Key key = keyOf(m_run, m_index, event);
        if (event.bytes < 0)
            return free(key, -event.bytes);
        AliveTensor tensor{kindOf(m_run, m_index, event),
                           {},
                           event.time,
                           event.bytes,
                           ownerOfGuest(m_run, m_index, event)};
        if (event.op < m_index.count())
            tensor.op = event.op;
        auto& tensors = m_alive[key];
        if (!tensors.empty() && tensors.back().op == tensor.op)
            tensors.back().bytes += tensor.bytes;
        else
            tensors.push_back(tensor);
    }

    std::vector<AliveTensor> alive() const
    {
        std::vector<AliveTensor> all;
        for (const auto& [key, tensors] : m_alive)
            all.insert(all.end(), tensors.begin(), tensors.end());
        const auto isStash = [](const AliveTensor& one) {
            return one.kind == MemoryKind::Stash || one.kind == MemoryKind::Guest;
        };
        std::ranges::stable_sort(all, [&](const AliveTensor& a, const AliveTensor& b) {
            if (isStash(a) != isStash(b))
                return isStash(a);
            return isStash(a) ? a.since < b.since : a.bytes > b.bytes;
        });
        return all;
    }

private:
    using Alive = std::map<Key, std::vector<AliveTensor>>; // no vector is empty

    // Frees `bytes` from the allocations with this key, then from those of the same category and
    // micro-batch, then from all of the category. The stage of a free differs from that of the
    // allocation if a message stays on the device: the op of the next stage frees the message.
    void free(const Key& key, std::int64_t bytes)
    {
        const auto isOfCategory
            = [&](const Key& other) { return std::get<0>(other) == std::get<0>(key); };
        const auto [own, next] = m_alive.equal_range(key);
        bytes = release(own, next, bytes, isOfCategory);
        bytes = release(m_alive.begin(), m_alive.end(), bytes, [&](const Key& other) {
            return isOfCategory(other) && isOfSameMicroBatch(other, key);
        });
        release(m_alive.begin(), m_alive.end(), bytes, isOfCategory);
    }

    // Frees allocations of the keys that match. Returns the bytes that could not be freed.
    template<class Matches>
    std::int64_t release(Alive::iterator at, Alive::iterator end, std::int64_t bytes,
                         Matches matches)
    {
        while (bytes > 0 && at != end) {
            if (matches(at->first))
                bytes = release(at->second, bytes);
            at = at->second.empty() ? m_alive.erase(at) : std::next(at);
        }
        return bytes;
    }

    // Frees the oldest tensors first. Returns the bytes that could not be freed.
    static std::int64_t release(std::vector<AliveTensor>& tensors, std::int64_t bytes)
    {
        while (bytes > 0 && !tensors.empty()) {
            const std::int64_t freed = std::min(bytes, tensors.front().bytes);
            bytes -= freed;
            tensors.front().bytes -= freed;
            if (tensors.front().bytes == 0)
                tensors.erase(tensors.begin());
        }
        return bytes;
    }

    const Run& m_run;
    OpIndex m_index;
    DeviceId m_device;
    Alive m_alive;
};

bool isSameStash(const Op& a, const Op& b)
{
    return a.stage == b.stage && a.microBatch == b.microBatch && a.replica == b.replica
        && a.slice == b.slice;
}

std::optional<DeviceId> partnerOf(const Op& evict)
{
    return usesHost(evict) ? std::nullopt : std::optional(DeviceId{evict.peer});
}

} // namespace

std::vector<AliveTensor> aliveAt(const Run& run, DeviceId device, std::int64_t time)
{
    AliveTensors tensors(run, device);
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.time > time)
            break;
        tensors.add(event);
    }
    return tensors.alive();
}

std::vector<EvictedTensor> evictedAt(const Run& run, DeviceId device, std::int64_t time)
{
    const OpIndex index(run.schedule);
    const Track* copies = run.timeline.track(device, Track::Kind::Copy);
    const auto opOf = [&](std::uint32_t op) -> const Op& { return opAt(run.schedule, index, op); };
    std::vector<EvictedTensor> away;
    for (const Span& span :
         copies != nullptr ? std::span<const Span>(copies->spans) : std::span<const Span>()) {
        const Op& op = opOf(span.op);
        if (op.kind == OpKind::Evict && span.end <= time) {
            away.push_back({span.op, partnerOf(op), span.end, 0, {}});
            continue;
        }
        const auto evicted = std::ranges::find_if(away, [&](const EvictedTensor& one) {
            return !one.back && op.kind == OpKind::Load && isSameStash(opOf(one.op), op);
        });
        if (evicted != away.end())
            evicted->back = span.begin;
    }
    std::erase_if(away, [time](const EvictedTensor& one) { return one.back && *one.back <= time; });
    for (const MemoryEvent& event : run.timeline.memory)
        for (EvictedTensor& one : away)
            if (event.op == one.op && event.bytes < 0 && event.time <= one.left)
                one.bytes = -event.bytes; // of the last iteration so far
    return away;
}

IdVector<DeviceId, std::optional<MemoryPartner>> memoryPartners(const Run& run, int iteration)
{
    const int devices = run.schedule.shape.devices;
    IdVector<DeviceId, std::optional<MemoryPartner>> partners(devices);
    for (const DeviceId device : partners.ids())
        for (const Op& op : run.schedule.on(device)) {
            if (op.kind != OpKind::Evict)
                continue;
            const auto partner = partnerOf(op);
            if (!partners[device] || !partners[device]->isEvictor)
                partners[device] = MemoryPartner{partner, true, 0, 0};
            ++partners[device]->moves;
            if (partner && !partners[*partner])
                partners[*partner] = MemoryPartner{device, false, 0, 0};
        }
    if (iteration < 0 || iteration >= static_cast<int>(run.timeline.iterations.size()))
        return partners;
    const Window window = run.timeline.iterations[iteration].window;
    const OpIndex index(run.schedule);
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.op >= index.count() || opAt(run.schedule, index, event.op).kind != OpKind::Evict
            || event.bytes > 0 || !window.contains(event.time))
            continue;
        if (auto& partner = partners[DeviceId{event.device}])
            partner->bytes -= event.bytes;
    }
    for (const DeviceId device : partners.ids()) // an acceptor has the moves of its partner
        if (partners[device] && !partners[device]->isEvictor) {
            partners[device]->moves = partners[*partners[device]->device]->moves;
            partners[device]->bytes = partners[*partners[device]->device]->bytes;
        }
    return partners;
}

std::int64_t MemoryStep::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// For an EVICT or a LOAD, the device of the op owns the stash. It differs from the device of the
// event if the event is on the partner.
std::optional<DeviceId> ownerOfGuest(const Run& run, const OpIndex& index, const MemoryEvent& event)
{
    if (event.op >= index.count() || !isCopy(opAt(run.schedule, index, event.op).kind))
        return std::nullopt;
    const DeviceId owner = index.deviceOf(event.op);
    return owner == DeviceId{event.device} ? std::nullopt : std::optional(owner);
}

MemoryKind kindOf(const Run& run, const OpIndex& index, const MemoryEvent& event)
{
    return event.category == MemoryCategory::Stash && ownerOfGuest(run, index, event)
        ? MemoryKind::Guest
        : kindOf(event.category);
}

IdVector<DeviceId, MemorySteps> memorySteps(const Run& run, int iteration)
{
    const int devices = run.schedule.shape.devices;
    IdVector<DeviceId, MemorySteps> all(devices);
    if (run.timeline.memory.empty() || iteration < 0
        || iteration >= static_cast<int>(run.timeline.iterations.size()))
        return all;
    const Window window = run.timeline.iterations[iteration].window;
    const OpIndex index(run.schedule);
    IdVector<DeviceId, MemoryStep> now(devices);
    const auto keep = [&](DeviceId device) {
        MemorySteps& steps = all[device];
        MemoryStep step = now[device];
        step.time = std::max(step.time, window.begin);
        if (!steps.empty() && steps.back().time == step.time)
            steps.back() = step;
        else
            steps.push_back(step);
    };
    for (const MemoryEvent& event : run.timeline.memory) {
        if (event.time >= window.end)
            break;
        const DeviceId device{event.device};
        if (!now.has(device))
            continue;
        now[device].time = event.time;
        now[device].bytes[kindOf(run, index, event)] += event.bytes;
        if (event.op < index.count() && usesHost(opAt(run.schedule, index, event.op)))
            now[device].evicted -= event.bytes;
        keep(device);
        const auto owner = event.category == MemoryCategory::Stash ? ownerOfGuest(run, index, event)
                                                                   : std::nullopt;
        if (!owner)
            continue;
        now[*owner].time = std::max(now[*owner].time, event.time);
        now[*owner].evicted += event.bytes;
        keep(*owner);
    }
    return all;
}

const MemoryStep& stepAt(const MemorySteps& steps, std::int64_t time)
{
    const auto next = std::ranges::upper_bound(steps, time, {}, &MemoryStep::time);
    return next == steps.begin() ? steps.front() : *(next - 1);
}

const MemoryStep& peakOf(const MemorySteps& steps)
{
    return *std::ranges::max_element(steps, {},
                                     [](const MemoryStep& step) { return step.total(); });
}

std::vector<std::int64_t> peakTimes(const MemorySteps& steps, double share)
{
    std::vector<std::int64_t> times;
    if (steps.empty())
        return times;
    const auto least = static_cast<double>(peakOf(steps).total()) * share;
    bool isRising = true;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const std::int64_t now = steps[k].total();
        const bool falls = k + 1 == steps.size() || steps[k + 1].total() < now;
        if (k > 0 && now != steps[k - 1].total())
            isRising = now > steps[k - 1].total();
        if (!falls || !isRising || static_cast<double>(now) < least)
            continue;
        std::size_t first = k; // the first of several equal steps
        while (first > 0 && steps[first - 1].total() == now)
            --first;
        times.push_back(steps[first].time);
    }
    return times;
}

} // namespace profiler
