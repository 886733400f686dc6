#include "profiler/analysis/compare.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_file.h"
#include "app/cli/text/run_json.h"
#include "app/cli/text/table.h"
#include "engine/base/field.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/analysis/loss_goal.h"
#include "profiler/analysis/words.h"
#include "profiler/report/html_report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;
using nlohmann::ordered_json;

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
    std::vector<const Run*> pointers;
    for (const Run& run : all.runs)
        pointers.push_back(&run);
    all.comparison = TRY(compare(pointers, static_cast<std::size_t>(options.baseline)));
    all.goal = options.loss.empty() || options.loss == kBest
        ? bestCommonLoss(pointers)
        : lossGoal(pointers, parseNumber(options.loss).value_or(0));
    if (!all.goal && !options.loss.empty())
        return fail(Error::Code::NotFound,
                    "--loss: not every run has losses; leave out simulated runs");
    return all;
}

// Returns a table of the iterations, updates and tokens that each run needed to reach the target
// loss.
std::string stepsText(const Runs& all)
{
    Table table({{"run", Table::Align::Left}, {"iterations"}, {"updates"}, {"tokens"}});
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        const auto steps = reached(all.runs[i], *all.goal);
        table.add({all.comparison.runs[i].label, steps ? std::to_string(steps->iterations) : "-",
                   steps ? std::to_string(steps->updates) : "-",
                   steps ? std::to_string(steps->tokens) : "-"});
    }
    return fmt::format("\nsteps until the mean loss of {1} micro-batches is {0:.3f}:\n{2}",
                       all.goal->loss, all.goal->window, table.text());
}

ordered_json stepsJson(const Run& run, const LossGoal& goal)
{
    const auto steps = reached(run, goal);
    if (!steps)
        return nullptr;
    return {{"iterations", steps->iterations},
            {"updates", steps->updates},
            {"micro_batches", steps->microBatches},
            {"tokens", steps->tokens}};
}

std::string lossCell(const ComparedRun& run)
{
    return run.lossLast ? fmt::format("{:.3f} -> {:.3f}", *run.lossFirst, *run.lossLast) : "-";
}

// Returns the settings that differ between the runs and have no column in the table.
std::vector<Difference> otherDifferences(const Comparison& comparison)
{
    std::vector<Difference> others = comparison.differences;
    std::erase_if(others, [](const Difference& one) {
        return one.title == "mode" || one.title == "D" || one.title == "N";
    });
    return others;
}

std::string asText(const CompareOptions& options, const Runs& all)
{
    std::vector<Table::Column> columns{{"run", Table::Align::Left},
                                       {"mode", Table::Align::Left},
                                       {"D"},
                                       {"N"},
                                       {"iteration"},
                                       {"95 % interval"},
                                       {"unit", Table::Align::Left},
                                       {"compute"},
                                       {"exposed"},
                                       {"bubble"},
                                       {"bubble %"},
                                       {"stash M_a"},
                                       {"peak"},
                                       {"tokens/s"},
                                       {"loss"}};
    const auto others = otherDifferences(all.comparison);
    for (const Difference& one : others)
        columns.push_back({one.title});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        const ComparedRun& c = all.comparison.runs[i];
        const Shape& shape = all.runs[i].schedule.shape;
        std::vector<std::string> cells{
            c.label,
            std::string(modeAdjective(c.mode)),
            std::to_string(shape.devices),
            knowsMicroBatches(all.runs[i].info) ? std::to_string(shape.microBatches) : "-",
            timeNumber(c.metrics.duration, c.ticksPerUnit),
            c.interval ? fmt::format("{} .. {}", timeNumber(c.interval->least, c.ticksPerUnit),
                                     timeNumber(c.interval->most, c.ticksPerUnit))
                       : "-",
            timeUnit(c.ticksPerUnit),
            meanNumber(c.meanCompute, c.ticksPerUnit),
            meanNumber(c.meanExposed, c.ticksPerUnit),
            meanNumber(c.meanBubble, c.ticksPerUnit),
            fmt::format("{:.1f}", 100 * c.metrics.bubbleRatio),
            c.peakStash ? unitNumber(*c.peakStash) : "-",
            c.peakBytes ? bytesText(*c.peakBytes) : "-",
            c.metrics.tokensPerSecond ? fmt::format("{:.0f}", *c.metrics.tokensPerSecond) : "-",
            lossCell(c)};
        for (const Difference& one : others)
            cells.push_back(one.values[i].empty() ? "-" : one.values[i]);
        table.add(std::move(cells));
    }
    std::string text
        = table.text() + "\ncompute, exposed communication and bubble: mean of the devices\n";
    // If the links differ, which include the mapping to nodes, the table has a column of them.
    const std::string& link = all.runs.front().info.link;
    if (!link.empty() && std::ranges::find(others, "link", &Difference::title) == others.end())
        text += "link: " + link + "\n";
    for (std::size_t i = 0; i < all.runs.size(); ++i)
        if (i != all.comparison.baseline)
            text += summarize(all.comparison, i) + "\n";
    if (!options.loss.empty())
        text += stepsText(all);
    for (const std::string& note : all.comparison.notes)
        text += "note: " + note + "\n";
    return text;
}

std::string asJson(const CompareOptions& options, const Runs& all)
{
    ordered_json runs = ordered_json::array();
    for (std::size_t i = 0; i < all.runs.size(); ++i) {
        ordered_json run{{"file", options.files[i]},
                         {"label", all.comparison.runs[i].label},
                         {"summary", summarize(all.comparison, i)}};
        for (const Difference& one : all.comparison.differences)
            run["differs"][one.title] = one.values[i];
        run.update(runJson(all.runs[i], all.comparison.runs[i].metrics));
        if (all.goal)
            run["steps_to_loss"] = stepsJson(all.runs[i], *all.goal);
        runs.push_back(run);
    }
    ordered_json goal; // stays null if a run has no losses
    if (all.goal)
        goal = {{"loss", all.goal->loss}, {"window", all.goal->window}};
    return jsonText({{"baseline", all.comparison.baseline},
                     {"comparable", all.comparison.comparable},
                     {"notes", all.comparison.notes},
                     {"loss_goal", goal},
                     {"runs", runs}});
}

// Writes the report, with the baseline first.
Result<void> writeReport(const CompareOptions& options, const Runs& all)
{
    if (options.html.empty())
        return {};
    std::vector<const Run*> runs;
    for (const Run& run : all.runs)
        runs.push_back(&run);
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
    printText(options.json ? asJson(options, all) : asText(options, all));
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
