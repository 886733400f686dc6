#include "engine/schedule/check/weight_versions.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace engine {
namespace {

// The weight versions of one stage of one direction, while the program of its device is traversed.
class StageVersions
{
public:
    struct Rules
    {
        int updateEvery = 1;
        bool hasUpdates = false, hasSums = false; // whether OPT and ALLREDUCE ops exist
    };
    explicit StageVersions(const Rules& rules)
        : m_rules(rules)
    { }

    // The newest version. Without OPTs it is the number of updates that the backwards so far allow.
    int newest() const
    {
        return m_rules.hasUpdates ? m_updates : m_backwards / m_rules.updateEvery;
    }
    // The first version that equals `op.version` modulo 256 and is not older than the last one
    // used.
    int numberOf(const Op& op) const
    {
        return m_lastUsed + static_cast<std::uint8_t>(op.version - m_lastUsed);
    }

    std::string faultOf(const Op& op)
    {
        if (op.kind == OpKind::Forward)
            return forward(op);
        if (op.kind == OpKind::OptimizerStep)
            return update(op);
        m_isSummed = m_isSummed || op.kind == OpKind::AllReduce;
        return isBackward(op.kind) ? backward(op) : std::string();
    }

private:
    std::string forward(const Op& op)
    {
        const int number = numberOf(op);
        m_used[{op.microBatch, op.slice}] = op.version;
        if (number > newest())
            return fmt::format("{} uses weight version {}, but the newest before it is {}",
                               toString(op), op.version, newest() % 256);
        m_lastUsed = number;
        return {};
    }

    std::string backward(const Op& op)
    {
        m_backwards += finishesBackward(op.kind) && op.flags != OpFlag::Half ? 1 : 0;
        if (m_isSummed)
            return fmt::format("{} adds to a gradient between its all-reduce and its update",
                               toString(op));
        const std::uint16_t slice = op.flags == OpFlag::Half ? Op::kWhole : op.slice;
        const auto used = m_used.find({op.microBatch, slice});
        if (used == m_used.end() || used->second == op.version)
            return {};
        return fmt::format("{} uses weight version {}, but its forward used version {}",
                           toString(op), op.version, used->second);
    }

    std::string update(const Op& op)
    {
        const std::uint8_t wanted = m_updates + 1;
        const bool earned = m_backwards > m_updatedAt;
        const bool isSummed = std::exchange(m_isSummed, false);
        m_updatedAt = m_backwards;
        ++m_updates;
        if (op.version != wanted)
            return fmt::format("{} creates weight version {}, but the next one is {}", toString(op),
                               op.version, wanted);
        if (!earned)
            return fmt::format(
                "{} creates weight version {} with no backward since the last update", toString(op),
                op.version);
        if (m_rules.hasSums && !isSummed)
            return fmt::format("{} creates weight version {} before the all-reduce of its gradient",
                               toString(op), op.version);
        return {};
    }

    Rules m_rules;
    bool m_isSummed = false; // whether an ALLREDUCE followed the last update
    int m_updates = 0, m_backwards = 0, m_updatedAt = 0, m_lastUsed = 0;
    // The version that each forward used.
    std::map<std::pair<MicroBatchId, std::uint16_t>, std::uint8_t> m_used;
};

using StageKey = std::pair<std::uint8_t, StageId>; // replica, stage

int backwardsBeforeFirstUpdate(const Schedule& schedule)
{
    for (const auto& ops : schedule.program)
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].kind != OpKind::OptimizerStep)
                continue;
            const int count = std::ranges::count_if(std::span(ops).first(i), [&](const Op& op) {
                return finishesBackward(op.kind) && op.stage == ops[i].stage
                    && op.replica == ops[i].replica;
            });
            return std::max(1, count);
        }
    return 0;
}

// The first micro-batches that use versions 1 and 2 on the last stage; -1 if none does.
std::pair<int, int> firstUses(const Schedule& schedule)
{
    std::pair<int, int> uses{-1, -1};
    for (const auto& ops : schedule.program)
        for (const Op& op : ops) {
            if (op.kind != OpKind::Forward || op.stage.value != schedule.shape.stages - 1)
                continue;
            if (op.version == 1 && uses.first < 0)
                uses.first = op.microBatch.value;
            if (op.version == 2 && uses.second < 0)
                uses.second = op.microBatch.value;
        }
    return uses;
}

// The largest number of versions of one stage that are kept at once. Traverses the program
// backwards, so that the last use of a version comes first.
int mostKept(std::span<const Op> ops, StageKey key)
{
    int newest = 0;
    for (const Op& op : ops)
        newest += op.kind == OpKind::OptimizerStep && StageKey{op.replica, op.stage} == key ? 1 : 0;
    std::set<int> alive{newest % 256};
    std::size_t most = 1;
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
        if (StageKey{op->replica, op->stage} != key || !isCompute(op->kind))
            continue;
        if (op->kind == OpKind::OptimizerStep) {
            alive.erase(op->version);
            alive.insert(--newest % 256);
        } else {
            alive.insert(op->version);
        }
        most = std::max(most, alive.size());
    }
    return most;
}

class KeptWalk
{
public:
    explicit KeptWalk(std::span<const Op> program)
        : m_program(program)
    {
        m_kept.of.assign(program.size(), KeptVersions::kNone);
    }

    KeptVersions all()
    {
        for (std::uint32_t i = 0; i < m_program.size(); ++i) {
            const Op& op = m_program[i];
            if (!isCompute(op.kind))
                continue;
            Stage& stage = m_stages[{op.replica, op.stage}];
            if (op.kind == OpKind::OptimizerStep)
                stage.updates.push_back(i);
            else
                use(i, stage);
        }
        return std::move(m_kept);
    }

private:
    struct Stage
    {
        // Positions of the OPTs so far. The OPT with index k creates version k + 1.
        std::vector<std::uint32_t> updates;
        std::map<std::size_t, std::uint32_t> copies; // version -> copy
    };

    // Schedules store versions modulo 256; at most 255 are live at the same time.
    void use(std::uint32_t position, Stage& stage)
    {
        const Op& op = m_program[position];
        const std::size_t newest = stage.updates.size();
        const std::uint8_t behind = newest - op.version;
        if (behind == 0 || behind > newest)
            return;
        const std::size_t version = newest - behind;
        const auto [copy, isNew] = stage.copies.try_emplace(version, m_kept.copies.size());
        if (isNew) {
            m_kept.of[stage.updates[version]] = copy->second;
            m_kept.copies.push_back({op.stage, stage.updates[version], position});
        }
        m_kept.of[position] = copy->second;
        m_kept.copies[copy->second].lastUse = position;
    }

    std::span<const Op> m_program;
    KeptVersions m_kept;
    std::map<StageKey, Stage> m_stages;
};

} // namespace

KeptVersions keptVersions(std::span<const Op> program)
{
    return KeptWalk(program).all();
}

int windowsToDrain(const Shape& shape)
{
    const int ahead = shape.replicas * shape.devices - 1;
    return std::max(1, (ahead + shape.microBatches - 1) / shape.microBatches);
}

bool isAsynchronous(const Schedule& schedule)
{
    return schedule.shape.updateEvery > 0
        || anyOp(schedule, [](const Op& op) { return op.version != 0; });
}

int guessUpdateEvery(const Schedule& schedule)
{
    if (const int counted = backwardsBeforeFirstUpdate(schedule); counted > 0)
        return counted * schedule.shape.replicas;
    const auto [first, second] = firstUses(schedule);
    if (second > first && first > 0)
        return second - first;
    if (first > 0)
        return first % 2 == 0 ? first / 2 : first;
    return std::max(1, schedule.shape.microBatches);
}

std::vector<Violation> checkVersions(const Schedule& schedule)
{
    std::vector<Violation> violations;
    if (!isAsynchronous(schedule))
        return violations;
    const StageVersions::Rules rules{updateEveryOfReplica(schedule.shape),
                                     holds(schedule, OpKind::OptimizerStep),
                                     holds(schedule, OpKind::AllReduce)};
    for (const DeviceId d : schedule.program.ids()) {
        std::map<StageKey, StageVersions> stages;
        for (int i = 0; i < std::ssize(schedule.program[d]); ++i) {
            const Op& op = schedule.program[d][i];
            auto& stage = stages.try_emplace({op.replica, op.stage}, rules).first->second;
            const std::string fault = stage.faultOf(op);
            if (!fault.empty())
                violations.push_back({Violation::Kind::Version, d, i, op,
                                      fmt::format("device {}, index {}: {}", d.value, i, fault)});
        }
    }
    return violations;
}

IdVector<DeviceId, int> versionsKept(const Schedule& schedule)
{
    IdVector<DeviceId, int> kept(schedule.program.size(), 1);
    if (!isAsynchronous(schedule))
        return kept;
    if (!holds(schedule, OpKind::OptimizerStep)) {
        const Schedule updated = addOptimizer(addAllReduce(schedule, SyncPolicy::Eager));
        return holds(updated, OpKind::OptimizerStep) ? versionsKept(updated) : kept;
    }
    for (int replica = 0; replica < std::ssize(schedule.deviceOf); ++replica)
        for (const StageId stage : schedule.deviceOf[replica].ids())
            if (const DeviceId d = schedule.device(replica, stage); d.isValid())
                kept[d] = std::max(
                    kept[d],
                    mostKept(schedule.program[d], {static_cast<std::uint8_t>(replica), stage}));
    return kept;
}

} // namespace engine
