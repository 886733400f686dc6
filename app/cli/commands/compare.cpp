#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/field.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/analysis/loss_goal.h"
#include "profiler/report/html_report.h"
#include "profiler/report/run_sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr std::string_view kBest = "best";

struct CompareOptions
{
    std::vector<std::string> files;
    int baseline = 0;
    bool json = false;
    std::string loss; // target loss: "best", a number, or ""
    std::string html; // file of the report; "": none
    bool force = false;
};

struct Runs
{
    std::vector<Run> runs;
    Comparison comparison;
    std::optional<LossGoal> goal;
};

std::vector<const Run*> pointersTo(const std::vector<Run>& runs)
{
    std::vector<const Run*> pointers;
    for (const Run& run : runs)
        pointers.push_back(&run);
    return pointers;
}

Result<Runs> readAll(const CompareOptions& options)
{
    Runs all;
    for (const std::string& file : options.files) {
        auto run = TRY(openRun(file));
        if (run.timeline.iterations.empty())
            return fail(Error::Code::NotFound,
                        file + ": no iteration was recorded; leave this run out");
        all.runs.push_back(std::move(run));
    }
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
    Measure<ReachedLoss>({"", "run", Unit::None, kColumn}, Of<&ReachedLoss::label>()),
    Measure<ReachedLoss>({"iterations", "iterations", Unit::None, kColumn},
                         step<&LossReached::iterations>),
    Measure<ReachedLoss>({"updates", "updates", Unit::None, kColumn}, step<&LossReached::updates>),
    Measure<ReachedLoss>({"micro_batches"}, step<&LossReached::microBatches>),
    Measure<ReachedLoss>({"tokens", "tokens", Unit::None, kColumn}, step<&LossReached::tokens>),
};

// The JSON of all runs. Those that did not reach the loss have no steps.
Reading runData(const CompareOptions& options, const Runs& all,
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
            = fields(runMeasures(), ReportedRun{all.runs[i], comparison.runs[i].metrics});
        std::ranges::copy(std::get<Reading::Fields>(measures.data), std::back_inserter(run));
        if (all.goal)
            run.emplace_back("steps_to_loss",
                             reachedLoss[i].steps ? fields(kSteps, reachedLoss[i]) : Reading());
        runs.emplace_back(std::move(run));
    }
    return runs;
}

Sheet comparisonSheet(const CompareOptions& options, const Runs& all)
{
    std::vector<ReachedLoss> steps;
    for (std::size_t i = 0; all.goal && i < all.runs.size(); ++i)
        steps.push_back({all.comparison.runs[i].label, reached(all.runs[i], *all.goal)});
    const auto& notes = all.comparison.notes;
    Sheet sheet;
    sheet.data("baseline", all.comparison.baseline);
    sheet.data("comparable", all.comparison.comparable);
    sheet.data("verdict", verdict(all.comparison).text());
    sheet.data("per_1000_tokens", all.comparison.isPerToken);
    sheet.data("measured_apart", all.comparison.isMeasuredApart);
    sheet.data("notes", Reading::List(notes.begin(), notes.end()));
    sheet.data(
        "loss_goal",
        all.goal ? Reading(Reading::Fields{{"loss", all.goal->loss}, {"window", all.goal->window}})
                 : Reading()); // null if a run has no losses
    sheet.data("runs", runData(options, all, steps));
    addComparison(pointersTo(all.runs), all.comparison, sheet);
    if (!options.loss.empty()) {
        sheet.heading(fmt::format("Steps until the mean loss of {} micro-batches is {:.3f}",
                                  all.goal->window, all.goal->loss));
        sheet.table(Table(kSteps, steps));
    }
    return sheet;
}

// Writes the report, with the baseline first.
Result<void> writeReport(const CompareOptions& options, const Runs& all)
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
        return fail(Error::Code::InvalidArgument,
                    fmt::format("--baseline {} is not an index of the {} runs; indices start at 0",
                                options.baseline, options.files.size()));
    const auto all = TRY(readAll(options));
    TRY(writeReport(options, all));
    cli::print(comparisonSheet(options, all), options.json);
    return 0;
}
} // namespace

Action prepareCompare(CLI::App& app)
{
    const auto options = std::make_shared<CompareOptions>();
    app.add_option("RUN.sqlite", options->files, "Recorded runs")->expected(2, 64)->required();
    app.add_option("--baseline", options->baseline,
                   "Index of the run that the others are compared with (default: 0)")
        ->type_name("K")
        ->check(between(0, 1000000));
    app.add_option("--loss", options->loss,
                   "Also print the steps of each run to this loss in nats per token (best: the "
                   "lowest that all runs reach)")
        ->type_name("{best,X}")
        ->check([](const std::string& text) {
            const bool fits = text == kBest || parseNumber(text).value_or(0) > 0;
            return fits ? std::string() : text + ": use best or a number above 0";
        });
    auto* html
        = app.add_option("--html", options->html,
                         "Also write a report with figure and tables, one self-contained page")
              ->type_name("FILE");
    app.add_flag("--force", options->force, "Replace the report if it exists")->needs(html);
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
