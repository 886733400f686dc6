
#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/field.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/analysis/loss_goal.h"
#include "profiler/analysis/ranking.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/predict.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;
namespace fs = std::filesystem;

namespace {
constexpr std::string_view kBest = "best";

// The number of "3%" or "3"; nullopt: not a percentage from 0 to 1000.
std::optional<double> percentOf(std::string_view text)
{
    if (text.ends_with('%'))
        text.remove_suffix(1);
    const auto percent = parseNumber(text);
    return percent && *percent >= 0 && *percent <= 1000 ? percent : std::nullopt;
}

struct CompareOptions
{
    std::vector<std::string> files;
    int baseline = 0;
    bool json = false;
    std::string loss; // target loss: "best", a number, or ""
    std::string html; // file of the report; "": none
    bool force = false;
    bool sameOpTimes = false;
    std::optional<double> failAbove; // percent
    std::string earlier;             // folder of runs for the gate; "": none
};

struct AllRuns
{
    Runs runs;
    Comparison comparison;
    std::optional<LossGoal> goal;
};

std::vector<const Run*> pointersTo(const Runs& runs)
{
    std::vector<const Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(run.get());
    return pointers;
}

Result<AllRuns> readAll(const CompareOptions& options)
{
    AllRuns all;
    for (const std::string& file : options.files) {
        auto run = TRY(openRun(file));
        if (run.timeline.iterations.empty())
            return fail(Error::Code::NotFound,
                        file + ": no iteration was recorded; leave this run out");
        all.runs.push_back(std::make_shared<const Run>(std::move(run)));
    }
    if (options.sameOpTimes)
        all.runs = TRY(withOpTimesOf(all.runs, options.baseline));
    const auto pointers = pointersTo(all.runs);
    all.comparison = TRY(compare(pointers, static_cast<std::size_t>(options.baseline)));
    all.goal = options.loss.empty() || options.loss == kBest
        ? bestCommonLoss(pointers)
        : lossGoal(pointers, parseNumber(options.loss).value_or(0));
    if (!all.goal && !options.loss.empty())
        return fail(Error::Code::NotFound,
                    "--loss: not every run has losses; leave out simulated runs");
    return all;
}

// The iterations, updates and tokens that a run needs to reach the target loss.
struct ReachedLoss
{
    std::string label;
    std::optional<LossReached> steps;
};

template<auto Member>
Reading step(const ReachedLoss& run)
{
    return run.steps ? Reading((*run.steps).*Member) : Reading();
}

constexpr std::array kSteps{
    Measure(column("", "run"), Of<&ReachedLoss::label>()),
    Measure(column("iterations"), step<&LossReached::iterations>),
    Measure(column("updates"), step<&LossReached::updates>),
    Measure({"micro_batches"}, step<&LossReached::microBatches>),
    Measure(column("tokens"), step<&LossReached::tokens>),
};

// The JSON of all runs. Those that did not reach the loss have no steps.
Reading runData(const CompareOptions& options, const AllRuns& all,
                const std::vector<ReachedLoss>& reachedLoss)
{
    Reading::List runs;
    const std::vector<int> rank = rankRuns(all.comparison, RankBy::Iteration).rank;
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        const Comparison& comparison = all.comparison;
        Reading::Fields run{{"file", options.files[i]},
                            {"label", comparison.runs[i].label},
                            {"summary", summarize(comparison, i)},
                            {"rank", rank[i] == 0 ? Reading() : Reading(rank[i])},
                            {"difference", differenceData(comparison, i)}};
        Reading::Fields differs;
        for (const Difference& one : comparison.differences)
            differs.emplace_back(one.title, one.values[i]);
        if (!differs.empty())
            run.emplace_back("differs", differs);
        const Reading measures
            = fields(runMeasures(), ReportedRun{*all.runs[i], comparison.runs[i].metrics});
        std::ranges::copy(std::get<Reading::Fields>(measures.data), std::back_inserter(run));
        if (all.goal)
            run.emplace_back("steps_to_loss",
                             reachedLoss[i].steps ? fields(kSteps, reachedLoss[i]) : Reading());
        runs.emplace_back(std::move(run));
    }
    return runs;
}

// The answer to --fail-above, for a job that must not let an iteration become longer.
struct Gate
{
    enum class Result { Passed, Failed, Unclear };
    Result result = Result::Passed;
    std::string sentence;

    int status() const
    {
        constexpr int kUnclear = 3;
        return result == Result::Passed ? 0 : result == Result::Failed ? 1 : kUnclear;
    }
    std::string_view name() const
    {
        return result == Result::Passed ? "passed"
            : result == Result::Failed  ? "failed"
                                        : "unclear";
    }
};

std::string whyNoGate(const Comparison& comparison, const Run& base, const Run& run)
{
    const auto unknown = whyIterationUnknown(base), ownUnknown = whyIterationUnknown(run);
    const bool isSameWork = base.schedule.shape.microBatches == run.schedule.shape.microBatches
        || std::min(base.info.tokensPerIteration, run.info.tokensPerIteration) > 0;
    return !comparison.obstacle.empty() ? comparison.obstacle
        : !unknown.empty()              ? unknown
        : !ownUnknown.empty()           ? ownUnknown
        : isSameWork                    ? ""
                     : "their iterations have different numbers of micro-batches";
}

// Runs of a folder with the conditions of the baseline, and the baseline.
struct Drift
{
    int runs = 0;
    double most = 0; // the share by which the longest exceeds the shortest
};

// Files that cannot be read are left out.
Result<Drift> driftOf(const std::string& folder, const CompareOptions& options, const AllRuns& all)
{
    const Run& base = *all.runs[all.comparison.baseline];
    const auto duration = [](const Run& run) {
        return static_cast<double>(
            run.timeline.iterations[reportedIteration(run.timeline)].window.duration());
    };
    double least = duration(base), most = least;
    Drift drift{1, 0};
    if (std::error_code error; !fs::is_directory(folder, error))
        return fail(Error::Code::NotFound, "--earlier {}: no such folder", folder);
    for (const std::string& file : TRY(recordedFiles({folder}))) {
        std::error_code error;
        if (std::ranges::any_of(options.files, [&](const std::string& input) {
                return fs::equivalent(input, file, error);
            }))
            continue;
        const auto run = readRun(file);
        const auto point = run.and_then(
            [&base](const Run& earlier) { return historyPoint(base, &earlier, "iteration"); });
        if (!point || !point->change || !point->conditions.empty())
            continue;
        ++drift.runs;
        least = std::min(least, duration(*run));
        most = std::max(most, duration(*run));
    }
    drift.most = most / least - 1;
    constexpr int kFewest = 3;
    if (drift.runs < kFewest)
        return fail(Error::Code::NotFound,
                    "--earlier {}: {} of its runs have the conditions of the baseline, and two are "
                    "needed; record it more often",
                    folder, drift.runs - 1);
    return drift;
}

// Whether a run takes longer than the baseline by more than `percent`. An obstacle to comparing, or
// an interval that contains the limit, leaves it unclear. The drift, in percent, is on both sides
// of the interval.
Gate gateOf(const AllRuns& all, std::size_t run, double percent, double drift)
{
    const Comparison& comparison = all.comparison;
    using enum Gate::Result;
    const std::string pair
        = fmt::format("{} against {}: ", comparison.runs[run].label, comparison.base().label);
    const auto change = comparison.change("iteration", run);
    if (const std::string why
        = whyNoGate(comparison, *all.runs[comparison.baseline], *all.runs[run]);
        !why.empty() || !change)
        return {Unclear, pair + (why.empty() ? "their iterations have no common unit" : why)};
    const Amount& by = change->by;
    if (by.spread == Spread::Unknown)
        return {Unclear,
                pair
                    + "fewer than three iterations were measured, so their spread is "
                      "unknown"};
    const auto share = [&](double time) { return 100 * time / change->from; };
    const bool isExact = by.spread == Spread::Exact;
    const double least = share(isExact ? by.value : by.least) - drift,
                 most = share(isExact ? by.value : by.most) + drift;
    const auto result = least > percent ? Failed : most <= percent ? Passed : Unclear;
    return {result,
            fmt::format(
                "{}the iteration changes by {:+.1f} %{}: {} {:g} %", pair, share(by.value),
                isExact ? ""
                        : fmt::format(" ({} {:+.1f} to {:+.1f} %)",
                                      drift > 0 ? "95 % interval with the drift" : "95 % interval",
                                      least, most),
                result == Failed       ? "longer by more than"
                    : result == Passed ? "not longer by more than"
                                       : "it is unclear whether it is longer by more "
                                         "than",
                percent)};
}

// The gates of all runs but the baseline.
std::vector<Gate> gatesOf(const CompareOptions& options, const AllRuns& all, const Drift& drift)
{
    std::vector<Gate> gates;
    for (std::size_t run = 0; options.failAbove && run < all.runs.size(); ++run)
        if (run != all.comparison.baseline)
            gates.push_back(gateOf(all, run, *options.failAbove, 100 * drift.most));
    return gates;
}

Sheet comparisonSheet(const CompareOptions& options, const AllRuns& all,
                      const std::vector<Gate>& gates, const Drift& drift)
{
    std::vector<ReachedLoss> steps;
    for (std::size_t i = 0; all.goal && i < all.runs.size(); ++i)
        steps.push_back({all.comparison.runs[i].label, reached(*all.runs[i], *all.goal)});
    const auto& notes = all.comparison.notes;
    Sheet sheet;
    sheet.data("baseline", all.comparison.baseline);
    sheet.data("comparable", all.comparison.comparable);
    sheet.data("verdict", verdict(all.comparison).text());
    sheet.data("per_1000_tokens", all.comparison.isPerToken);
    sheet.data("measured_apart", all.comparison.isMeasuredApart);
    sheet.data("same_op_times", options.sameOpTimes);
    if (options.sameOpTimes)
        sheet.sentence("Simulated with the op times of " + all.comparison.base().label
                       + ": only the schedules differ.");
    sheet.data("notes", notes);
    sheet.data("loss_goal",
               all.goal ? Reading(Reading::Fields{{"loss", all.goal->loss},
                                                  {"window", all.goal->window},
                                                  {"tokens", all.goal->tokens}})
                        : Reading()); // null if a run has no losses
    sheet.data("runs", runData(options, all, steps));
    const auto runs = pointersTo(all.runs);
    addComparison(runs, all.comparison, sheet);
    sheet.data(
        "findings",
        findingsData(comparisonFindings(runs, all.comparison), all.comparison.base().ticksPerUnit));
    if (!options.loss.empty()) {
        const auto window = static_cast<std::int64_t>(all.goal->window);
        sheet.heading(fmt::format("Steps until the mean loss of {} {} is {:.3f}",
                                  window * std::max(all.goal->tokens, std::int64_t{1}),
                                  all.goal->tokens > 0 ? "tokens" : "micro-batches",
                                  all.goal->loss));
        sheet.table(Table(kSteps, steps));
    }
    Reading::List results;
    for (const Gate& gate : gates) {
        results.emplace_back(Reading::Fields{{"result", gate.name()}, {"sentence", gate.sentence}});
        sheet.sentence(gate.sentence);
    }
    if (drift.runs > 0)
        sheet.sentence(fmt::format("{} runs with these conditions differ by up to {:.1f} %",
                                   drift.runs, 100 * drift.most));
    else if (!gates.empty() && all.comparison.isMeasuredApart)
        sheet.sentence("the interval leaves out drift of the machine; --earlier FOLDER adds that "
                       "of earlier runs");
    if (!gates.empty())
        sheet.data("gates", results);
    if (drift.runs > 0)
        sheet.data("drift", Reading::Fields{{"runs", drift.runs}, {"share", drift.most}});
    return sheet;
}

// Writes the report, with the baseline first.
Result<void> writeReport(const CompareOptions& options, const AllRuns& all)
{
    if (options.html.empty())
        return {};
    std::vector<const Run*> runs = pointersTo(all.runs);
    std::swap(runs.front(), runs[options.baseline]);
    const std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    return htmlReport(runs).and_then([&](const std::string& page) {
        return saveFile(options.html, page, options.force ? IfExists::Replace : IfExists::Refuse,
                        inputs);
    });
}

Result<int> print(const CompareOptions& options)
{
    if (static_cast<std::size_t>(options.baseline) >= options.files.size())
        return invalid("--baseline {} is not an index of the {} runs; indices start at 0",
                       options.baseline, options.files.size());
    auto read = readAll(options);
    if (!read && options.failAbove) { // 1 would mean that an iteration became longer
        printError(fmt::format("bscope: {}\n", oneLine(read.error().message)));
        return Gate{Gate::Result::Unclear, {}}.status();
    }
    const AllRuns all = TRY(std::move(read));
    TRY(writeReport(options, all));
    Drift drift;
    if (!options.earlier.empty()) {
        auto known = driftOf(options.earlier, options, all);
        if (!known) {
            printError(fmt::format("bscope: {}\n", oneLine(known.error().message)));
            return Gate{Gate::Result::Unclear, {}}.status();
        }
        drift = *known;
    }
    const std::vector<Gate> gates = gatesOf(options, all, drift);
    cli::print(comparisonSheet(options, all, gates, drift), options.json);
    const auto is
        = [&](Gate::Result result) { return std::ranges::find(gates, result, &Gate::result); };
    const auto worst = is(Gate::Result::Failed) != gates.end() ? is(Gate::Result::Failed)
                                                               : is(Gate::Result::Unclear);
    return worst == gates.end() ? 0 : worst->status();
}
} // namespace

Action prepareCompare(CLI::App& app)
{
    const auto options = std::make_shared<CompareOptions>();
    app.add_option("RUN.sqlite", options->files, "Recorded runs")->expected(2, 64)->required();
    addOption(app, "--baseline K", options->baseline,
              "Index of the run that the others are compared with (default: 0)")
        ->check(between(0, 1000000));
    addOption(app, "--loss {best,X}", options->loss,
              "Also print the steps of each run to this loss in nats (best: the "
              "lowest that all runs reach)")
        ->check([](const std::string& text) {
            const bool fits = text == kBest || parseNumber(text).value_or(0) > 0;
            return fits ? std::string() : text + ": use best or a number above 0";
        });
    app.add_flag("--same-op-times", options->sameOpTimes,
                 "Compare simulations of all runs with the op times of the baseline, so that only "
                 "their schedules differ");
    auto* gate
        = app.add_option_function<std::string>(
                 "--fail-above",
                 [options](const std::string& text) { options->failAbove = percentOf(text); },
                 "For a nightly job: exit with 1 if an iteration is longer than the baseline's by "
                 "more "
                 "than this beyond doubt, with 3 if that is unclear")
              ->type_name("PERCENT%")
              ->check([](const std::string& text) {
                  return percentOf(text) ? std::string() : text + ": use a percentage, as in 3%";
              });
    addOption(app, "--earlier FOLDER", options->earlier,
              "Folder with earlier runs of the baseline: the share by which they differ is part of "
              "the doubt of --fail-above")
        ->needs(gate);
    auto* html = addOption(app, "--html FILE", options->html,
                           "Also write a report with figure and tables, one self-contained page");
    app.add_flag("--force", options->force, "Replace the report if it exists")->needs(html);
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
