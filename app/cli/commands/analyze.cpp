#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_text.h"
#include "engine/base/id_vector.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "profiler/why/stragglers.h"
#include "profiler/why/why.h"
#include "profiler/why/why_text.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
Reading reasonData(const Run& run, const OpIndex& index, const WhyReport& report,
                   std::size_t number)
{
    const WhyReason& reason = report.why.reasons[number];
    const auto time = [&](std::int64_t ticks) { return Reading::time(ticks, run.info); };
    const auto& effect = report.effects[number];
    return Reading::Fields{
        {"reason", nameKey(reasonName(reason.kind))},
        {"time", time(reason.time)},
        {"begin", time(reason.window.begin)},
        {"end", time(reason.window.end)},
        {"device", reason.device.value},
        {"op", toString(opAt(run.schedule, index, reason.op))},
        {"text", plainText(reasonSentence(run, report.why, reason), run.info.ticksPerUnit)},
        {"change",
         reason.change && effect
             ? Reading(Reading::Fields{{"text", changeText(run, *reason.change)},
                                       {"difference", time(effect->difference)},
                                       {"difference_low", time(effect->least)},
                                       {"difference_high", time(effect->most)},
                                       {"distinguishable", effect->isDistinguishable()}})
             : Reading()}};
}

Reading pathData(const Run& run, const OpIndex& index, const CriticalPath& path)
{
    static constexpr std::array kNames{"work", "transfer", "wait"};
    Reading::List parts;
    for (const PathPart& part : path.parts)
        parts.emplace_back(Reading::Fields{{"kind", kNames[static_cast<std::size_t>(part.kind)]},
                                           {"op", toString(opAt(run.schedule, index, part.op))},
                                           {"device", part.device.value},
                                           {"begin", Reading::time(part.window.begin, run.info)},
                                           {"end", Reading::time(part.window.end, run.info)}});
    return parts;
}

// Null if it is not known.
Reading breakdownData(const Run& run, const std::optional<Breakdown>& breakdown)
{
    if (!breakdown)
        return {};
    Reading::List steps;
    for (const Breakdown::Step& step : breakdown->steps)
        steps.emplace_back(Reading::Fields{{"reason", nameKey(stepName(step.kind))},
                                           {"time", Reading::time(step.time, run.info)},
                                           {"begin", Reading::time(step.window.begin, run.info)},
                                           {"end", Reading::time(step.window.end, run.info)}});
    return Reading::Fields{{"device", breakdown->device.value},
                           {"work", Reading::time(breakdown->work, run.info)},
                           {"steps", steps}};
}

Reading schemesData(const Run& run, const WhyReport& report)
{
    if (!report.schemes)
        return {};
    Reading::List schemes;
    for (const FasterScheme& one : *report.schemes)
        schemes.emplace_back(
            Reading::Fields{{"scheme", one.scheme},
                            {"iteration", Reading::time(one.iteration, run.info)},
                            {"iteration_low", Reading::time(one.least, run.info)},
                            {"iteration_high", Reading::time(one.most, run.info)},
                            {"difference", Reading::time(one.difference, run.info)},
                            {"peak_bytes", one.peakBytes},
                            {"fits", one.fits(deviceMemory(run))}});
    return schemes;
}

Reading whyData(const Run& run, const WhyReport& report)
{
    static constexpr EnumArray<LowerBound::Kind, const char*, 3> kBounds{
        {"work", "chain", "memory"}};
    const Why& why = report.why;
    const OpIndex index(run.schedule);
    const auto time = [&](std::int64_t ticks) { return Reading::time(ticks, run.info); };
    Reading::Fields shares;
    for (const OpKind kind : why.shares.work.enumerators())
        if (why.shares.work[kind] != 0)
            shares.emplace_back(kindName(kind), time(why.shares.work[kind]));
    shares.emplace_back("waits", time(why.shares.waits));
    shares.emplace_back("messages", time(why.shares.messages));
    shares.emplace_back("other_transfers", time(why.shares.otherTransfers));
    Reading::List reasons;
    for (std::size_t r = 0; r < why.reasons.size(); ++r)
        reasons.push_back(reasonData(run, index, report, r));
    Reading next;
    if (const FasterScheme* fastest
        = report.schemes ? firstThatFits(*report.schemes, deviceMemory(run)) : nullptr)
        next = Reading::Fields{{"scheme", fastest->scheme},
                               {"iteration", time(fastest->iteration)},
                               {"difference", time(fastest->difference)},
                               {"peak_bytes_difference", fastest->bytes},
                               {"peak_stash_difference", fastest->stashes}};
    return Reading::Fields{
        {"iteration", time(why.iteration())},
        {"at_least", time(why.bound.time)},
        {"bound", kBounds[why.bound.kind]},
        {"busiest_device_work", time(why.bound.work)},
        {"longest_chain", time(why.bound.chain)},
        {"memory_bound", time(why.bound.memory)},
        {"breakdown", breakdownData(run, why.breakdown)},
        {"shares", shares},
        {"fault",
         why.path.fault ? Reading(toString(opAt(run.schedule, index, *why.path.fault)))
                        : Reading()},
        {"path", pathData(run, index, why.path)},
        {"reasons", reasons},
        {"smaller_reasons", why.smaller},
        {"simulated_share", report.accuracy ? Reading(*report.accuracy) : Reading()},
        {"next_scheme", next},
        {"faster_schemes", schemesData(run, report)}};
}

void addStragglers(const Run& run, const Result<Stragglers>& found, Sheet& sheet)
{
    sheet.heading("Stragglers");
    if (!found) {
        sheet.sentence("Which device is slow is unknown: " + found.error().message + ".");
        sheet.data("stragglers", Reading::Fields{{"unknown", found.error().message}});
        return;
    }
    const std::vector<std::string> text = stragglersText(run, *found);
    for (const std::string& sentence : text)
        sheet.sentence(sentence);
    std::vector<ReportedPace> paces;
    for (const DevicePace& pace : found->devices)
        paces.push_back({run, pace, found->iterations});
    Reading::List ranks; // of other copies of the pipeline
    for (const SlowRank& one : found->ranks)
        ranks.push_back(Reading::Fields{{"rank", one.rank},
                                        {"excess", one.excess},
                                        {"more_ms", 1e-6 * static_cast<double>(one.more)},
                                        {"peers", one.peers}});
    const Table table(paceMeasures(), paces);
    sheet.table(table);
    sheet.data("stragglers",
               Reading::Fields{{"unknown", Reading()},
                               {"iterations", found->iterations},
                               {"rotating", found->isRotating},
                               {"ranks", ranks},
                               {"text", text},
                               {"devices", table.json()}});
}

struct AnalyzeOptions
{
    std::string file;
    int iteration = -1;
    bool json = false;
    bool kernels = false, notes = false, why = false, stragglers = false;
    bool definitions = false;
    std::string op; // "": all kinds
    int device = -1;
};

struct Kernels
{
    GpuActivity activity;
    KernelTable table;
};

Result<std::optional<Kernels>> kernelsOf(const AnalyzeOptions& options, const Run& run,
                                         const GpuTrace& trace)
{
    if (!options.kernels)
        return std::nullopt;
    KernelFilter filter;
    filter.iteration = options.iteration;
    if (!options.op.empty())
        filter.op = TRY(inContext("--op", parseKind(options.op)));
    if (options.device >= 0)
        filter.device = DeviceId{options.device};
    Kernels kernels{GpuActivity(run, trace), {}};
    if (kernels.activity.isEmpty())
        return fail(Error::Code::NotFound, "{} has no kernels. {}", options.file,
                    whyNoKernels(run.info));
    kernels.table = kernelTable(run, kernels.activity, filter);
    return kernels;
}

Result<int> analyze(const AnalyzeOptions& options)
{
    if (options.definitions) {
        printText(options.json ? jsonText(definitionsData()) : definitionsText());
        return 0;
    }
    const auto run = TRY(openRun(options.file));
    const auto numbers = TRY(inContext(options.file, metrics(run, options.iteration)));
    const auto gpu = TRY(readGpuTrace(options.file));
    const auto kernels = TRY(kernelsOf(options, run, gpu));
    Sheet sheet;
    sheet.data(fields(runMeasures(), ReportedRun{run, numbers}));
    sheet.sentence(runHeading(run));
    addSummary(run, numbers, sheet);
    const Reading gpuData = addGpu(run, gpu, sheet);
    addDevices(run, numbers, sheet);
    addBubbles(run, numbers, sheet);
    if (gpuData.isKnown())
        sheet.data("gpu", gpuData);
    if (options.why || options.json) {
        const auto why = whyReport(run, options.iteration,
                                   options.why ? WhySchemes::Predict : WhySchemes::LeaveOut);
        if (options.why) {
            TRY(inContext(options.file, why));
            sheet.lines(whyText(run, *why));
            sheet.data("why", whyData(run, *why));
        }
        sheet.data("findings", findingsData(runFindings(run, why), run.info.ticksPerUnit));
    }
    if (options.stragglers)
        addStragglers(run, stragglers(run), sheet);
    if (kernels)
        addKernels(kernels->activity, kernels->table, sheet);
    if (options.notes)
        addNotes(run, TRY(readNotes(options.file)), sheet);
    cli::print(sheet, options.json);
    return 0;
}
} // namespace

Action prepareAnalyze(CLI::App& app)
{
    const auto options = std::make_shared<AnalyzeOptions>();
    CLI::Option* file = app.add_option("RUN.sqlite", options->file, "Recorded run");
    file->required();
    addOption(app, "--iteration K", options->iteration,
              "Index of the iteration, warm-up included (default: the median)")
        ->check(between(0, 1000000));
    auto* kernels
        = app.add_flag("--kernels", options->kernels, "Also print GPU activity by op type");
    addOption(app, "--op KIND", options->op, "Only kernels of ops of this type: F, B, W, OPT ...")
        ->needs(kernels);
    addOption(app, "--device D", options->device, "Only kernels of this device")
        ->check(between(0, 1000000))
        ->needs(kernels);
    app.add_flag("--why", options->why,
                 "Also print the parts of the critical path, the lower bound, the effect of each "
                 "change, and the fastest scheme");
    app.add_flag("--stragglers", options->stragglers,
                 "Also print which device is slow over all iterations, and what it costs");
    app.add_flag("--notes", options->notes, "Also print the notes of the run");
    app.add_flag("--json", options->json, "Print JSON");
    app.add_flag_callback(
        "--definitions",
        [options, file] {
            options->definitions = true;
            file->required(false);
        },
        "Print the formula and the source of every number; needs no run");
    return [options] { return analyze(*options); };
}

} // namespace cli
