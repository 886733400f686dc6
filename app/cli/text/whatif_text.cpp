#include "app/cli/text/whatif_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

constexpr MeasureInfo inMilliseconds(std::string_view key, std::string_view title, int decimals)
{
    return {key, title, Unit::Time, kColumn, Better::Less, {}, {}, {}, decimals};
}

struct P
{
    const Run& run;
    std::int64_t measured;
    const Prediction& of;
};

Reading iteration(const P& p)
{
    Reading time(p.of.iteration);
    time.interval = Interval{p.of.least, p.of.most};
    return time;
}

template<auto Member>
Reading predicted(const P& p)
{
    return p.of.*Member;
}

constexpr std::array kPrediction{
    Measure<P>({"scheme", "scheme", Unit::None, kColumn},
               [](const P& p) { return p.of.run.info.scheme; }),
    Measure<P>({"devices", "D", Unit::None, kColumn},
               [](const P& p) { return p.of.run.schedule.shape.devices; }),
    Measure<P>({"micro_batches", "N", Unit::None, kColumn},
               [](const P& p) { return p.of.run.schedule.shape.microBatches; }),
    Measure<P>({"chunks", "v", Unit::None, kColumn},
               [](const P& p) { return p.of.run.schedule.shape.chunks(); }),
    Measure<P>(inMilliseconds("", "iteration", 2), iteration),
    Measure<P>({"iteration"}, predicted<&Prediction::iteration>),
    Measure<P>({"iteration_low"}, predicted<&Prediction::least>),
    Measure<P>({"iteration_high"}, predicted<&Prediction::most>),
    Measure<P>({"change", "change", Unit::Change, kColumn},
               [](const P& p) { return changeOf(p.of, p.run, p.measured); }),
    Measure<P>({"equal_work"}, [](const P& p) { return doesEqualWork(p.of, p.run); }),
    Measure<P>({"bubble_ratio", "bubble", Unit::Share, kColumn},
               predicted<&Prediction::bubbleRatio>),
    Measure<P>({"peak_stash", "peak stash", Unit::Activations, kColumn},
               predicted<&Prediction::peakStash>),
    Measure<P>({"peak_bytes", "peak memory", Unit::Bytes, kColumn | kIfAny},
               predicted<&Prediction::peakBytes>),
};

struct S
{
    StageId stage;
    const StageTimes& of;
};

template<auto Member>
Reading median(const S& s)
{
    const Samples& samples = s.of.*Member;
    return samples.isEmpty()
        ? Reading()
        : Reading(std::llround(static_cast<double>(samples.median()) * s.of.factor));
}

constexpr std::array kStage{
    Measure<S>({"stage", "stage", Unit::None, kColumn}, [](const S& s) { return s.stage.value; }),
    Measure<S>(inMilliseconds("forward", "F", 3), median<&StageTimes::forward>),
    Measure<S>(inMilliseconds("backward", "B", 3), median<&StageTimes::backward>),
    Measure<S>(inMilliseconds("input_gradient", "I", 3), median<&StageTimes::input>),
    Measure<S>(inMilliseconds("weight_gradient", "W", 3), median<&StageTimes::weight>),
    Measure<S>({"spread", "+-", Unit::Share, kColumn},
               [](const S& s) { return s.of.forward.spread(); }),
    Measure<S>({"", "samples", Unit::None, kColumn},
               [](const S& s) { return s.of.forward.times.size(); }),
};

std::string sentence(const Run& run, std::int64_t measured, const Prediction& best)
{
    const auto time = [](std::int64_t ns) { return fmt::format("{:.2f}", ns * 1e-6); };
    const std::string interval = best.least == best.most
        ? std::string()
        : fmt::format(", 95 % interval {} to {} ms", time(best.least), time(best.most));
    return fmt::format("{}: {} ms instead of {} ms with {} ({:+.1f} %{}{})", best.run.info.label,
                       time(best.iteration), time(measured), run.info.label,
                       100 * changeOf(best, run, measured),
                       doesEqualWork(best, run) ? "" : " per micro-batch", interval);
}
} // namespace

Sheet whatIfSheet(const Run& run, const WhatIfPredictor& predictor, const WhatIfTable& table)
{
    const MeasuredTimes& times = predictor.times();
    std::vector<P> predictions;
    for (const Prediction& one : table.predictions)
        predictions.push_back({run, predictor.measured(), one});
    std::vector<S> stages;
    for (const StageId stage : times.stages.ids())
        stages.push_back({stage, times.stages[stage]});
    Sheet sheet;
    sheet.data(Reading::Fields{{"scheme", run.info.scheme},
                               {"iteration", predictor.measured()},
                               {"unit", "ns"},
                               {"correction", predictor.correction()}});
    sheet.sentence(sentence(run, predictor.measured(), table.predictions.front()));
    if (!std::ranges::all_of(table.predictions,
                             [&](const Prediction& one) { return doesEqualWork(one, run); }))
        sheet.sentence(
            fmt::format("The run has N = {}, so changes compare the time per micro-batch.",
                        run.schedule.shape.microBatches));
    sheet.table(Table(kPrediction, predictions), "predictions");
    sheet.heading("Measured times per stage and micro-batch, medians");
    sheet.table(Table(kStage, stages), "costs");
    sheet.sentence(fmt::format(
        "message: {:.3f} ms; optimizer: {:.3f} ms per stage; correction: {:.3f}, the measured "
        "iteration time divided by the time predicted for the same schedule",
        static_cast<double>(times.message.median()) / 1e6,
        static_cast<double>(times.optimizer.median()) / 1e6, predictor.correction()));
    sheet.data("message", times.message.median());
    sheet.data("assumptions", Reading::List(times.assumptions.begin(), times.assumptions.end()));
    for (const std::string& assumption : times.assumptions)
        sheet.sentence("assumed: " + assumption);
    Reading::List refused;
    for (const WhatIfTable::Refused& one : table.refused) {
        sheet.sentence(fmt::format("not predicted: {}: {}", one.scheme, one.reason));
        refused.emplace_back(Reading::Fields{{"scheme", one.scheme}, {"reason", one.reason}});
    }
    sheet.data("refused", refused);
    return sheet;
}

} // namespace cli
