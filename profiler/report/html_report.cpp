#include "profiler/report/html_report.h"

#include "engine/base/try.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "profiler/report/run_sheet.h"

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
    return fmt::format("<footer>Bubblescope {}. Definitions of the numbers: "
                       "bscope help numbers.</footer>\n",
                       markupText(run.info.program));
}

void addResults(const Run& run, const RunMetrics& numbers, Sheet& sheet)
{
    addDevices(run, numbers, sheet);
    addBubbles(run, numbers, sheet);
    addSetup(run, sheet);
}

void addFindings(std::span<const Finding> findings, Sheet& sheet)
{
    if (findings.empty())
        return;
    std::vector<std::vector<Reading>> rows;
    for (const Finding& finding : findings)
        rows.push_back({finding.sentence, textOrUnknown(finding.todo), finding.evidence});
    sheet.heading("Findings");
    sheet.table(Table({"finding", "what to do", "evidence"}, std::move(rows)));
}

Result<std::string> runReport(const Run& run, std::span<const Finding> findings)
{
    const auto numbers = TRY(metrics(run));
    const Run* const runs[] = {&run};
    return figureOf(runs).map([&](const std::string& figure) {
        Sheet sheet;
        sheet.markup("<h1>" + markupText(run.info.label) + "</h1>\n");
        sheet.sentence(runFacts(run));
        addSummary(run, numbers, sheet);
        sheet.markup(figure);
        addFindings(findings, sheet);
        addResults(run, numbers, sheet);
        return htmlPage(runHeading(run), sheet.html() + footer(run));
    });
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
    std::string title;
    for (const ComparedRun& run : comparison.runs)
        title += (title.empty() ? "" : ", ") + run.label;
    Sheet sheet;
    sheet.markup("<h1>Comparison</h1>\n");
    sheet.sentence(
        fmt::format("{}. Baseline: {}.", title, comparison.runs[comparison.baseline].label));
    sheet.markup(figures);
    addComparison(runs, comparison, sheet);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        sheet.markup(fmt::format("<details><summary>{}: {}</summary>\n",
                                 markupText(comparison.runs[r].label),
                                 markupText(runFacts(*runs[r]))));
        const auto own = TRY(metrics(*runs[r])); // with the peak FLOP/s of this run
        addSummary(*runs[r], own, sheet);
        addResults(*runs[r], own, sheet);
        sheet.markup("</details>\n");
    }
    return htmlPage("Comparison: " + title, sheet.html() + footer(*runs.front()));
}

} // namespace

Result<std::string> htmlReport(std::span<const Run* const> runs, std::span<const Finding> findings)
{
    return runs.size() == 1 ? runReport(*runs.front(), findings) : comparisonReport(runs);
}

} // namespace profiler
