#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_text.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/formats/schedule_file.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/report/sheet.h"
#include "profiler/search/vary.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct SearchOptions : PredictionOptions
{
    std::string memory;
    std::vector<std::string> starts;
    Variation vary;
    double seconds = 10;
    std::int64_t orders = 0;
    int threads = 0, lowerLimits = 0;
    bool json = false;
    OutputOptions output;
};

// The peak of a device that the limit is about, and of the fullest device.
std::string peakText(const RunMetrics& metrics, bool inBytes)
{
    return inBytes && metrics.peakBytes() ? bytesText(*metrics.peakBytes())
                                          : fmt::format("{:.4g} M_a", metrics.peakStash());
}

struct PublishedRow
{
    const PublishedSchedule& of;
    const SearchResult& result;
};

constexpr std::array kPublished{
    Measure(column("scheme", "published"), [](const PublishedRow& p) { return p.of.scheme; }),
    Measure(column("iteration", "iteration", Unit::None, 2),
            [](const PublishedRow& p) {
                return p.result.found.run.info.inUnits() ? p.of.length : p.of.length * 1e-6;
            }),
    Measure(column("bubble_ratio", "bubble", Unit::Share),
            [](const PublishedRow& p) { return p.of.metrics.bubbleRatio; }),
    Measure(column("peak_stash", "peak stash", Unit::Activations),
            [](const PublishedRow& p) { return p.of.metrics.peakStash(); }),
    Measure({"peak_bytes", "peak memory", Unit::Bytes, kColumn | kIfAny},
            [](const PublishedRow& p) { return p.of.metrics.peakBytes(); }),
    Measure({"fits"}, [](const PublishedRow& p) { return p.of.fits; }),
    Measure(column("", "memory"),
            [](const PublishedRow& p) { return p.of.fits ? "fits" : "does not fit"; }),
};

// A length as the tables show it: units, or ms.
Reading shownLength(const LowerSearch& l, double length)
{
    return l.result.found.run.info.inUnits() ? length : length * 1e-6;
}
const PublishedSchedule* best(const LowerSearch& l)
{
    return l.result.bestPublished();
}

constexpr std::array kLower{
    Measure(column("", "limit"), [](const LowerSearch& l) { return l.limit.text(); }),
    Measure({"limit"}, [](const LowerSearch& l) { return l.limit.of.front(); }),
    Measure(column("", "iteration", Unit::None, 2),
            [](const LowerSearch& l) { return shownLength(l, l.result.length()); }),
    Measure({"iteration"}, [](const LowerSearch& l) { return l.result.length(); }),
    Measure(column("peak_stash", "peak stash", Unit::Activations),
            [](const LowerSearch& l) { return l.result.found.metrics.peakStash(); }),
    Measure({"peak_bytes", "peak memory", Unit::Bytes, kColumn | kIfAny},
            [](const LowerSearch& l) { return l.result.found.metrics.peakBytes(); }),
    Measure(column("best_published", "best published that fits"),
            [](const LowerSearch& l) { return best(l) ? best(l)->scheme : std::string(); }),
    Measure(
        column("", "it takes", Unit::None, 2),
        [](const LowerSearch& l) { return best(l) ? shownLength(l, best(l)->length) : Reading(); }),
    Measure({"published_iteration"},
            [](const LowerSearch& l) { return best(l) ? Reading(best(l)->length) : Reading(); }),
    Measure({"orders"}, [](const LowerSearch& l) { return l.result.orders; }),
};

// The choices of --vary, the chosen one first.
void addChoices(const VariedSearch& varied, Sheet& sheet)
{
    const bool inUnits = varied.result.found.run.info.inUnits();
    Reading::List rows;
    std::string text;
    const auto add = [&](const SearchChoice& choice) {
        const std::string name = choice.text().empty() ? "none of them" : choice.text();
        rows.emplace_back(
            Reading::Fields{{"recompute", std::string(nameIn(kRecomputeNames, choice.recompute))},
                            {"layout", textOrUnknown(choice.layout.text())},
                            {"offload_from", choice.offloadFrom},
                            {"iteration", choice.length ? Reading(*choice.length) : Reading()},
                            {"why", textOrUnknown(choice.why)}});
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name,
                            choice.length ? lengthText(*choice.length, inUnits) : choice.why);
    };
    add(varied.choices[varied.chosen]);
    for (std::size_t i = 0; i < varied.choices.size(); ++i)
        if (i != varied.chosen)
            add(varied.choices[i]);
    sheet.data(Reading::Fields{{"choices", rows}});
    if (varied.choices.size() > 1)
        sheet.sentence("chosen among recomputation, layers and offload: " + text);
}

void addData(const SearchResult& result, const SearchRequest& request, const std::string& file,
             const std::vector<std::string>& differences, Sheet& sheet)
{
    const RunMetrics& metrics = result.found.metrics;
    const PublishedSchedule* best = result.bestPublished();
    const bool inUnits = result.found.run.info.inUnits();
    sheet.data(
        Reading::Fields{{"iteration", result.length()},
                        {"unit", inUnits ? "forward" : "ns"},
                        {"bound", result.bound > 0 ? Reading(result.bound) : Reading()},
                        {"gap", result.bound > 0 ? Reading(result.numbers().gap()) : Reading()},
                        {"bubble_ratio", metrics.bubbleRatio},
                        {"peak_stash", metrics.peakStash()},
                        {"peak_bytes", metrics.peakBytes()}});
    sheet.data(memoryData(request.limit.memory));
    sheet.data(Reading::Fields{
        {"orders", result.orders},
        {"complete", result.isComplete},
        {"seconds", result.seconds},
        {"seed", static_cast<std::int64_t>(request.prediction.costs.rules.seed)},
        {"start", result.start},
        {"best_published",
         best == nullptr
             ? Reading()
             : Reading(Reading::Fields{{"scheme", best->scheme}, {"iteration", best->length}})},
        {"schedule_file", textOrUnknown(file)},
        {"gain",
         result.gain ? Reading(Reading::Fields{{"value", result.gain->value},
                                               {"least", result.gain->least},
                                               {"most", result.gain->most}})
                     : Reading()},
        {"differences", differences},
        {"moves", textOrUnknown(result.moves)},
        {"warnings", result.warnings}});
}

Sheet searchSheet(const VariedSearch& varied, const SearchRequest& request, const std::string& file)
{
    const SearchResult& result = varied.result;
    const RunMetrics& metrics = result.found.metrics;
    const PublishedSchedule* best = result.bestPublished();
    std::vector<std::string> differences;
    for (const SearchResult::Difference& difference : result.differences)
        differences.push_back(difference.text);
    std::vector<PublishedRow> published;
    for (const PublishedSchedule& one : result.published)
        published.push_back({one, result});
    Sheet sheet;
    addData(result, request, file, differences, sheet);
    const SearchVerdict sentence = verdict(result.numbers(), request.limit);
    sheet.sentence("found " + sentence.lead + " " + sentence.rest);
    sheet.sentence(fmt::format(
        "started from {}; bubble {}, peak {}; {} orders tried in {:.1f} s{}", result.start,
        shareText(metrics.bubbleRatio), peakText(metrics, request.limit.isInBytes), result.orders,
        result.seconds,
        result.isComplete ? "" : "; ended before all its orders, so --orders cannot repeat it"));
    addChoices(varied, sheet);
    if (const auto count = result.found.run.timeline.iterations.size(); count > 1)
        sheet.sentence(fmt::format("op times vary: iterations are the median of {}, as of "
                                   "bscope simulate --iterations {}",
                                   count, count));
    if (!result.differences.empty())
        sheet.sentence(fmt::format("unlike {}{}{}:", best->scheme, result.moves.empty() ? "" : ", ",
                                   result.moves));
    for (const std::string& text : differences)
        sheet.sentence("  " + text);
    for (const std::string& text : result.warnings)
        sheet.sentence("warning: " + text);
    constexpr std::size_t kMostOps = 1 << 14;
    if (opCount(result.order) <= kMostOps)
        sheet.lines(timelineText(result.found.run, result.found.metrics.iteration,
                                 outputColumns().value_or(kPipedColumns),
                                 outputHasColours() ? Ink::Colours : Ink::Plain));
    sheet.table(Table(kPublished, published), "published");
    if (!varied.lower.empty())
        sheet.sentence("Found within lower limits:");
    sheet.table(Table(kLower, varied.lower), "lower_limits");
    return sheet;
}

Result<SearchRequest> requestOf(const CLI::App& app, const SearchOptions& options,
                                const PredictionCosts& costs)
{
    SearchRequest request;
    request.prediction = options.request();
    // --calibrate fills in the scheme of its run, from which alone a search need not start.
    if (app.count("--scheme") > 0)
        request.schemes = options.schedule.schemes;
    request.schemes.insert(request.schemes.end(), options.starts.begin(), options.starts.end());
    if (!options.memory.empty() && app.count("--reserve") > 0)
        return invalid(
            "--reserve: --memory already is what a device can use; leave one of them out");
    request.limit = TRY(memoryLimit(options.memory, costs));
    request.seconds = options.seconds;
    request.orders = options.orders;
    request.threads = options.threads;
    request.lowerLimits = options.lowerLimits;
    return request;
}

Result<int> printSearch(const CLI::App& app, SearchOptions& options)
{
    TRY(complete(app, options));
    const auto costs = TRY(costsOf(options));
    const auto request = TRY(requestOf(app, options, costs));
    std::optional<NewFile> file;
    if (!options.output.file.empty() && options.output.file != "-")
        file = TRY(createOutput(options.output));
    const Interrupt interrupt;
    VariedSearch varied;
    {
        LongTask task("searching");
        varied = TRY(searchVaried(
            request, options.vary,
            [&](const SearchProgress& now) {
                task.next(fmt::format("searching: best {}, {} orders",
                                      lengthText(now.best, now.inUnits), now.orders),
                          options.orders > 0 ? 0 : (1 - now.share) * options.seconds);
            },
            interrupt.requested()));
    }
    const std::string csv = writeCsv(varied.result.order);
    if (file)
        TRY(saveFile(std::move(*file), csv));
    if (options.output.file == "-") {
        printText(csv);
        return 0;
    }
    cli::print(searchSheet(varied, request, options.output.file), options.json);
    const std::string with = varied.choices[varied.chosen].options();
    if (file && !options.json)
        printText(fmt::format("\n{}  (bscope simulate --schedule {}{}{})\n", options.output.file,
                              shellQuoted(options.output.file), with.empty() ? "" : " ", with));
    return 0;
}
} // namespace

Action prepareSearch(CLI::App& app)
{
    constexpr const char* kGroup = "Search";
    const auto options = std::make_shared<SearchOptions>();
    addPredictionOptions(app, *options);
    addOption(app, "--memory LIMIT", options->memory,
              "The most memory of a device: stashes in M_a (5), or everything in bytes "
              "(9GiB); one value, or one for each device (default: the memory of --hardware "
              "less --reserve, else no limit)")
        ->group(kGroup);
    std::string help = "What may change, as a comma-separated list", names = "order";
    for (const auto& field : variationFields()) {
        const std::string name = field.flag.substr(field.flag.find(' ') + 1);
        help += fmt::format("; {}: {}", name, field.help);
        names += "," + name;
    }
    app.add_option_function<std::vector<std::string>>(
           "--vary",
           [options](const std::vector<std::string>& chosen) {
               for (const std::string& name : chosen)
                   if (const auto* field = findField(variationFields(), "--vary " + name))
                       static_cast<void>(field->set(options->vary, "true"));
           },
           help + " (default: order)")
        ->type_name("{" + names + "}")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(oneOf({"order", "placement", "layers", "recompute", "offload"}))
        ->group(kGroup);
    addOption(app, "--start SCHEME", options->starts,
              "Start only from this scheme, as --scheme does; repeat it for several "
              "(default: every scheme that fits)")
        ->allow_extra_args(false)
        ->group(kGroup);
    auto* seconds
        = addOption(app, "--seconds T", options->seconds, "About how long to search (default: 10)")
              ->check(between(0.01, 1e6))
              ->group(kGroup);
    addOption(app, "--orders K", options->orders,
              "How many orders to try, as a search by time prints them; the same number and "
              "--seed give the same schedule")
        ->check(between(std::int64_t{1}, std::int64_t{1'000'000'000'000}))
        ->excludes(seconds)
        ->group(kGroup);
    addOption(app, "--lower-limits K", options->lowerLimits,
              "Also search K lower limits, down to the least memory that a published scheme needs, "
              "each with an eighth of the orders (default: 0)")
        ->check(between(0, 12))
        ->group(kGroup);
    addOption(app, "--threads T", options->threads, "Threads (default: one for each core)")
        ->check(between(1, 1024))
        ->group(kGroup);
    app.add_flag("--json", options->json, "Print JSON");
    addOutputOptions(app, options->output, "Write the schedule as CSV", "FILE.csv");
    return [options, &app] { return printSearch(app, *options); };
}

} // namespace cli
