#include "profiler/whatif/predict.h"

#include "engine/base/bootstrap.h"
#include "engine/base/median.h"
#include "engine/base/parallel.h"
#include "engine/base/try.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/op_prices.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/metrics.h"
#include "profiler/whatif/changes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>

namespace profiler {

using namespace engine;

namespace {

// Returns the median of samples or, if constructed with a seed, the median of a bootstrap resample,
// that is, of equally many samples drawn from them with replacement (Efron, 1979).
class Draw
{
public:
    Draw() = default;
    explicit Draw(unsigned seed)
        : m_random(std::mt19937(seed))
    { }

    double operator()(const Samples& samples)
    {
        const auto known = m_medians.find(&samples);
        if (known != m_medians.end())
            return known->second;
        return m_medians.emplace(&samples, draw(samples)).first->second;
    }

private:
    double draw(const Samples& samples)
    {
        if (!m_random || samples.isEmpty())
            return static_cast<double>(samples.median());
        std::uniform_int_distribution<std::size_t> any(0, samples.times.size() - 1);
        std::vector<std::int64_t> drawn(samples.times.size());
        for (std::int64_t& time : drawn)
            time = samples.times[any(*m_random)];
        return static_cast<double>(medianOf(drawn));
    }

    std::optional<std::mt19937> m_random;
    // Cached, so that repeated calls return the same median.
    std::map<const Samples*, double> m_medians;
};

struct StageCost
{
    double forward = 0, backward = 0, input = 0, weight = 0;
};

// The cost of a measured stage without edits.
StageCost measuredCost(const MeasuredTimes& times, const StageTimes& stage, Draw& draw)
{
    StageCost cost;
    cost.forward = draw(stage.forward);
    if (!stage.weight.isEmpty()) {
        cost.input = draw(stage.input.isEmpty() ? stage.backward : stage.input);
        cost.weight = draw(stage.weight);
        cost.backward = cost.input + cost.weight;
    } else {
        cost.backward = draw(stage.backward);
        const double split = times.splitCost * cost.backward;
        cost.input = times.inputShare * split;
        cost.weight = split - cost.input;
    }
    return cost;
}

void add(StageCost& sum, const StageCost& one, double share)
{
    sum.forward += share * one.forward;
    sum.backward += share * one.backward;
    sum.input += share * one.input;
    sum.weight += share * one.weight;
}

// Returns the time of a kind of work for one micro-batch of a stage.
double timeOf(OpKind kind, const StageCost& cost)
{
    switch (kind) {
    case OpKind::Backward:
        return cost.backward;
    case OpKind::BackwardInput:
        return cost.input;
    case OpKind::BackwardWeight:
        return cost.weight;
    default:
        return cost.forward; // for F and RECOMPUTE
    }
}

class CostBuilder
{
public:
    // The simulated times will be multiplied by `correction`; the delay of messages will not.
    CostBuilder(const MeasuredTimes& times, const Shape& shape, double linkSpeed, Draw draw,
                double correction)
        : m_times(times)
        , m_perStage(static_cast<double>(times.stages.size()) / shape.stages)
        , m_stages(shape.stages)
        , m_slices(shape.slices)
        , m_linkSpeed(linkSpeed)
        , m_messageDelay(correction > 0
                             ? roundedTicks(static_cast<double>(times.messageDelay) / correction)
                             : 0)
        , m_draw(std::move(draw))
        , m_slowdowns(times.slowdowns)
    {
        std::erase_if(m_slowdowns, [](const RunEdit& edit) { return edit.op.has_value(); });
        if ((m_perStage != 1 || !times.layout.isDefault()) && times.stages.size() > 2) {
            m_embedding = excessOf(StageId{0});
            m_outputLayer = excessOf(lastStage());
        }
    }

    OpCosts costsOf(const Schedule& lowered)
    {
        OpCosts costs;
        for (const DeviceId device : lowered.program.ids()) {
            auto& of = costs.of.emplace_back();
            of.reserve(lowered.program[device].size());
            for (const Op& op : lowered.program[device]) {
                of.push_back(costOf(op));
                change(op, slowdownOf(m_slowdowns, m_times.nodes, lowered, op, device), of.back());
            }
        }
        return costs;
    }

    // Applies the slow-down of an op and the delay of messages.
    void change(const Op& op, double slowdown, OpCosts::Cost& cost) const
    {
        scale(slowdown, cost);
        if (isSend(op.kind))
            cost.latency += m_messageDelay;
    }

    static void scale(double factor, OpCosts::Cost& cost)
    {
        if (factor == 1)
            return;
        cost.duration = roundedTicks(static_cast<double>(cost.duration) * factor);
        cost.latency = roundedTicks(static_cast<double>(cost.latency) * factor);
    }

    // Returns the duration of an op of a stage for a whole micro-batch.
    double durationOf(OpKind kind, StageId stage) { return timeOf(kind, shareOf(stage)); }

private:
    OpCosts::Cost costOf(const Op& op)
    {
        OpCosts::Cost cost;
        const double part = op.slice == Op::kWhole ? 1 : op.flags == OpFlag::Half ? 2 : m_slices;
        if (isTransfer(op.kind))
            cost.latency = roundedTicks(message() / m_linkSpeed / part);
        else if (isCopy(op.kind))
            cost.duration = roundedTicks(m_draw(m_times.copies) * m_perStage / m_linkSpeed);
        else if (op.kind == OpKind::OptimizerStep)
            cost.duration
                = roundedTicks(m_draw(m_times.optimizer) * m_perStage / m_times.tensorParallel);
        else if (op.kind == OpKind::AllReduce)
            cost.duration = roundedTicks(m_draw(m_times.allReduce) * m_perStage / m_linkSpeed);
        else
            cost.duration
                = roundedTicks(timeOf(op.kind, shareOf(op.stage)) / part / m_times.tensorParallel);
        return cost;
    }

    double message() // half of all ops are transfers, so it is not looked up again for each
    {
        if (!m_message)
            m_message = m_draw(m_times.message);
        return *m_message;
    }

    // Returns the cost of a predicted stage: the sum of the costs of the measured stages, each
    // multiplied by the share of it that the predicted stage covers.
    const StageCost& shareOf(StageId stage)
    {
        std::optional<StageCost>& known = m_shares[stage];
        if (!known)
            known = newShareOf(stage);
        return *known;
    }
    StageCost newShareOf(StageId stage)
    {
        const double begin = beginOf(stage.value), end = beginOf(stage.value + 1);
        StageCost sum;
        for (StageId measured{static_cast<int>(begin)};
             m_times.stages.has(measured) && measured.value < end; ++measured.value) {
            const double share
                = std::min(end, measured.value + 1.0) - std::max<double>(begin, measured.value);
            if (share <= 1e-9)
                continue;
            const StageTimes& edited = m_times.stages[measured];
            for (const auto& [of, part] : edited.parts)
                add(sum, bodyOf(of), share * part * edited.factor);
        }
        if (stage.value == 0)
            add(sum, m_embedding, m_times.stages[StageId{0}].factor);
        if (stage.value + 1 == m_stages)
            add(sum, m_outputLayer, m_times.stages[lastStage()].factor);
        return sum;
    }

    // Where a predicted stage begins, in measured stages.
    double beginOf(int stage) const
    {
        if (m_times.layers.empty() || (m_times.layout.isDefault() && m_perStage == 1))
            return stage * m_perStage;
        const int layers = std::accumulate(m_times.layers.begin(), m_times.layers.end(), 0);
        int left = m_times.layout.first(layers, m_stages, stage);
        std::size_t measured = 0;
        while (measured < m_times.layers.size() && left >= m_times.layers[measured])
            left -= m_times.layers[measured++];
        return static_cast<double>(measured)
            + (left > 0 ? static_cast<double>(left) / m_times.layers[measured] : 0);
    }

    double layersOf(StageId stage) const
    {
        return m_times.layers.empty() ? 1 : m_times.layers[stage.value];
    }

    // The cost of a measured stage without what stays whole if its layers are divided.
    StageCost bodyOf(StageId stage)
    {
        StageCost body = measuredCost(m_times, m_times.stages[stage], m_draw);
        if (stage.value == 0)
            add(body, m_embedding, -1);
        if (stage == lastStage())
            add(body, m_outputLayer, -1);
        return body;
    }

    // The time by which a layer of the first or last stage is longer than the median of the stages
    // between them: that of the embedding or the output layer, which only one stage executes.
    StageCost excessOf(StageId stage)
    {
        const StageCost own = measuredCost(m_times, m_times.stages[stage], m_draw);
        const auto over = [&](double StageCost::*time) {
            std::vector<double> inner;
            for (int s = 1; s + 1 < static_cast<int>(m_times.stages.size()); ++s)
                inner.push_back(measuredCost(m_times, m_times.stages[StageId{s}], m_draw).*time
                                / layersOf(StageId{s}));
            return std::max(0.0, own.*time - layersOf(stage) * medianOf(inner));
        };
        const double input = over(&StageCost::input), weight = over(&StageCost::weight);
        return {over(&StageCost::forward), input + weight, input, weight};
    }
    StageId lastStage() const { return StageId{static_cast<int>(m_times.stages.size()) - 1}; }

    const MeasuredTimes& m_times;
    double m_perStage; // measured stages per predicted stage
    int m_stages;
    double m_slices, m_linkSpeed;
    std::int64_t m_messageDelay;
    Draw m_draw;
    std::optional<double> m_message;
    StageCost m_embedding, m_outputLayer; // 0 if stages are not divided
    // Without edits of single ops, because other schemes may lack the ops.
    std::vector<RunEdit> m_slowdowns;
    IdVector<StageId, std::optional<StageCost>> m_shares
        = IdVector<StageId, std::optional<StageCost>>(m_stages);
};

// Returns the schedule of the run with only its F, B, I, W, evicts and loads, lowered again.
Schedule ownOrder(const Run& run)
{
    return lower(keepOps(run.schedule, [](OpKind kind) { return isPass(kind) || isCopy(kind); }));
}

std::int64_t reportedDuration(const Timeline& timeline)
{
    const int reported = reportedIteration(timeline);
    return reported < 0 ? 0 : timeline.iterations[reported].window.duration();
}

// Multiplies all times by `factor`. The start of the iteration stays where it is. Fails if the
// iteration becomes too long.
Result<void> scale(Timeline& timeline, double factor)
{
    const std::int64_t origin = timeline.iterations.front().window.begin;
    TRY(checkTicks(static_cast<double>(timeline.iterations.back().window.end - origin) * factor,
                   {}));
    const auto scaleTime = [&](std::int64_t& time) {
        time = origin + std::llround(static_cast<double>(time - origin) * factor);
    };
    for (Track& track : timeline.tracks)
        for (Span& span : track.spans) {
            scaleTime(span.begin);
            scaleTime(span.end);
        }
    for (MemoryEvent& event : timeline.memory)
        scaleTime(event.time);
    for (Iteration& iteration : timeline.iterations) {
        scaleTime(iteration.window.begin);
        scaleTime(iteration.window.end);
    }
    return {};
}
} // namespace

bool doesEqualWork(const Prediction& prediction, const Run& run)
{
    return !knowsMicroBatches(run.info)
        || prediction.run.schedule.shape.microBatches == run.schedule.shape.microBatches;
}

double changeOf(const Prediction& prediction, const Run& run, std::int64_t measured)
{
    if (measured <= 0)
        return 0;
    const double work = doesEqualWork(prediction, run)
        ? 1
        : 1.0 * prediction.run.schedule.shape.microBatches / run.schedule.shape.microBatches;
    return static_cast<double>(prediction.iteration) / (static_cast<double>(measured) * work) - 1;
}

namespace {

// The share by which the ops of a device take longer per M_a of its peak stash; 0 if they do not,
// or if the layers are unknown.
double slopeByStash(const Run& run, const MeasuredTimes& times, const RunMetrics& numbers)
{
    const auto flops = stageFlops(run);
    if (flops.empty())
        return 0;
    IdVector<DeviceId, double> work = deviceWork(run, times), ofDevice(work.size(), 0);
    for (const StageId stage : flops.ids())
        ofDevice[run.schedule.device(0, stage)] += flops[stage];
    std::vector<double> stashes, paces;
    double mean = 0;
    for (const DeviceId device : work.ids()) {
        if (ofDevice[device] <= 0) // has stages of the other direction only
            continue;
        stashes.push_back(numbers.devices[device].peakStash);
        paces.push_back(work[device] / ofDevice[device]);
        mean += paces.back();
    }
    return mean > 0
        ? std::max(0.0, slopeOf(stashes, paces)) * static_cast<double>(paces.size()) / mean
        : 0;
}

} // namespace

WhatIfPredictor::WhatIfPredictor(const Run& run, MeasuredTimes times)
    : m_run(&run)
    , m_times(std::move(times))
    , m_unchanged(std::make_shared<const MeasuredTimes>(m_times))
    , m_replay(std::make_shared<const Result<OwnReplay>>(
          OwnReplay::create(run, reportedIteration(run.timeline))))
    , m_measured(reportedDuration(run.timeline))
{
    const Schedule own = ownOrder(run);
    if (!validate(own).empty())
        return;
    const auto again = simulate(own, CostBuilder(m_times, own.shape, 1, Draw(), 1).costsOf(own));
    if (again && reportedDuration(*again) > 0)
        m_correction = ratio(m_measured, reportedDuration(*again));
}

Result<WhatIfPredictor> WhatIfPredictor::create(const Run& run)
{
    auto times = TRY(measuredTimes(run));
    times.nodes = nodesOfDevices(run);
    times.layers = stageLayers(run);
    WhatIfPredictor predictor(run, std::move(times));
    if (const auto numbers = metrics(run)) {
        predictor.m_stashSlope = slopeByStash(run, predictor.m_times, *numbers);
        predictor.m_peakStash = numbers->peakStash();
    }
    constexpr double kLeast = 2.0 / 3; // no op begins before its inputs
    if (predictor.m_correction < kLeast)
        return fail(Error::Code::Unsupported,
                    "simulated with its own op times, the run takes {:.1f} times as long as "
                    "recorded, as if its messages were of other ops; a prediction would be wrong",
                    1 / predictor.m_correction);
    return predictor;
}

namespace {

Result<void> checkLayout(const MeasuredTimes& times, int stages)
{
    if (times.layers.empty())
        return {};
    return times.layout.check("the model",
                              std::accumulate(times.layers.begin(), times.layers.end(), 0), stages);
}

// What a link takes is unknown without messages.
Result<void> checkLinks(double speed, bool lacksMessages, std::int64_t delay = 0)
{
    if (!lacksMessages || (speed == 1 && delay == 0))
        return {};
    return invalid("the run has no messages, so what other links would change is unknown; import "
                   "traces with messages");
}

} // namespace

Result<Prediction> WhatIfPredictor::predict(const WhatIf& whatIf) const
{
    Schedule asked = whatIf.schedule;
    asked.shape.dataParallel = m_run->schedule.shape.dataParallel;
    if (const auto experiment = experimentFromToml(m_run->info.experiment))
        TRY(checkSlices(asked, experiment->model.family, experiment->model.recompute));
    const Schedule lowered = lower(asked);
    TRY(checkLayout(m_times, lowered.shape.stages));
    TRY(checkLinks(whatIf.linkSpeed, m_times.message.isEmpty()));
    if (holds(lowered, OpKind::Evict)) {
        if (m_times.copies.isEmpty())
            return missingTimes({OpKind::Evict, OpKind::Load}, lowered.scheme);
        const bool toHost = anyOp(lowered, usesHost);
        if (toHost != anyOp(m_run->schedule, usesHost))
            return invalid("the run evicts stashes to {}, and {} evicts them to {}, over links of "
                           "another speed; record a run {}",
                           toHost ? "the partner" : "host memory", lowered.scheme,
                           toHost ? "host memory" : "the partner",
                           toHost ? "with --offload" : "of bpipe");
    }
    const auto isOfNodes = [](const RunEdit& edit) { return edit.links.has_value(); };
    if (lowered.shape.devices != std::ssize(m_times.nodes)
        && std::ranges::any_of(m_times.slowdowns, isOfNodes))
        return invalid("the run does not name the nodes of {} devices; slow a link "
                       "between two devices, as in 0-1=1.5",
                       lowered.shape.devices);
    CostBuilder costs(m_times, lowered.shape, whatIf.linkSpeed, Draw(), m_correction);
    auto timeline = TRY(simulate(lowered, costs.costsOf(lowered)));
    TRY(scale(timeline, m_correction));
    Prediction prediction;
    prediction.iteration = reportedDuration(timeline);
    std::vector<std::int64_t> all = TRY(resampled(whatIf, lowered));
    all.push_back(prediction.iteration);
    const Interval interval = middle95(std::move(all));
    prediction.least = std::min(interval.least, prediction.iteration);
    prediction.most = std::max(interval.most, prediction.iteration);
    prediction.run.schedule = lowered;
    prediction.run.timeline = std::move(timeline);
    prediction.run.info.scheme = lowered.scheme;
    prediction = TRY(withNumbers(std::move(prediction)));
    TRY(widenInterval(whatIf, prediction));
    return prediction;
}

// The lengths of the iteration with resampled medians, without those that could not be simulated.
Result<std::vector<std::int64_t>> WhatIfPredictor::resampled(const WhatIf& whatIf,
                                                             const Schedule& lowered) const
{
    constexpr std::size_t kLarge = 500'000; // ops; 40 resamples are the fewest for a 95 % interval
    const auto count = static_cast<std::size_t>(
        opCount(lowered) > kLarge ? std::min(whatIf.resamples, 40) : whatIf.resamples);
    std::vector<std::int64_t> all(count, -1);
    std::atomic<bool> isCancelled = false;
    constexpr std::size_t kMostThreads = 8; // each holds the costs of all ops
    inParallel(count, std::min(threadsFor(count), kMostThreads), [&](std::size_t i) {
        isCancelled = isCancelled || (whatIf.isCancelled && whatIf.isCancelled());
        if (isCancelled)
            return;
        if (const auto length = lengthOf(m_times, lowered, whatIf.linkSpeed, whatIf.seed + i))
            all[i] = *length;
    });
    if (isCancelled)
        return fail(Error::Code::Cancelled, "the prediction was cancelled");
    std::erase(all, -1);
    return all;
}

// The predicted length of the iteration, without its timeline.
Result<std::int64_t> WhatIfPredictor::lengthOf(const MeasuredTimes& times, const Schedule& lowered,
                                               double linkSpeed, std::optional<unsigned> seed) const
{
    CostBuilder costs(times, lowered.shape, linkSpeed, seed ? Draw(*seed) : Draw(), m_correction);
    const auto scaled = [this](std::int64_t length) {
        return roundedTicks(static_cast<double>(length) * m_correction);
    };
    if (lowered.shape.windows > 1) // a window of the stream counts, not the whole stream
        return simulate(lowered, costs.costsOf(lowered)).map(reportedDuration).map(scaled);
    return iterationLength(lowered, costs.costsOf(lowered)).map(scaled);
}

// Widens the interval of a prediction as kIntervalCovers says.
Result<void> WhatIfPredictor::widenInterval(const WhatIf& whatIf, Prediction& prediction) const
{
    const Schedule& lowered = prediction.run.schedule;
    const bool isSimulated = m_run->info.mode == Mode::Simulate;
    if ((isSimulated && m_run->info.inUnits()) || lowered.program == ownOrder(*m_run).program)
        return {};
    if (!m_times.backwardIsSplit && holds(lowered, OpKind::BackwardWeight)) {
        MeasuredTimes slow = m_times;
        slow.splitCost = kMostSplitCost;
        const auto most = TRY(lengthOf(slow, lowered, whatIf.linkSpeed));
        prediction.most += std::max<std::int64_t>(0, most - prediction.iteration);
    }
    if (isSimulated)
        return {};
    // Messages take longer while both of their devices compute, which depends on the order.
    if (!m_times.message.isEmpty()) {
        MeasuredTimes fast = m_times;
        fast.message.times = {middle95(m_times.message.times).least};
        const auto least = TRY(lengthOf(fast, lowered, whatIf.linkSpeed));
        prediction.least -= std::max<std::int64_t>(0, prediction.iteration - least);
    }
    const bool lacksAllReduce
        = m_times.allReduce.isEmpty() && lowered.shape.replicas > m_run->schedule.shape.replicas;
    const bool hasMoreSlices = lowered.shape.slices > m_run->schedule.shape.slices;
    const double moreStash = std::max(0.0, prediction.peakStash - m_peakStash);
    const double most = (1 + kOrderError) * (lacksAllReduce ? kMostAllReduce : 1)
        * (hasMoreSlices ? kMostSlices : 1) * std::min(kMostStash, 1 + m_stashSlope * moreStash);
    // What the correction stands for may be due to the order of the run.
    prediction.least = roundedTicks(static_cast<double>(prediction.least) * (1 - kOrderError)
                                    / std::max(1.0, m_correction));
    prediction.most
        = roundedTicks(static_cast<double>(prediction.most) * most / std::min(1.0, m_correction));
    return {};
}

Result<Prediction> WhatIfPredictor::predictOwn(double linkSpeed) const
{
    if (!*m_replay)
        return tl::unexpected(m_replay->error());
    TRY(checkLayout(m_times, m_run->schedule.shape.stages));
    TRY(checkLinks(linkSpeed, !hasTransfers(m_run->schedule), m_times.messageDelay));
    const OwnReplay& replay = **m_replay;
    const bool isScaled = replay.simulated() > 0 && replay.simulated() != replay.recorded();
    const double correction = !isScaled ? 1 : ratio(replay.recorded(), replay.simulated());
    auto placed = TRY(replay.placed(ownChange(linkSpeed, correction)));
    Prediction prediction;
    prediction.run.schedule = std::move(placed.schedule);
    prediction.run.timeline = std::move(placed.timeline);
    prediction.run.info.scheme = m_run->info.scheme;
    prediction.run.info.label = "Own order of " + m_run->info.label;
    if (isScaled)
        TRY(scale(prediction.run.timeline, correction));
    prediction.iteration = reportedDuration(prediction.run.timeline);
    prediction.least = prediction.most = prediction.iteration;
    prediction.replayError = std::abs(replay.simulated() - replay.recorded());
    return withNumbers(std::move(prediction));
}

OwnReplay::Change WhatIfPredictor::ownChange(double linkSpeed, double correction) const
{
    return [this, linkSpeed, correction](OwnReplay::Programs& programs) {
        const Shape& shape = m_run->schedule.shape;
        CostBuilder now(m_times, shape, linkSpeed, Draw(), correction);
        CostBuilder before(*m_unchanged, shape, 1, Draw(), 1);
        std::map<std::pair<OpKind, StageId>, double> stageFactors;
        const auto stageFactor = [&](const Op& op) {
            const auto [at, isNew] = stageFactors.try_emplace({op.kind, op.stage}, 1);
            const double measured = isNew ? before.durationOf(op.kind, op.stage) : 0;
            if (measured > 0)
                at->second = now.durationOf(op.kind, op.stage) / measured;
            return at->second;
        };
        for (const DeviceId device : programs.ids())
            for (OwnReplay::Step& step : programs[device]) {
                const OpKind kind = step.op.kind;
                const bool isLinked = isTransfer(kind) || isCopy(kind) || kind == OpKind::AllReduce;
                const double all = isLinked         ? 1 / linkSpeed
                    : kind == OpKind::OptimizerStep ? 1 / m_times.tensorParallel
                                                    : stageFactor(step.op) / m_times.tensorParallel;
                CostBuilder::scale(all, step.cost);
                now.change(
                    step.op,
                    slowdownOf(m_times.slowdowns, m_times.nodes, m_run->schedule, step.op, device),
                    step.cost);
            }
    };
}

// Adds to the prediction the results that metrics() computes from its run.
Result<Prediction> WhatIfPredictor::withNumbers(Prediction prediction) const
{
    const auto numbers = TRY(metrics(prediction.run));
    prediction.bubbleRatio = numbers.bubbleRatio;
    prediction.peakStash = numbers.peakStash();
    if (m_times.layout.isDefault()) // otherwise a stage has another M_a than the measured one
        prediction.deviceBytes = predictedBytes(*m_run, prediction.run.schedule, numbers);
    if (!prediction.deviceBytes.empty())
        prediction.peakBytes = *std::ranges::max_element(prediction.deviceBytes);
    return prediction;
}

namespace {

struct Sizes
{
    double stash = 0, weights = 0; // bytes per M_a and per M_theta
};

std::optional<Sizes> sizesOf(const DeviceMetrics& device)
{
    if (!device.peakBytes || !device.peakStashBytes || device.peakStash <= 0 || device.weights <= 0)
        return std::nullopt;
    const double stash = *device.peakStashBytes;
    return Sizes{stash / device.peakStash,
                 (static_cast<double>(*device.peakBytes) - stash) / device.weights};
}

} // namespace

IdVector<DeviceId, std::int64_t> predictedBytes(const Run& measured, const Schedule& schedule,
                                                const RunMetrics& predicted)
{
    const auto numbers = metrics(measured);
    if (!numbers || measured.info.import)
        return {};
    IdVector<DeviceId, Sizes> own;
    Sizes largest;
    for (const DeviceMetrics& device : numbers->devices) {
        const auto sizes = sizesOf(device);
        if (!sizes)
            return {};
        own.push_back(*sizes);
        largest
            = {std::max(largest.stash, sizes->stash), std::max(largest.weights, sizes->weights)};
    }
    const bool holdsSameStages = schedule.deviceOf == measured.schedule.deviceOf;
    // With more devices, each device has fewer layers, so one M_a and one M_theta are smaller by
    // this factor.
    const double share = ratio(own.size(), predicted.devices.size());
    IdVector<DeviceId, std::int64_t> bytes;
    for (const DeviceMetrics& device : predicted.devices) {
        const Sizes& sizes = holdsSameStages ? own[device.device] : largest;
        bytes.push_back(std::llround(
            share * (sizes.stash * device.peakStash + sizes.weights * device.weights)));
    }
    return bytes;
}

Result<Runs> withOpTimesOf(const Runs& runs, std::size_t baseline)
{
    const Run& base = *runs[baseline];
    const auto predictor = TRY(WhatIfPredictor::create(base));
    Runs all;
    for (const auto& run : runs) {
        if (const std::string why = whyUnknown(run->info); !why.empty())
            return invalid("the schedule of {} is not known: {}; leave this run out",
                           run->info.label, why);
        WhatIf same;
        same.schedule = run->schedule;
        same.resamples = 0;
        for (auto& program : same.schedule.program) // lowered again by predict()
            std::erase_if(program, [](const Op& op) {
                return isTransfer(op.kind) || op.kind == OpKind::AllReduce
                    || op.kind == OpKind::OptimizerStep;
            });
        Run replayed = TRY(predictor.predict(same)).run;
        replayed.info = run->info;
        replayed.info.mode = Mode::Simulate;
        replayed.info.ticksPerUnit = base.info.ticksPerUnit;
        all.push_back(std::make_shared<const Run>(std::move(replayed)));
    }
    return all;
}

Result<Run> withEvenCosts(const Run& run)
{
    const auto costs = TRY(calibratedCosts(run, run.schedule, {.ownTimes = false}));
    auto timeline = TRY(simulate(run.schedule, costs));
    Run predicted{run.info, run.schedule, std::move(timeline)};
    predicted.info.label += ", even costs";
    predicted.info.mode = Mode::Simulate;
    predicted.info.outcome = Outcome::Finished;
    predicted.info.failure.clear();
    predicted.info.timing.clear();
    predicted.info.command.clear();
    predicted.info.plannedWarmup = 0;
    predicted.info.plannedIterations = 1;
    return predicted;
}

} // namespace profiler
