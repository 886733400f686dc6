#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/predicted_info.h"
#include "profiler/analysis/ranking.h"
#include "profiler/predict/predict.h"
#include "profiler/report/sheet.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/changes.h"
#include "profiler/whatif/predict.h"
#include "profiler/whatif/stage_times.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct WhatIfTable
{
    MemoryCapacity memory;                         // of a device
    std::vector<profiler::Prediction> predictions; // those that fit first, then the shortest
    std::vector<std::pair<std::string, std::string>> refused; // schemes and reasons
};

struct PredictedRow
{
    const Run& run;
    std::int64_t measured;
    const Prediction& of;
    DeviceFit fit;
};
using P = PredictedRow;

Reading iteration(const P& p)
{
    Reading time(p.of.iteration);
    if (p.of.least < p.of.most) // the replay of one iteration has no spread
        time.interval = Interval{p.of.least, p.of.most};
    return time;
}

template<auto Member>
Reading predicted(const P& p)
{
    return p.of.*Member;
}

constexpr std::array kPrediction{
    Measure(column("scheme"), [](const P& p) { return p.of.run.info.scheme; }),
    Measure(column("devices", "D"), [](const P& p) { return p.of.run.schedule.shape.devices; }),
    Measure(column("micro_batches", "N"),
            [](const P& p) { return p.of.run.schedule.shape.microBatches; }),
    Measure(column("chunks", "v"), [](const P& p) { return p.of.run.schedule.shape.chunks(); }),
    Measure(column("", "iteration", Unit::Time, 2), iteration),
    Measure({"iteration"}, predicted<&Prediction::iteration>),
    Measure({"iteration_low"}, predicted<&Prediction::least>),
    Measure({"iteration_high"}, predicted<&Prediction::most>),
    Measure(column("change", "change", Unit::Change),
            [](const P& p) { return changeOf(p.of, p.run, p.measured); }),
    Measure({"equal_work"}, [](const P& p) { return doesEqualWork(p.of, p.run); }),
    Measure(column("bubble_ratio", "bubble", Unit::Share), predicted<&Prediction::bubbleRatio>),
    Measure(column("peak_stash", "peak stash", Unit::Activations),
            predicted<&Prediction::peakStash>),
    Measure({"peak_bytes", "peak memory", Unit::Bytes, kColumn | kIfAny},
            predicted<&Prediction::peakBytes>),
    Measure({"fits"}, [](const P& p) { return p.fit.reading(); }),
    Measure({"", "memory", Unit::None, kColumn | kIfAny},
            [](const P& p) { return p.fit.memory.isKnown() ? Reading(p.fit.text()) : Reading(); }),
};

struct MeasuredStage
{
    StageId stage;
    const StageTimes& of;
};
using S = MeasuredStage;

template<auto Member>
Reading median(const S& s)
{
    const Samples& samples = s.of.*Member;
    return samples.isEmpty()
        ? Reading()
        : Reading(std::llround(static_cast<double>(samples.median()) * s.of.factor));
}

constexpr std::array kStage{
    Measure(column("stage"), [](const S& s) { return s.stage.value; }),
    Measure(column("forward", "F", Unit::Time, 3), median<&StageTimes::forward>),
    Measure(column("backward", "B", Unit::Time, 3), median<&StageTimes::backward>),
    Measure(column("input_gradient", "I", Unit::Time, 3), median<&StageTimes::input>),
    Measure(column("weight_gradient", "W", Unit::Time, 3), median<&StageTimes::weight>),
    Measure(column("spread", "+-", Unit::Share), [](const S& s) { return s.of.forward.spread(); }),
    Measure(column("", "samples"), [](const S& s) { return s.of.forward.times.size(); }),
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

// How each prediction differs from the measured iteration, of equal work.
Reading findings(const Run& run, std::int64_t measured, const WhatIfTable& table)
{
    std::vector<Finding> all;
    for (const Prediction& one : table.predictions) {
        const double change = static_cast<double>(measured) * changeOf(one, run, measured);
        const double work = (static_cast<double>(measured) + change)
            / static_cast<double>(one.iteration); // of the run, per work of the prediction
        const auto by = [&](std::int64_t time) {
            return work * static_cast<double>(time) - static_cast<double>(measured);
        };
        const bool isExact = one.least == one.most;
        const profiler::Change iteration{
            static_cast<double>(measured),
            {change, isExact ? Spread::Exact : Spread::Interval, by(one.least), by(one.most)}};
        const std::string kind = changeKind(iteration);
        all.push_back({kind, iteration.by, "predicted, from times " + evidenceText(run),
                       sentence(run, measured, one),
                       kind == "shorter" && one.run.info.scheme != run.info.scheme
                           ? "run --scheme " + one.run.info.scheme
                           : ""});
    }
    return findingsData(all, run.info.ticksPerUnit);
}

Sheet whatIfSheet(const Run& run, const WhatIfPredictor& predictor, const WhatIfTable& table)
{
    const MeasuredTimes& times = predictor.times();
    std::vector<P> predictions;
    for (const Prediction& one : table.predictions)
        predictions.push_back({run, predictor.measured(), one, {table.memory, one.peakBytes}});
    std::vector<S> stages;
    for (const StageId stage : times.stages.ids())
        stages.push_back({stage, times.stages[stage]});
    const MemoryCapacity& memory = table.memory;
    Sheet sheet;
    sheet.data(Reading::Fields{
        {"scheme", run.info.scheme}, {"iteration", predictor.measured()}, {"unit", "ns"}});
    sheet.data(memoryData(memory));
    sheet.data("correction", predictor.correction());
    sheet.sentence(sentence(run, predictor.measured(), table.predictions.front()));
    if (!std::ranges::all_of(table.predictions,
                             [&](const Prediction& one) { return doesEqualWork(one, run); }))
        sheet.sentence(
            fmt::format("The run has N = {}, so changes compare the time per micro-batch.",
                        run.schedule.shape.microBatches));
    sheet.table(Table(kPrediction, predictions), "predictions");
    if (memory.isKnown())
        sheet.sentence("memory: " + memory.text()
                       + (predictions.front().fit.fits() ? "" : "; no prediction fits"));
    sheet.heading("Measured times per stage and micro-batch, medians");
    sheet.table(Table(kStage, stages), "costs");
    sheet.sentence(fmt::format(
        "message: {:.3f} ms; optimizer: {:.3f} ms per stage; correction: {:.3f}, the measured "
        "iteration time divided by the time predicted for the same schedule",
        times.message.median() / 1e6, times.optimizer.median() / 1e6, predictor.correction()));
    if (table.predictions.front().least < table.predictions.front().most)
        sheet.sentence(std::string(kIntervalCovers));
    sheet.data("message", times.message.median());
    sheet.data("assumptions", times.assumptions);
    for (const std::string& assumption : times.assumptions)
        sheet.sentence("assumed: " + assumption);
    Reading::List refused;
    for (const auto& [scheme, reason] : table.refused) {
        sheet.sentence(fmt::format("not predicted: {}: {}", scheme, reason));
        refused.emplace_back(Reading::Fields{{"scheme", scheme}, {"reason", reason}});
    }
    sheet.data("refused", refused);
    sheet.data("findings", findings(run, predictor.measured(), table));
    return sheet;
}

struct WhatIfOptions
{
    std::string file;
    ScheduleOptions schedule;
    bool devicesGiven = false, microBatchesGiven = false; // false: as in the run
    bool all = false; // --all, which is the default if there is no --scheme
    bool json = false, ownOrder = false;
    WhatIfChanges changes;
    std::optional<Bytes> deviceMemory; // nullopt: as in the run
    std::optional<double> reserve;
    OutputOptions output;
};

// Returns the schedules of --scheme or --schedule. If neither is given, returns those of all
// synchronous schemes that accept the number of devices and micro-batches.
Result<std::vector<Schedule>> schedulesOf(const WhatIfOptions& options, const Run& run,
                                          WhatIfTable& table)
{
    ScheduleOptions asked = options.schedule;
    const Shape& shape = run.schedule.shape;
    if (!options.devicesGiven)
        asked.request.schedule.devices = shape.devices;
    if (!options.microBatchesGiven)
        asked.request.schedule.microBatches = shape.microBatches;
    asked.stream = StreamLength();
    if (!asked.schemes.empty() || !asked.request.scheduleFile.empty())
        return schedules(asked);
    std::vector<Schedule> all;
    for (const Scheme& scheme : engine::schemes()) {
        if (scheme.asynchronous)
            continue;
        asked.schemes = {std::string(scheme.name)};
        auto one = schedules(asked);
        if (one)
            all.push_back(std::move(one->front()));
        else
            table.refused.push_back({asked.schemes.front(), one.error().message});
    }
    if (all.empty())
        return invalid(table.refused.front().second);
    return all;
}

Result<WhatIfTable> predictAll(const WhatIfOptions& options, const Run& run,
                               const WhatIfPredictor& predictor)
{
    WhatIfTable table;
    table.memory = deviceMemory(run);
    table.memory.bytes = options.deviceMemory.value_or(table.memory.bytes);
    table.memory.reserve = options.reserve.value_or(table.memory.reserve);
    if (options.reserve && !table.memory.isKnown())
        return invalid(
            "--reserve: the memory of the run's devices is unknown; add --device-memory");
    if (options.ownOrder) {
        table.predictions.push_back(
            TRY(inContext("--own-order", predictor.predictOwn(options.changes.linkSpeed))));
        return table;
    }
    LongTask task("predicting");
    const bool isOneOfAll
        = options.schedule.schemes.empty() && options.schedule.request.scheduleFile.empty();
    auto asked = TRY(schedulesOf(options, run, table));
    for (Schedule& schedule : asked) {
        task.next("predicting " + schedule.scheme, 0);
        const std::string label = labelOf(schedule.scheme);
        auto one = predictor.predict({std::move(schedule), options.changes.linkSpeed});
        if (!one && !isOneOfAll)
            return tl::unexpected(one.error());
        if (!one) {
            table.refused.push_back({label, one.error().message});
            continue;
        }
        one->run.info.label = label;
        table.predictions.push_back(*std::move(one));
    }
    if (table.predictions.empty())
        return invalid(table.refused.front().second);
    std::ranges::stable_sort(table.predictions, {}, [&table](const Prediction& one) {
        return std::pair(!DeviceFit{table.memory, one.peakBytes}.fits(), one.iteration);
    });
    return table;
}

// The command that repeats a prediction.
std::string commandOf(const WhatIfOptions& options, const Prediction& one)
{
    std::vector<std::string> words{options.file};
    const std::string& file = options.schedule.request.scheduleFile;
    if (options.ownOrder)
        words.emplace_back("--own-order");
    else if (!file.empty())
        words.insert(words.end(), {"--schedule", file});
    else {
        ScheduleRequest request = options.schedule.request.schedule;
        request.scheme = one.run.info.scheme;
        request.devices = one.run.schedule.shape.devices;
        request.microBatches = one.run.schedule.shape.microBatches;
        std::ranges::copy(arguments(requestFields(), request, ScheduleRequest()),
                          std::back_inserter(words));
    }
    const int unchanged = options.changes.microBatches; // stated above
    std::ranges::copy(arguments(options.changes, unchanged, options.ownOrder),
                      std::back_inserter(words));
    return commandText("whatif", words);
}

// Writes the shortest prediction as a run.
Result<void> save(const WhatIfOptions& options, const Run& run, Prediction& best)
{
    if (options.output.file.empty())
        return {};
    auto file = TRY(createOutput(options.output, {options.file}));
    RunInfo& info = best.run.info;
    describeRecorded(run, options.file, best.run.schedule.shape, info);
    info.command = commandOf(options, best);
    info.started = run.info.started;
    info.program = buildId();
    info.outcome = Outcome::Finished;
    return writeRun(std::move(file), best.run);
}

Result<int> whatIf(const WhatIfOptions& options)
{
    const auto run = TRY(openRun(options.file));
    const auto predictor = TRY(inContext(options.file, WhatIfPredictor::create(run)));
    const auto changed = TRY(withChanges(predictor, options.changes));
    for (const RunEdit& edit : options.changes.slowdowns)
        if (edit.op && !options.ownOrder)
            return invalid("--slow {}: other schemes do not have this op of the run; add "
                           "--own-order",
                           toString(edit));
    auto table = TRY(predictAll(options, run, changed));
    TRY(save(options, run, table.predictions.front()));
    cli::print(whatIfSheet(run, changed, table), options.json);
    return 0;
}
} // namespace

Action prepareWhatIf(CLI::App& app)
{
    const auto options = std::make_shared<WhatIfOptions>();
    app.add_option("RUN.sqlite", options->file, "Recorded or imported run")->required();
    addScheduleOptions(app, options->schedule, Schemes::Several);
    app.add_flag("--all", options->all,
                 "Predict all synchronous schemes (default without --scheme)")
        ->excludes(app.get_option("--scheme"));
    addFieldOptions(app, whatIfFields(), options->changes);
    for (const auto& [flag, what] :
         {std::pair("--devices", "Pipeline devices"),
          {"--micro-batches", "Micro-batches of an iteration, both directions together"}})
        app.get_option(flag)->description(fmt::format("{} (default: as in the run)", what));
    for (const char* flag : {"--device-memory", "--reserve"})
        addExperimentOption(app, experimentField(flag).withDefault("as in the run"), "",
                            [options, flag](const Experiment& experiment) {
                                if (flag == std::string_view("--reserve"))
                                    options->reserve = experiment.reserve;
                                else
                                    options->deviceMemory = experiment.deviceMemory;
                            });
    auto* own = app.add_flag("--own-order", options->ownOrder,
                             "Predict the reported iteration in the run's own order");
    for (const char* other : {"--scheme", "--schedule", "--all", "--devices", "--micro-batches"})
        own->excludes(app.get_option(other));
    app.add_flag("--json", options->json, "Print JSON");
    addOutputOptions(app, options->output, "Write the shortest prediction as a run", "RUN.sqlite");
    return [options, &app]() -> Result<int> {
        TRY(checkEffect(app, whatIfFields(), options->changes));
        options->devicesGiven = app.count("--devices") > 0;
        options->microBatchesGiven = app.count("--micro-batches") > 0;
        return whatIf(*options);
    };
}

} // namespace cli
