#include "profiler/report/html_report.h"

#include "engine/base/try.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/words.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "profiler/report/html_page.h"
#include "profiler/report/html_table.h"
#include "profiler/report/run_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {
namespace {

using namespace engine;

// The figure of `bubblescope figure`, with strips of memory if all runs have recorded it.
Result<std::string> figureOf(std::span<const Run* const> runs)
{
    FigureOptions options;
    options.width = 15 * kPointsPerInch;
    options.fontSize = 11;
    options.memory
        = std::ranges::none_of(runs, [](const Run* run) { return run->timeline.memory.empty(); });
    const auto scene = layoutFigure(runs, options);
    if (!scene && scene.error().code == Error::Code::Unsupported) // too many ops for a page
        return fmt::format("<p>No figure: {}.</p>\n", markupText(scene.error().message));
    if (!scene)
        return tl::unexpected(scene.error());
    return "<figure>\n" + toSvg(*scene) + "</figure>\n";
}

std::string footer(const Run& run)
{
    return fmt::format("<footer>Bubblescope {}. Definitions of the numbers: ARCHITECTURE.md, "
                       "\u201CWhat every number means\u201D.</footer>\n",
                       markupText(run.info.program));
}

Result<std::string> runReport(const Run& run)
{
    const auto numbers = TRY(metrics(run));
    const Run* const runs[] = {&run};
    return figureOf(runs).map([&](const std::string& figure) {
        std::string title = fmt::format("{}, D = {}", run.info.label, run.schedule.shape.devices);
        if (knowsMicroBatches(run.info))
            title += fmt::format(", N = {}", run.schedule.shape.microBatches);
        return htmlPage(title,
                        fmt::format("<h1>{}</h1>\n<p>{}</p>\n", markupText(run.info.label),
                                    markupText(factsLine(run)))
                            + keyNumbers(run, numbers) + figure + deviceSection(run, numbers)
                            + bubbleSection(run, numbers) + memorySection(run, numbers)
                            + setupSection(run) + footer(run));
    });
}

std::string comparisonTable(std::span<const Run* const> runs, const Comparison& comparison)
{
    HtmlTable table({"Run", "Iteration", "Unit", "Compute", "Exposed communication", "Bubble",
                     "Bubble %", "Peak stash, M_a", "Peak memory", "Tokens/s", "Loss"});
    for (const ComparedRun& c : comparison.runs)
        table.add(
            {c.label, timeNumber(c.metrics.duration, c.ticksPerUnit), timeUnit(c.ticksPerUnit),
             meanNumber(c.meanCompute, c.ticksPerUnit), meanNumber(c.meanExposed, c.ticksPerUnit),
             meanNumber(c.meanBubble, c.ticksPerUnit),
             fmt::format("{:.1f}", 100 * c.metrics.bubbleRatio),
             c.peakStash ? unitNumber(*c.peakStash) : "-",
             c.peakBytes ? bytesText(*c.peakBytes) : "-",
             c.metrics.tokensPerSecond ? fmt::format("{:.0f}", *c.metrics.tokensPerSecond) : "-",
             c.lossLast ? fmt::format("{:.3f} \u2192 {:.3f}", *c.lossFirst, *c.lossLast) : "-"});
    std::string text = "<h2>Results</h2>\n" + table.text()
        + "<p>Compute, exposed communication and bubble are means over the devices.</p>\n";
    if (comparison.differences.empty())
        return text;
    std::vector<std::string> columns{"Run"};
    for (const Difference& one : comparison.differences)
        columns.push_back(one.title);
    HtmlTable differences(columns);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        std::vector<std::string> cells{comparison.runs[r].label};
        for (const Difference& one : comparison.differences)
            cells.push_back(one.values[r].empty() ? "-" : one.values[r]);
        differences.add(cells);
    }
    return text + "<h2>Set-up differences</h2>\n" + differences.text();
}

// Draws runs without a common unit of time in separate figures.
Result<std::string> figuresOf(std::span<const Run* const> runs, const Comparison& comparison)
{
    if (comparison.comparable)
        return figureOf(runs);
    std::string all;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const std::string figure = TRY(figureOf(runs.subspan(r, 1)));
        all += fmt::format("<h3>{}</h3>\n{}", markupText(comparison.runs[r].label), figure);
    }
    return all;
}

Result<std::string> comparisonReport(std::span<const Run* const> runs)
{
    const auto comparison = TRY(compare({runs.begin(), runs.end()}));
    const std::string figures = TRY(figuresOf(runs, comparison));
    std::string title, body;
    for (const ComparedRun& run : comparison.runs)
        title += (title.empty() ? "" : ", ") + run.label;
    body = fmt::format("<h1>Comparison</h1>\n<p>{}. Baseline: {}.</p>\n", markupText(title),
                       markupText(comparison.runs[comparison.baseline].label));
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (r != comparison.baseline)
            body += "<p>" + markupText(summarize(comparison, r)) + "</p>\n";
    for (const std::string& note : comparison.notes)
        body += "<p>Note: " + markupText(note) + ".</p>\n";
    body += figures + comparisonTable(runs, comparison);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const RunMetrics& numbers = comparison.runs[r].metrics;
        body += fmt::format("<details><summary>{}: {}</summary>\n",
                            markupText(comparison.runs[r].label), markupText(factsLine(*runs[r])))
            + keyNumbers(*runs[r], numbers) + deviceSection(*runs[r], numbers)
            + bubbleSection(*runs[r], numbers) + memorySection(*runs[r], numbers)
            + setupSection(*runs[r]) + "</details>\n";
    }
    return htmlPage("Comparison: " + title, body + footer(*runs.front()));
}

} // namespace

Result<std::string> htmlReport(std::span<const Run* const> runs)
{
    return runs.size() == 1 ? runReport(*runs.front()) : comparisonReport(runs);
}

} // namespace profiler
