#include "profiler/report/html_report.h"

#include "profiler/analysis/compare.h"
#include "profiler/analysis/words.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/svg.h"
#include "profiler/report/html_table.h"
#include "profiler/report/run_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {
namespace {

using namespace engine;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 Roboto, "Segoe UI", Helvetica, Arial, sans-serif; color: #1d232b;
  background: #fff; max-width: 1120px; margin: 32px auto; padding: 0 24px; }
h1 { font-size: 28px; margin: 0; } h2 { font-size: 19px; margin: 36px 0 8px; }
h3 { font-size: 15px; margin: 20px 0 6px; } p { margin: 6px 0; color: #4a5462; }
.numbers { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; }
.numbers div { border: 1px solid #d8dde4; border-radius: 6px; padding: 8px 16px; }
.numbers b { display: block; font-size: 21px; } .numbers span { color: #4a5462; font-size: 13px; }
.wide { overflow-x: auto; } figure { margin: 20px 0; } figure svg { width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { padding: 4px 12px; border-bottom: 1px solid #e4e8ed; text-align: right; }
th { font-weight: 500; } th:first-child, .text { text-align: left; }
thead th { color: #4a5462; border-bottom-color: #aab3bf; } .facts th { color: #4a5462; }
pre { background: #f4f6f8; padding: 10px 14px; border-radius: 6px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
footer { margin: 40px 0; font-size: 13px; color: #4a5462; }
@media print { body { margin: 0; max-width: none; } }
)";

// The policy stops a browser from loading anything, even if a text of the run was not escaped.
std::string page(const std::string& title, const std::string& body)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        markupText(title), kStyle, body);
}

// The figure of `bubblescope figure`, with strips of memory if all runs have recorded it.
Result<std::string> figureOf(std::span<const Run* const> runs)
{
    FigureOptions options;
    options.width = 15 * kPointsPerInch;
    options.fontSize = 11;
    options.memory
        = std::ranges::none_of(runs, [](const Run* run) { return run->timeline.memory.empty(); });
    return layoutFigure(runs, options).map([](const Scene& scene) {
        return "<figure>\n" + toSvg(scene) + "</figure>\n";
    });
}

std::string footer(const Run& run)
{
    return fmt::format("<footer>Bubblescope {}. Definitions of the numbers: ARCHITECTURE.md, "
                       "\u201CWhat every number means\u201D.</footer>\n",
                       markupText(run.info.program));
}

Result<std::string> runReport(const Run& run)
{
    const auto numbers = metrics(run);
    if (!numbers)
        return tl::unexpected(numbers.error());
    const Run* const runs[] = {&run};
    return figureOf(runs).map([&](const std::string& figure) {
        const std::string title
            = fmt::format("{}, D = {}, N = {}", run.info.label, run.schedule.shape.devices,
                          run.schedule.shape.microBatches);
        return page(title,
                    fmt::format("<h1>{}</h1>\n<p>{}</p>\n", markupText(run.info.label),
                                markupText(factsLine(run)))
                        + keyNumbers(run, *numbers) + figure + deviceSection(run, *numbers)
                        + bubbleSection(run, *numbers) + memorySection(run, *numbers)
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
             fmt::format("{:.1f}", 100 * c.metrics.bubbleRatio), unitNumber(c.peakStash),
             c.peakBytes ? bytesText(*c.peakBytes) : "-",
             c.metrics.tokensPerSecond ? fmt::format("{:.0f}", *c.metrics.tokensPerSecond) : "-",
             c.lossLast ? fmt::format("{:.3f} \u2192 {:.3f}", *c.lossFirst, *c.lossLast) : "-"});
    std::string text = "<h2>Results</h2>\n" + table.text()
        + "<p>Compute, exposed communication and bubble are means of the devices.</p>\n";
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
    return text + "<h2>Differences of the set-up</h2>\n" + differences.text();
}

// Runs without a common unit of time are drawn one by one.
Result<std::string> figuresOf(std::span<const Run* const> runs, const Comparison& comparison)
{
    if (comparison.comparable)
        return figureOf(runs);
    std::string all;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const auto figure = figureOf(runs.subspan(r, 1));
        if (!figure)
            return figure;
        all += fmt::format("<h3>{}</h3>\n{}", markupText(comparison.runs[r].label), *figure);
    }
    return all;
}

Result<std::string> comparisonReport(std::span<const Run* const> runs)
{
    const auto comparison = compare({runs.begin(), runs.end()});
    if (!comparison)
        return tl::unexpected(comparison.error());
    const auto figures = figuresOf(runs, *comparison);
    if (!figures)
        return figures;
    std::string title, body;
    for (const ComparedRun& run : comparison->runs)
        title += (title.empty() ? "" : ", ") + run.label;
    body = fmt::format("<h1>Comparison</h1>\n<p>{}. Baseline: {}.</p>\n", markupText(title),
                       markupText(comparison->runs[comparison->baseline].label));
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (r != comparison->baseline)
            body += "<p>" + markupText(summarize(*comparison, r)) + "</p>\n";
    for (const std::string& note : comparison->notes)
        body += "<p>Note: " + markupText(note) + ".</p>\n";
    body += *figures + comparisonTable(runs, *comparison);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const RunMetrics& numbers = comparison->runs[r].metrics;
        body += fmt::format("<details><summary>{}: {}</summary>\n",
                            markupText(comparison->runs[r].label), markupText(factsLine(*runs[r])))
            + keyNumbers(*runs[r], numbers) + deviceSection(*runs[r], numbers)
            + bubbleSection(*runs[r], numbers) + memorySection(*runs[r], numbers)
            + setupSection(*runs[r]) + "</details>\n";
    }
    return page("Comparison: " + title, body + footer(*runs.front()));
}

} // namespace

Result<std::string> htmlReport(std::span<const Run* const> runs)
{
    return runs.size() == 1 ? runReport(*runs.front()) : comparisonReport(runs);
}

} // namespace profiler
