#include "profiler/analysis/calibrate.h"

#include "engine/base/median.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/recorded_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace profiler {

using namespace engine;

namespace {

using Cost = OpCosts::Cost;

bool isReceive(OpKind kind)
{
    return kind == OpKind::RecvActivation || kind == OpKind::RecvGradient;
}

// Returns the kind of the transfer in the reverse direction, which moves as many bytes over the
// same link.
OpKind otherWay(OpKind kind)
{
    switch (kind) {
    case OpKind::SendActivation:
        return OpKind::SendGradient;
    case OpKind::SendGradient:
        return OpKind::SendActivation;
    case OpKind::Evict:
        return OpKind::Load;
    default:
        return OpKind::Evict;
    }
}

// Returns the op without the fields that differ between schedules: flags, peer and, for an op of a
// micro-batch, direction and version. The rest identifies the op, because a micro-batch passes each
// stage once.
Op identity(Op op)
{
    op.flags = op.flags == OpFlag::Half ? OpFlag::Half : OpFlag::None;
    op.peer = Op::kNoPeer;
    if (hasMicroBatch(op.kind))
        op.replica = op.version = 0;
    return op;
}

// Key of the ops that are assumed to cost the same.
struct Class
{
    OpKind kind = OpKind::Forward;
    StageId stage; // invalid: any stage
    std::uint16_t slice = Op::kWhole;
    bool half = false, acrossNodes = false;

    friend auto operator<=>(const Class&, const Class&) = default;
};

class PriceBook
{
public:
    PriceBook(const Run& run, const CalibrateOptions& options)
        : m_options(options)
    {
        const OpIndex index(run.schedule);
        const RecordedTimes times = recordedTimes(run);
        std::map<Class, Samples> samples;
        for (std::uint32_t number = 0; number < times.size(); ++number) {
            const Op& op = opAt(run.schedule, index, number);
            if (!times[number] || isReceive(op.kind))
                continue;
            const Class own = classOf(op, index.deviceOf(number), options.ofRun);
            samples[own].add(*times[number]);
            if (isSend(op.kind) || isCopy(op.kind))
                samples[anyStage(own)].add(*times[number]);
            if (options.ownTimes)
                m_own.push_back({identity(op), own.acrossNodes, *times[number]});
        }
        for (auto& [of, some] : samples)
            m_medians[of] = {medianOf(some.durations), medianOf(some.latencies)};
        std::ranges::sort(m_own, {}, &Own::key);
    }

    bool isEmpty() const { return m_medians.empty(); }
    std::optional<Cost> of(const Op& op, DeviceId device) const
    {
        const Class wanted = classOf(op, device, m_options.ofSchedule);
        if (const auto own = std::ranges::lower_bound(
                m_own, std::pair(identity(op), wanted.acrossNodes), {}, &Own::key);
            own != m_own.end() && own->key() == std::pair(identity(op), wanted.acrossNodes))
            return own->cost;
        if (isSend(op.kind) || isCopy(op.kind))
            return link(wanted);
        const auto median = find(wanted);
        return median || !m_options.inputShare ? median : derived(wanted);
    }

private:
    struct Samples
    {
        std::vector<std::int64_t> durations, latencies;

        void add(const Cost& cost)
        {
            durations.push_back(cost.duration);
            latencies.push_back(cost.latency);
        }
    };
    struct Own
    {
        Op op;
        bool acrossNodes = false;
        Cost cost;

        std::pair<Op, bool> key() const { return {op, acrossNodes}; }
    };

    Class classOf(const Op& op, DeviceId device, const std::optional<Mapping>& mapping) const
    {
        const int node = m_options.devicesPerNode;
        const bool leaves = op.peer != Op::kNoPeer && node > 0;
        const bool across = leaves
            && (mapping ? mapping->tier(device.value, op.peer) == LinkTier::AcrossNodes
                        : device.value / node != op.peer / node);
        return {op.kind, op.stage, op.slice, op.flags == OpFlag::Half, across};
    }
    static Class anyStage(Class of)
    {
        of.stage = StageId{};
        return of;
    }
    std::optional<Cost> find(const Class& of) const
    {
        const auto found = m_medians.find(of);
        return found == m_medians.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<Cost> link(Class of) const
    {
        const Class back{otherWay(of.kind), of.stage, of.slice, of.half, of.acrossNodes};
        for (const Class& candidate : {of, anyStage(of), back, anyStage(back)})
            if (const auto cost = find(candidate))
                return cost;
        return std::nullopt;
    }
    std::optional<Cost> derived(Class of) const
    {
        const auto ofKind = [&of, this](OpKind kind) {
            of.kind = kind;
            return find(of);
        };
        if (of.kind == OpKind::Backward) {
            const auto input = ofKind(OpKind::BackwardInput);
            const auto weight = ofKind(OpKind::BackwardWeight);
            return input && weight ? std::optional(Cost{input->duration + weight->duration, 0})
                                   : std::nullopt;
        }
        const bool isInput = of.kind == OpKind::BackwardInput;
        if (!isInput && of.kind != OpKind::BackwardWeight)
            return std::nullopt;
        const auto whole = ofKind(OpKind::Backward);
        if (!whole)
            return std::nullopt;
        const auto input = std::llround(whole->duration * m_options.inputShare->value());
        return Cost{isInput ? input : whole->duration - input, 0};
    }

    const CalibrateOptions& m_options;
    std::map<Class, Cost> m_medians;
    std::vector<Own> m_own; // sorted by identity()
};

Error misfit(std::string message)
{
    return {Error::Code::InvalidArgument, std::move(message)};
}

std::optional<Error> shapeMisfit(const Shape& run, const Shape& asked)
{
    if (run.stages != asked.stages)
        return misfit(fmt::format("the run has {} stages but the schedule has {}, so their times "
                                  "differ; record a run with {} stages, or use D x v = {}",
                                  run.stages, asked.stages, asked.stages, run.stages));
    if (asked.slices > 1 && run.slices != asked.slices)
        return misfit(fmt::format("the run has {} slices per micro-batch but the schedule has {}; "
                                  "record a run with the same number of slices",
                                  run.slices, asked.slices));
    return std::nullopt;
}

std::optional<Error> groupMisfit(const Shape& run, const Schedule& asked)
{
    const auto group = [](const Shape& shape) { return shape.replicas * shape.dataParallel; };
    if (!holds(asked, OpKind::AllReduce) || group(run) == 1 || group(run) == group(asked.shape))
        return std::nullopt;
    return misfit(fmt::format("the run's all-reduces sum {} copies of a stage but the schedule's "
                              "sum {}; record a run with the same number of copies",
                              group(run), group(asked.shape)));
}

} // namespace

Error missingTimes(const std::set<OpKind>& kinds, const std::string& scheme)
{
    std::vector<std::string_view> names;
    for (const OpKind kind : kinds)
        names.push_back(kindName(kind));
    const bool divides = std::ranges::all_of(kinds, isBackward);
    return misfit(fmt::format(
        "the run has no measured time of {}, which {} needs; record a scheme with such ops{}",
        joined(names), scheme,
        divides ? ", or set the share of I in a backward with --split-backward SHARE" : ""));
}

namespace {

// The costs of typical ops.
Result<OpCosts> typicalCosts(const Run& run, const Schedule& lowered,
                             const CalibrateOptions& options)
{
    if (!whyUnknown(run.info).empty())
        return tl::unexpected(misfit("the times of this run cannot be predicted from: "
                                     + whyUnknownAndRemedy(run.info)));
    if (auto error = shapeMisfit(run.schedule.shape, lowered.shape))
        return tl::unexpected(*std::move(error));
    if (auto error = groupMisfit(run.schedule.shape, lowered))
        return tl::unexpected(*std::move(error));
    const PriceBook prices(run, options);
    if (prices.isEmpty())
        return fail(Error::Code::NotFound,
                    "the run has no measured iteration yet; wait until the first one is recorded");
    OpCosts costs;
    costs.ticksPerUnit = run.info.ticksPerUnit;
    costs.rules = options.rules;
    const bool isImported = run.info.mode == Mode::Imported;
    std::set<OpKind> unknown;
    for (const DeviceId d : lowered.program.ids()) {
        auto& ofDevice = costs.of.emplace_back();
        ofDevice.reserve(lowered.program[d].size());
        for (const Op& op : lowered.program[d]) {
            const auto cost = isReceive(op.kind) ? std::optional(Cost{}) : prices.of(op, d);
            const bool isFree = isImported && !isCopy(op.kind)
                && (!isCompute(op.kind) || op.kind == OpKind::OptimizerStep);
            if (!cost && !isFree)
                unknown.insert(op.kind);
            ofDevice.push_back(cost.value_or(Cost{}));
        }
    }
    TRY(checkTicks(costs));
    if (!unknown.empty())
        return tl::unexpected(missingTimes(unknown, lowered.scheme));
    return costs;
}

// The duration of the median iteration divided by that of typical ops. Op medians leave out what an
// iteration loses to its slowest ops, so a prediction from them is multiplied by this ratio. 1 for
// a stream, whose ops ran once, and for a run that cannot be simulated.
double lossToVariation(const Run& run, CalibrateOptions options)
{
    const int reported = reportedIteration(run.timeline);
    if (reported < 0 || run.info.mode == Mode::Simulate || run.schedule.shape.windows > 1)
        return 1;
    const auto& iterations = run.timeline.iterations;
    const auto over = [&](const Iteration& typical) {
        const std::int64_t median = iterations[reported].window.duration();
        const std::int64_t own = typical.window.duration();
        return own > 0 ? ratio(median, own) : 1;
    };
    if (iterations.back().kind == Iteration::Kind::Replay)
        return over(iterations.back());
    Schedule own = run.schedule;
    if (run.info.mode == Mode::Imported) { // its messages may be incomplete
        for (auto& program : own.program)
            std::erase_if(program, [](const Op& op) {
                return op.kind != OpKind::Forward && !isBackward(op.kind)
                    && op.kind != OpKind::Recompute;
            });
        if (!validate(own).empty())
            return 1;
        own = lower(own);
    }
    options.ownTimes = true;
    options.ofSchedule = options.ofRun;
    options.rules = {};
    const auto costs = typicalCosts(run, own, options);
    const auto typical = costs ? simulate(own, *costs) : tl::unexpected(costs.error());
    return typical && !typical->iterations.empty() ? over(typical->iterations.front()) : 1;
}

} // namespace

Result<OpCosts> calibratedCosts(const Run& run, const Schedule& lowered,
                                const CalibrateOptions& options)
{
    auto costs = TRY(typicalCosts(run, lowered, options));
    const double lost = options.correctsVariation ? lossToVariation(run, options) : 1;
    for (auto& ofDevice : costs.of)
        for (Cost& cost : ofDevice)
            cost = {std::llround(static_cast<double>(cost.duration) * lost),
                    std::llround(static_cast<double>(cost.latency) * lost)};
    TRY(checkTicks(costs));
    return costs;
}

} // namespace profiler
