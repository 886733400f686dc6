#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_text.h"
#include "engine/base/id_vector.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "profiler/why/why.h"
#include "profiler/why/why_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// The contents of `analyze --why`: the path of an iteration, its reasons and their effects, and the
// next scheme.
struct WhyReport
{
    profiler::Why why;
    // For each reason in `why`, the simulated effect of its change, in ticks; nullopt if the reason
    // has no change or the change cannot be simulated.
    std::vector<std::optional<std::int64_t>> effects;
    engine::Result<double> accuracy; // see WhyEffects::accuracy()
    engine::Result<std::optional<profiler::NextScheme>> next;
};

std::string signedTime(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    return (ticks > 0 ? "+" : "") + timeText(ticks, ticksPerUnit);
}

constexpr EnumArray<WhyReason::Kind, const char*, 9> kReasonNames{
    {"fill", "order", "slow_stage", "messages", "waits", "all_reduces", "recompute",
     "evicts_and_loads", "drain"}};

const char* boundName(LowerBound::Kind kind)
{
    return kind == LowerBound::Kind::Work ? "work"
        : kind == LowerBound::Kind::Chain ? "chain"
                                          : "memory";
}

std::string sharesText(const Run& run, const PathShares& shares)
{
    std::string text = "time along the path:";
    const char* separator = " ";
    const auto add = [&](std::string_view name, std::int64_t ticks) {
        if (ticks == 0)
            return;
        text += fmt::format("{}{} {}", separator, name, timeText(ticks, run.info.ticksPerUnit));
        separator = ", ";
    };
    for (const OpKind kind : shares.work.enumerators())
        add(kindName(kind), shares.work[kind]);
    add("waits", shares.waits);
    add(fmt::format("messages ({})", shares.messageCount), shares.messages);
    add("other transfers", shares.otherTransfers);
    return text + "\n";
}

std::string effectText(const Run& run, const WhyReport& report, std::size_t reason)
{
    const auto& change = report.why.reasons[reason].change;
    const auto& effect = report.effects[reason];
    if (!change || !effect || !isNotable(*effect, report.why.iteration()))
        return {};
    return fmt::format("     {}: {}{}\n", changeText(run, *change),
                       signedTime(*effect, run.info.ticksPerUnit), *effect > 0 ? ", worse" : "");
}

std::string nextText(const Run& run, const WhyReport& report)
{
    if (!report.next)
        return "fastest scheme for these costs: not known; " + report.next.error().message + "\n";
    const auto& next = *report.next;
    if (!next)
        return "No other scheme is faster with these costs.\n";
    const std::string memory = next->bytes
        ? fmt::format("{}{} on the fullest device", *next->bytes < 0 ? "-" : "+",
                      bytesText(std::abs(*next->bytes)))
        : fmt::format("{:+.2g} M_a on the fullest device", next->stashes);
    return fmt::format("fastest scheme for these costs: {}, {} ({}), {}\n", next->scheme,
                       timeText(next->iteration, run.info.ticksPerUnit),
                       signedTime(next->difference, run.info.ticksPerUnit), memory);
}

Reading reasonData(const Run& run, const OpIndex& index, const WhyReport& report,
                   std::size_t number)
{
    const WhyReason& reason = report.why.reasons[number];
    const auto time = [&](std::int64_t ticks) { return Reading::time(ticks, run.info); };
    const auto& effect = report.effects[number];
    return Reading::Fields{
        {"reason", kReasonNames[reason.kind]},
        {"time", time(reason.time)},
        {"begin", time(reason.window.begin)},
        {"end", time(reason.window.end)},
        {"device", reason.device.value},
        {"op", toString(opAt(run.schedule, index, reason.op))},
        {"text", plainText(reasonSentence(run, report.why, reason), run.info.ticksPerUnit)},
        {"change",
         reason.change && effect ? Reading(Reading::Fields{
             {"text", changeText(run, *reason.change)}, {"difference", time(*effect)}})
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

Result<WhyReport> whyReport(const Run& run, int iteration)
{
    auto why = TRY(whyNotFaster(run, iteration));
    const WhyEffects effects(run, why.path.iteration);
    WhyReport report{std::move(why), {}, effects.accuracy(), nextScheme(run)};
    for (const WhyReason& reason : report.why.reasons) {
        const auto effect = reason.change ? effects.of(*reason.change)
                                          : tl::unexpected(Error{Error::Code::NotFound, ""});
        report.effects.push_back(effect ? std::optional(*effect) : std::nullopt);
    }
    return report;
}

std::string whyText(const Run& run, const WhyReport& report)
{
    const Why& why = report.why;
    const std::int64_t unit = run.info.ticksPerUnit;
    std::string text
        = fmt::format("why not faster: iteration {}\n", timeText(why.iteration(), unit));
    text += plainText(boundSentence(why.bound), unit) + "\n" + sharesText(run, why.shares);
    if (why.path.fault)
        text += faultText(run, why.path) + "\n";
    for (std::size_t r = 0; r < why.reasons.size(); ++r)
        text += fmt::format("{:3}. {}\n", r + 1,
                            plainText(reasonSentence(run, why, why.reasons[r]), unit))
            + effectText(run, report, r);
    if (why.reasons.empty())
        text += "The path has no fill, drain, message or wait: its device works all the time.\n";
    if (why.smaller > 0)
        text += fmt::format("{} smaller reasons, {}\n", why.smaller,
                            timeText(why.smallerTime, unit));
    if (report.accuracy && std::abs(*report.accuracy - 1) > 0.01)
        text += fmt::format("Simulated again without a change, the iteration takes {} of its "
                            "recorded time.\n",
                            shareText(*report.accuracy));
    if (!report.accuracy)
        text += "No change can be simulated: " + report.accuracy.error().message + "\n";
    else if (!why.reasons.empty())
        text += "Each change is simulated separately; the gains do not add up.\n";
    return text + nextText(run, report);
}

Reading whyData(const Run& run, const WhyReport& report)
{
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
    if (report.next && *report.next)
        next = Reading::Fields{{"scheme", (*report.next)->scheme},
                               {"iteration", time((*report.next)->iteration)},
                               {"difference", time((*report.next)->difference)},
                               {"peak_bytes_difference", (*report.next)->bytes},
                               {"peak_stash_difference", (*report.next)->stashes}};
    return Reading::Fields{
        {"iteration", time(why.iteration())},
        {"at_least", time(why.bound.time)},
        {"bound", boundName(why.bound.kind)},
        {"busiest_device_work", time(why.bound.work)},
        {"longest_chain", time(why.bound.chain)},
        {"memory_bound", time(why.bound.memory)},
        {"shares", shares},
        {"fault",
         why.path.fault ? Reading(toString(opAt(run.schedule, index, *why.path.fault)))
                        : Reading()},
        {"path", pathData(run, index, why.path)},
        {"reasons", reasons},
        {"smaller_reasons", why.smaller},
        {"simulated_share", report.accuracy ? Reading(*report.accuracy) : Reading()},
        {"next_scheme", next}};
}

struct AnalyzeOptions
{
    std::string file;
    int iteration = -1;
    bool json = false;
    bool kernels = false, notes = false, why = false;
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
    if (!options.op.empty()) {
        const auto kind = parseKindShortName(options.op);
        if (!kind)
            return fail(kind.error().code, "--op: " + kind.error().message);
        filter.op = *kind;
    }
    if (options.device >= 0)
        filter.device = DeviceId{options.device};
    Kernels kernels{GpuActivity(run, trace), {}};
    if (kernels.activity.isEmpty())
        return fail(Error::Code::NotFound,
                    fmt::format("{} has no kernels. {}", options.file, whyNoKernels(run.info)));
    kernels.table = kernelTable(run, kernels.activity, filter);
    return kernels;
}

Result<int> analyze(const AnalyzeOptions& options)
{
    if (options.definitions) {
        printText(options.json ? jsonText(toJson(definitionsData())) : definitionsText());
        return 0;
    }
    const auto run = TRY(openRun(options.file));
    const auto numbers = metrics(run, options.iteration);
    if (!numbers)
        return fail(numbers.error().code, options.file + ": " + numbers.error().message);
    const auto gpu = TRY(readGpuTrace(options.file));
    const auto kernels = TRY(kernelsOf(options, run, gpu));
    Sheet sheet;
    sheet.data(fields(runMeasures(), ReportedRun{run, *numbers}));
    sheet.sentence(runHeading(run));
    addSummary(run, *numbers, sheet);
    const Reading gpuData = addGpu(run, gpu, sheet);
    addDevices(run, *numbers, sheet);
    addBubbles(run, *numbers, sheet);
    if (gpuData.isKnown())
        sheet.data("gpu", gpuData);
    if (options.why) {
        const auto report = whyReport(run, options.iteration);
        if (!report)
            return fail(report.error().code, options.file + ": " + report.error().message);
        sheet.lines(whyText(run, *report));
        sheet.data("why", whyData(run, *report));
    }
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
    app.add_option("--iteration", options->iteration,
                   "Index of the iteration, warm-up included (default: the median)")
        ->type_name("K")
        ->check(between(0, 1000000));
    auto* kernels
        = app.add_flag("--kernels", options->kernels, "Also print GPU activity by op type");
    app.add_option("--op", options->op, "Only kernels of ops of this type: F, B, W, OPT ...")
        ->type_name("KIND")
        ->needs(kernels);
    app.add_option("--device", options->device, "Only kernels of this device")
        ->type_name("D")
        ->check(between(0, 1000000))
        ->needs(kernels);
    app.add_flag("--why", options->why,
                 "Also print the parts of the critical path, the lower bound, the effect of each "
                 "change, and the fastest scheme");
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
