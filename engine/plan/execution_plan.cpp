#include "engine/plan/execution_plan.h"

#include "engine/base/check.h"
#include "engine/plan/device_planner.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

using Planned = ExecutionPlan::PlannedCollective;

class CollectivePlanner
{
public:
    CollectivePlanner(const Schedule& lowered, const PipelineModel<float>& model)
        : m_model(model)
        , m_tied(model.tied())
        , m_hasCopies(lowered.shape.dataParallel > 1)
    { }

    void add(DeviceId device, const Op& op)
    {
        m_round = m_rounds[{op.replica, op.stage}]++;
        const std::size_t parameters = m_model.sizes(op.stage).parameters;
        const Planned::Member whole{device, op.replica, op.stage, 0};
        if (!tiesEmbeddings(op)) {
            join(op, whole, parameters);
            return;
        }
        CHECK(m_tied.has_value());
        const std::size_t first
            = op.stage == m_tied->first ? m_tied->firstOffset : m_tied->lastOffset;
        const std::size_t behind = first + m_tied->count;
        join(op, {device, op.replica, op.stage, first}, m_tied->count);
        if (m_hasCopies) {
            addRest(op, whole, first);
            addRest(op, {device, op.replica, op.stage, behind}, parameters - behind);
        }
    }

    std::vector<Planned> take() { return std::move(m_all); }

private:
    // Adds the member to the collective of its stage, or of both stages of tied embeddings.
    void join(const Op& op, const Planned::Member& member, std::size_t count)
    {
        const auto [sum, isNew] = m_sums.try_emplace({allReduceStage(op), m_round}, m_all.size());
        if (isNew)
            m_all.push_back({allReduceStage(op), m_round, count, {}});
        m_all[sum->second].members.push_back(member);
    }

    // Adds a collective for the untied parameters of a stage.
    void addRest(const Op& op, const Planned::Member& member, std::size_t count)
    {
        if (count > 0)
            m_all.push_back({allReduceStage(op), m_round, count, {member}});
    }

    const PipelineModel<float>& m_model;
    std::optional<TiedParameters> m_tied;
    bool m_hasCopies = false;
    std::vector<Planned> m_all;
    // [replica, stage] The number of ALLREDUCE ops so far.
    std::map<std::pair<std::uint8_t, StageId>, int> m_rounds;
    int m_round = 0;                                       // index of the update of the current op
    std::map<std::pair<StageId, int>, std::size_t> m_sums; // [stage, round]: index in m_all
};

// Plans the ALLREDUCE ops of a schedule. The k-th ALLREDUCE ops of all devices that hold a stage
// form one collective, which sums the stage's gradient of update k. With tied embeddings, one
// collective sums the tied tensor over both stages. With tied embeddings and several data-parallel
// pipelines, further collectives sum the rest of each stage over the pipelines. The summed parts of
// a stage do not overlap, so the collectives may run in any order.
std::vector<Planned> planCollectives(const Schedule& lowered, const PipelineModel<float>& model)
{
    CollectivePlanner planner(lowered, model);
    for (const DeviceId d : lowered.program.ids())
        for (const Op& op : lowered.program[d])
            if (op.kind == OpKind::AllReduce)
                planner.add(d, op);
    return planner.take();
}

using At = MemoryChange::At;
class Log
{
public:
    explicit Log(const PlanParts& parts)
        : m_parts(parts)
        , m_index(parts.lowered)
    { }

    void add(HappensBefore::Place place, At at, MemoryCategory category, Bytes bytes)
    {
        addOn(place.device, place, at, category, bytes);
    }
    // Records a change on `device` at the start or end of an op of another device.
    void addOn(DeviceId device, HappensBefore::Place place, At at, MemoryCategory category,
               Bytes bytes)
    {
        if (bytes != 0)
            m_log.push_back(
                {m_index.of(place.device, place.position), at, device, category, bytes});
    }

    void message(const PlannedMessage& message)
    {
        if (!message.isSent())
            return; // the tensor stays on the device; buffer() logs it
        const auto category = MemoryCategory::Buffers;
        add(message.maker, At::Begin, category, message.bytes);
        add({message.maker.device, message.send}, At::End, category, -message.bytes);
        add({message.user.device, message.receive}, At::Begin, category, message.bytes);
        add(message.user, At::End, category, -message.bytes);
    }

    void buffer(DeviceId device, const PlannedBuffer& buffer)
    {
        const BufferLife& life = buffer.life;
        const auto change = [&](std::uint32_t position, At at, Bytes bytes) {
            add({device, position}, at, buffer.category, bytes);
        };
        change(life.begin, At::Begin, life.bytes);
        if (buffer.evictedBy != kNoIndex) {
            change(buffer.evictedBy, At::End, -life.bytes);
        } else if (life.shrinks < life.end) {
            change(life.shrinks, At::End, life.rest - life.bytes);
            change(life.end, At::End, -life.rest);
        } else {
            change(life.end, At::End, -life.bytes);
        }
    }

    void guests(DeviceId device, const StashPlan& stash)
    {
        const DeviceId partner = stashPartner(device, m_parts.lowered.shape);
        for (std::uint32_t i = 0; i < stash.of.size(); ++i) {
            if (stash.of[i].guest == kNoIndex || usesHost(m_parts.lowered.on(device)[i]))
                continue;
            const bool evicts = m_parts.lowered.on(device)[i].kind == OpKind::Evict;
            const Bytes bytes = stash.guests[stash.of[i].guest];
            addOn(partner, {device, i}, evicts ? At::Begin : At::End, MemoryCategory::Stash,
                  evicts ? bytes : -bytes);
        }
    }

    MemoryLog take() { return std::move(m_log); }

private:
    const PlanParts& m_parts;
    OpIndex m_index;
    MemoryLog m_log;
};

MemoryLog planMemoryLog(const PlanParts& parts, const ExecutionPlan& plan)
{
    Log log(parts);
    for (const PlannedMessage& message : parts.messages.messages)
        log.message(message);
    for (const DeviceId device : plan.devices.ids()) {
        for (const PlannedBuffer& buffer : parts.stashes[device].buffers)
            log.buffer(device, buffer);
        log.guests(device, parts.stashes[device]);
    }
    return log.take();
}
} // namespace

std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount)
{
    std::vector<Window> windows(opCount);
    for (const Track& track : timeline.tracks)
        for (auto span = track.spans.rbegin();
             span != track.spans.rend() && span->iteration == iteration; ++span)
            windows[span->op] = span->window();
    return windows;
}

void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline)
{
    const std::vector<Window> windows = windowsOf(timeline, iteration, opCount);
    const std::ptrdiff_t first = timeline.memory.size();
    for (const MemoryChange& change : log) {
        const Window window = windows[change.op];
        timeline.memory.push_back(
            {change.at == MemoryChange::At::Begin ? window.begin : window.end, change.bytes,
             change.op, static_cast<std::uint16_t>(change.device.value), change.category});
    }
    std::stable_sort(timeline.memory.begin() + first, timeline.memory.end(),
                     [](const MemoryEvent& a, const MemoryEvent& b) {
                         return a.time != b.time ? a.time < b.time : a.bytes < 0 && b.bytes >= 0;
                     });
}

ExecutionPlan planExecution(const ExecutionPlanInput& input)
{
    const Shape& shape = input.lowered.shape;
    const HappensBefore order(input.lowered);
    ExecutionPlan plan;
    plan.units = unitsPerMicroBatch(input.lowered);
    plan.width = shape.dataParallel;
    plan.order = order.order();
    plan.collectives = planCollectives(input.lowered, input.model);
    const MessagePlan messages = planMessages(input.lowered, order, [&](const Value& value) {
        const StageSizes sizes = input.model.sizes(value.stage);
        const int units = value.slice == Op::kWhole ? plan.units : 1;
        return units
            * storedBytes(sizes,
                          value.kind == Value::Kind::Activation ? sizes.output : sizes.input);
    });
    IdVector<DeviceId, StashPlan> stashes;
    stashes.reserve(shape.devices);
    for (const DeviceId d : Ids<DeviceId>(shape.devices))
        stashes.push_back(planStash({input.lowered, order, messages, input.model}, d));
    for (const DeviceId d : stashes.ids())
        plan.devices.push_back(DevicePlanner(input, messages, stashes, d).plan());
    connect({input.lowered, order, messages, stashes}, plan);
    plan.memory = planMemoryLog({input.lowered, order, messages, stashes}, plan);
    return plan;
}

double ExecutionPlan::total() const
{
    double bytes = 0;
    for (const DevicePlan& device : devices)
        bytes += device.arena + device.host;
    return bytes * width;
}

double recordBytes(std::size_t ops, std::int64_t iterations)
{
    constexpr double kPlaced = sizeof(Span) + sizeof(std::int64_t) + 2 * sizeof(MemoryEvent);
    // kGrowth: the capacity of a growing vector relative to its size. kAtWork: the size of
    // temporary data relative to that of one iteration.
    constexpr double kGrowth = 2, kAtWork = 3;
    return ops * kPlaced * (kGrowth * iterations + kAtWork);
}

} // namespace engine
