#include "app/cli/text/whatif_text.h"

#include "app/cli/text/output.h"
#include "app/cli/text/table.h"
#include "profiler/analysis/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace cli {

using namespace engine;
using namespace profiler;
using nlohmann::ordered_json;

namespace {
std::string inMilliseconds(std::int64_t ns)
{
    return fmt::format("{:.2f}", static_cast<double>(ns) / 1e6);
}

std::string costTable(const MeasuredTimes& times)
{
    Table table({{"stage"}, {"F"}, {"B"}, {"I"}, {"W"}, {"+- %"}, {"samples"}});
    const auto cell = [](const Samples& samples, double factor) {
        return samples.isEmpty()
            ? std::string("-")
            : fmt::format("{:.3f}", static_cast<double>(samples.median()) * factor / 1e6);
    };
    for (const StageId stage : times.stages.ids()) {
        const StageTimes& of = times.stages[stage];
        table.add({std::to_string(stage.value), cell(of.forward, of.factor),
                   cell(of.backward, of.factor), cell(of.input, of.factor),
                   cell(of.weight, of.factor), fmt::format("{:.1f}", 100 * of.forward.spread()),
                   std::to_string(of.forward.times.size())});
    }
    return table.text();
}

std::string sentence(const Run& run, std::int64_t measured, const Prediction& best)
{
    const bool equal = doesEqualWork(best, run);
    const std::string interval = best.least == best.most
        ? std::string()
        : fmt::format(", 95 % interval {} to {} ms", inMilliseconds(best.least),
                      inMilliseconds(best.most));
    return fmt::format("{}: {} ms instead of {} ms with {} ({:+.1f} %{}{})\n", best.run.info.label,
                       inMilliseconds(best.iteration), inMilliseconds(measured), run.info.label,
                       100 * changeOf(best, run, measured), equal ? "" : " per micro-batch",
                       interval);
}

ordered_json costsJson(const MeasuredTimes& times)
{
    ordered_json stages = ordered_json::array();
    const auto value = [](const Samples& samples, double factor) {
        return samples.isEmpty()
            ? ordered_json()
            : ordered_json(std::llround(static_cast<double>(samples.median()) * factor));
    };
    for (const StageId stage : times.stages.ids()) {
        const StageTimes& of = times.stages[stage];
        stages.push_back({{"stage", stage.value},
                          {"forward", value(of.forward, of.factor)},
                          {"backward", value(of.backward, of.factor)},
                          {"input_gradient", value(of.input, of.factor)},
                          {"weight_gradient", value(of.weight, of.factor)},
                          {"spread", of.forward.spread()}});
    }
    return stages;
}
} // namespace

std::string whatIfText(const Run& run, const WhatIfPredictor& predictor, const WhatIfTable& table)
{
    std::string text = sentence(run, predictor.measured(), table.predictions.front());
    Table rows({{"scheme", Table::Align::Left},
                {"D"},
                {"N"},
                {"v"},
                {"iteration ms"},
                {"change %"},
                {"95 % interval ms"},
                {"bubble %"},
                {"stash M_a"},
                {"peak"}});
    for (const Prediction& one : table.predictions) {
        const Shape& shape = one.run.schedule.shape;
        rows.add({one.run.info.scheme, std::to_string(shape.devices),
                  std::to_string(shape.microBatches), std::to_string(shape.chunks()),
                  inMilliseconds(one.iteration),
                  fmt::format("{:+.1f}", 100 * changeOf(one, run, predictor.measured())),
                  fmt::format("{} .. {}", inMilliseconds(one.least), inMilliseconds(one.most)),
                  fmt::format("{:.1f}", 100 * one.bubbleRatio), unitNumber(one.peakStash),
                  one.peakBytes ? bytesText(*one.peakBytes) : "-"});
    }
    if (!std::ranges::all_of(table.predictions,
                             [&](const Prediction& one) { return doesEqualWork(one, run); }))
        text += fmt::format("The run has N = {}, so changes compare the time per micro-batch.\n",
                            run.schedule.shape.microBatches);
    text += "\n" + rows.text() + "\nmeasured times per stage and micro-batch, median in ms:\n"
        + costTable(predictor.times());
    text += fmt::format(
        "message: {:.3f} ms; optimizer: {:.3f} ms per stage; correction: {:.3f}, the "
        "measured iteration time divided by the time predicted for the same schedule\n",
        static_cast<double>(predictor.times().message.median()) / 1e6,
        static_cast<double>(predictor.times().optimizer.median()) / 1e6, predictor.correction());
    for (const std::string& assumption : predictor.times().assumptions)
        text += "assumed: " + assumption + "\n";
    for (const WhatIfTable::Refused& refused : table.refused)
        text += fmt::format("not predicted: {}: {}\n", refused.scheme, refused.reason);
    return text;
}

std::string whatIfJson(const Run& run, const WhatIfPredictor& predictor, const WhatIfTable& table)
{
    ordered_json predictions = ordered_json::array(), refused = ordered_json::array();
    for (const Prediction& one : table.predictions) {
        const Shape& shape = one.run.schedule.shape;
        predictions.push_back(
            {{"scheme", one.run.info.scheme},
             {"devices", shape.devices},
             {"micro_batches", shape.microBatches},
             {"chunks", shape.chunks()},
             {"iteration", one.iteration},
             {"iteration_low", one.least},
             {"iteration_high", one.most},
             {"change", changeOf(one, run, predictor.measured())},
             {"equal_work", doesEqualWork(one, run)},
             {"bubble_ratio", one.bubbleRatio},
             {"peak_stash", one.peakStash},
             {"peak_bytes", one.peakBytes ? ordered_json(*one.peakBytes) : ordered_json()}});
    }
    for (const WhatIfTable::Refused& one : table.refused)
        refused.push_back({{"scheme", one.scheme}, {"reason", one.reason}});
    return jsonText({{"scheme", run.info.scheme},
                     {"iteration", predictor.measured()},
                     {"unit", "ns"},
                     {"correction", predictor.correction()},
                     {"predictions", predictions},
                     {"costs", costsJson(predictor.times())},
                     {"message", predictor.times().message.median()},
                     {"assumptions", predictor.times().assumptions},
                     {"refused", refused}});
}

} // namespace cli
