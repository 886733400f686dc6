#include "engine/base/try.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/whatif/predict.h"
#include "profiler/why/why.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace profiler {

using namespace engine;

namespace {

using Step = OwnReplay::Step;

std::int64_t scaled(std::int64_t time, double factor)
{
    return std::llround(static_cast<double>(time) * factor);
}

template<class Change>
OwnReplay::Change forEachStep(Change change)
{
    return [change](OwnReplay::Programs& programs) {
        for (OwnReplay::Program& program : programs)
            for (Step& step : program)
                change(step);
    };
}

// Replaces every B by I and W. The SENDs that follow a B are placed between I and W.
void splitBackward(OwnReplay::Program& program, double inputShare)
{
    OwnReplay::Program split;
    for (std::size_t i = 0; i < program.size(); ++i) {
        if (program[i].op.kind != OpKind::Backward) {
            split.push_back(program[i]);
            continue;
        }
        Step input = program[i], weight = program[i];
        input.op.kind = OpKind::BackwardInput;
        input.cost.duration = scaled(program[i].cost.duration, inputShare);
        weight.op.kind = OpKind::BackwardWeight;
        weight.cost.duration -= input.cost.duration;
        weight.delay = 0;
        split.push_back(input);
        for (; i + 1 < program.size() && isSend(program[i + 1].op.kind); ++i)
            split.push_back(program[i + 1]);
        split.push_back(weight);
    }
    program = std::move(split);
}

// Moves an op, together with the SENDs that follow it, in front of another op of the same device.
void moveBefore(OwnReplay::Programs& programs, std::uint32_t op, std::uint32_t other)
{
    for (OwnReplay::Program& program : programs) {
        const auto first = std::ranges::find(program, other, &Step::number);
        const auto begin = std::ranges::find(program, op, &Step::number);
        if (first == program.end() || begin == program.end() || begin < first)
            continue;
        auto end = begin + 1;
        while (end != program.end() && isSend(end->op.kind))
            ++end;
        std::rotate(first, begin, end);
    }
}

// Returns a change that halves the costs of the kinds of op that isKind() accepts.
template<class IsKind>
OwnReplay::Change halved(IsKind isKind)
{
    return forEachStep([isKind](Step& step) {
        if (!isKind(step.op.kind))
            return;
        step.cost.duration /= 2;
        step.cost.latency /= 2;
    });
}

OwnReplay::Change ownChange(const WhyChange& change, double inputShare)
{
    using Kind = WhyChange::Kind;
    switch (change.kind) {
    case Kind::SplitBackward:
        return [inputShare](OwnReplay::Programs& programs) {
            for (OwnReplay::Program& program : programs)
                splitBackward(program, inputShare);
        };
    case Kind::Earlier:
        return [change](OwnReplay::Programs& programs) {
            moveBefore(programs, change.op, change.other);
        };
    case Kind::EqualStage:
        return forEachStep([change](Step& step) {
            if (step.op.kind == change.opKind && step.op.stage == change.stage)
                step.cost.duration = scaled(step.cost.duration, change.share);
        });
    case Kind::NoWaits:
        return forEachStep([](Step& step) { step.delay = 0; });
    case Kind::NoRecompute:
        return forEachStep([](Step& step) {
            if (step.op.kind == OpKind::Recompute)
                step.cost.duration = 0;
        });
    case Kind::FastLinks:
        return halved(isSend);
    case Kind::FastAllReduces:
        return halved([](OpKind kind) { return kind == OpKind::AllReduce; });
    case Kind::FastCopies:
        return halved(isCopy);
    case Kind::Chunks:
        break;
    }
    return [](OwnReplay::Programs&) {};
}

// Returns the run itself if its times are in ns. Otherwise returns a copy in which every tick is a
// nanosecond, because predictions need times in ns.
std::shared_ptr<const Run> inTicks(const Run& run)
{
    if (!run.info.inUnits())
        return {&run, [](const Run*) {}};
    auto copy = std::make_shared<Run>(run);
    copy->info.ticksPerUnit = 1;
    return copy;
}

ScheduleRequest requestOf(const Run& run, std::string_view scheme)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = run.schedule.shape.devices;
    request.microBatches = run.schedule.shape.microBatches;
    return request;
}

Result<Prediction> predicted(const WhatIfPredictor& predictor, const ScheduleRequest& request)
{
    auto schedule = TRY(buildSchedule(request));
    WhatIf whatIf{std::move(schedule)};
    whatIf.resamples = 0;
    return predictor.predict(whatIf);
}

} // namespace

struct WhyEffects::Impl
{
    std::shared_ptr<const Run> run;
    Result<OwnReplay> replay;
    std::once_flag once;
    std::optional<Result<WhatIfPredictor>> predictor; // set by predictorOf()

    Impl(const Run& of, int iteration)
        : run(inTicks(of))
        , replay(OwnReplay::create(of, iteration))
    { }

    const Result<WhatIfPredictor>& predictorOf()
    {
        std::call_once(once, [this] { predictor = WhatIfPredictor::create(*run); });
        return *predictor;
    }
};

WhyEffects::WhyEffects(const Run& run, int iteration)
    : m(std::make_unique<Impl>(run, iteration))
{ }
WhyEffects::~WhyEffects() = default;
WhyEffects::WhyEffects(WhyEffects&&) noexcept = default;

Result<double> WhyEffects::accuracy() const
{
    if (!m->replay)
        return tl::unexpected(m->replay.error());
    return static_cast<double>(m->replay->simulated()) / static_cast<double>(m->replay->recorded());
}

Result<std::int64_t> WhyEffects::of(const WhyChange& change) const
{
    const bool isOfScheme = change.kind == WhyChange::Kind::Chunks;
    const bool splits = change.kind == WhyChange::Kind::SplitBackward;
    if (isOfScheme) {
        const auto& predictor = m->predictorOf();
        if (!predictor)
            return tl::unexpected(predictor.error());
        ScheduleRequest request = requestOf(*m->run, "interleaved-1f1b");
        request.chunks = change.chunks;
        return predicted(*predictor, request).map([&](const Prediction& prediction) {
            return prediction.iteration - predictor->measured();
        });
    }
    if (!m->replay)
        return tl::unexpected(m->replay.error());
    double inputShare = 0.5;
    if (splits && m->predictorOf())
        inputShare = (*m->predictor)->times().inputShare;
    return m->replay->with(ownChange(change, inputShare)).map([this](std::int64_t duration) {
        return duration - m->replay->simulated();
    });
}

Result<std::optional<NextScheme>> nextScheme(const Run& run,
                                             const std::function<bool()>& isCancelled)
{
    const auto measured = inTicks(run);
    const auto predictor = TRY(WhatIfPredictor::create(*measured));
    std::optional<Prediction> best;
    for (const Scheme& scheme : schemes()) {
        if (isCancelled && isCancelled())
            return fail(Error::Code::Cancelled, "the search for a faster scheme was cancelled");
        if (scheme.asynchronous || scheme.name == run.schedule.scheme)
            continue;
        auto one = predicted(predictor, requestOf(run, scheme.name));
        if (one && one->iteration < predictor.measured()
            && (!best || one->iteration < best->iteration))
            best = *std::move(one);
    }
    if (!best)
        return std::nullopt;
    NextScheme next;
    next.scheme = best->run.schedule.scheme;
    next.iteration = best->iteration;
    next.difference = best->iteration - predictor.measured();
    next.stashes = best->peakStash;
    if (const auto own = metrics(run)) {
        next.stashes -= own->peakStash();
        if (best->peakBytes && own->peakBytes())
            next.bytes = *best->peakBytes - *own->peakBytes();
    }
    next.run = std::move(best->run);
    next.run.info.ticksPerUnit = run.info.ticksPerUnit;
    return next;
}

} // namespace profiler
