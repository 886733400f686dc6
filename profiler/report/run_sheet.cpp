#include "profiler/report/run_sheet.h"

#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/ranking.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

std::string outcomeText(const RunInfo& info)
{
    switch (info.outcome) {
    case Outcome::Finished:
        return {};
    case Outcome::Running:
        return " (not finished: running or killed)";
    case Outcome::Cancelled:
        return " (cancelled)";
    case Outcome::Failed:
        break;
    }
    return " (failed: " + info.failure + ")";
}

// "bubbles by cause, all devices: fill 13.8 ms (16.0 %), wait 47.6 ms (55.2 %), drain ..."
std::string causesText(const Run& run, const std::vector<Bubble>& bubbles)
{
    EnumArray<Bubble::Kind, std::int64_t, 3> sums{};
    std::int64_t all = 0;
    for (const Bubble& bubble : bubbles) {
        sums[bubble.kind] += bubble.window.duration();
        all += bubble.window.duration();
    }
    std::string text = "bubbles by cause, all devices:";
    for (const Bubble::Kind kind : sums.enumerators())
        text += fmt::format("{} {} {} ({})", kind == Bubble::Kind::Fill ? "" : ",",
                            bubbleKindName(kind), timeText(sums[kind], run.info.ticksPerUnit),
                            shareText(ratio(sums[kind], all)));
    return text;
}

// "critical path: 31 ops, Forward 26.8 ms, Backward 47.1 ms, idle 2.0 ms"
std::string pathText(const Run& run, const OpIndex& index, const std::vector<CauseLink>& path)
{
    if (path.empty())
        return {};
    EnumArray<OpKind, std::int64_t, kOpKinds> byKind{};
    std::int64_t idle = path.back().window.end - path.front().window.begin;
    for (const CauseLink& link : path) {
        byKind[opAt(run.schedule, index, link.op).kind] += link.window.duration();
        idle -= link.window.duration();
    }
    std::string text = fmt::format("critical path: {} ops", path.size());
    const auto add = [&](std::string_view what, std::int64_t ticks) {
        if (ticks > 0)
            text += fmt::format(", {} {}", what, timeText(ticks, run.info.ticksPerUnit));
    };
    for (const OpKind kind : byKind.enumerators())
        add(kindTitle(kind), byKind[kind]);
    add("idle", idle);
    return text;
}

} // namespace

std::string runHeading(const Run& run)
{
    return run.info.label + ", " + runFacts(run);
}

std::string runFacts(const Run& run)
{
    const Shape& shape = run.schedule.shape;
    const RunInfo& info = run.info;
    std::string text = fmt::format("{}: D = {}", modeDescription(info), shape.devices);
    text += knowsMicroBatches(info) ? fmt::format(", N = {}", shape.microBatches)
                                    : ", micro-batches unknown";
    text += knowsStages(info) ? fmt::format(", v = {}", shape.chunks()) : ", stages unknown";
    if (shape.dataParallel > 1)
        text += fmt::format(", W = {} copies (the first is shown)", shape.dataParallel);
    if (!info.model.empty())
        text += ", model " + info.model;
    if (!info.precision.empty())
        text += " in " + info.precision;
    if (!info.link.empty())
        text += ", link " + info.link;
    return text + outcomeText(info);
}

void addSummary(const Run& run, const RunMetrics& metrics, Sheet& sheet)
{
    sheet.summary(facts(runMeasures(), ReportedRun{run, metrics}));
    for (const std::string& warning : importWarnings(run))
        sheet.sentence("note: " + warning);
}

void addDevices(const Run& run, const RunMetrics& metrics, Sheet& sheet)
{
    const auto devices = reportedDevices(run, metrics);
    sheet.heading("Devices");
    sheet.table(Table(deviceMeasures(), devices));
    if (std::ranges::any_of(metrics.devices,
                            [](const auto& d) { return d.peakBytes.has_value(); })) {
        sheet.heading("Memory at the peak of each device");
        sheet.table(Table(deviceMeasures(), devices, kMemory));
    }
    if (!run.info.gpuMemory.empty()) {
        sheet.heading("Memory of the GPUs at the end, by owner");
        sheet.table(Table(gpuMemoryMeasures(), run.info.gpuMemory));
        sheet.sentence(memoryNote(run.info.gpuMemory));
    }
}

void addBubbles(const Run& run, const RunMetrics& metrics, Sheet& sheet)
{
    if (const std::string why = whyUnknown(run.info); !why.empty()) {
        sheet.data("bubbles", Reading());
        sheet.data("critical_path", Reading());
        return;
    }
    constexpr std::size_t kMost = 10;
    const Explainer explainer(run, metrics.iteration);
    const OpIndex index(run.schedule);
    std::vector<Bubble> bubbles = explainer.bubbles();
    const auto table = [&run, index](const std::vector<Bubble>& of) {
        std::vector<ReportedBubble> subjects;
        for (const Bubble& bubble : of)
            subjects.push_back({run, index, bubble});
        return Table(bubbleMeasures(), subjects);
    };
    sheet.data("bubbles", bubbles.size(), [&run, index, bubbles](std::size_t b) {
        return fields(bubbleMeasures(), ReportedBubble{run, index, bubbles[b]});
    });
    const auto path = explainer.criticalPath();
    sheet.data("critical_path", opList(run, index, path));
    sheet.heading("Longest bubbles");
    if (bubbles.empty())
        return sheet.sentence("No device was idle.");
    const std::string causes = causesText(run, bubbles);
    std::ranges::stable_sort(bubbles, std::greater<>(),
                             [](const Bubble& bubble) { return bubble.window.duration(); });
    bubbles.resize(std::min(bubbles.size(), kMost));
    sheet.table(table(bubbles));
    sheet.sentence(causes);
    sheet.sentence(pathText(run, index, path));
}

void addSetup(const Run& run, Sheet& sheet)
{
    const RunInfo& info = run.info;
    const std::string peak = info.peakFlops > 0
        ? fmt::format("{:.4g} per device{}", info.peakFlops,
                      info.peakSource.empty() ? "" : ", " + info.peakSource)
        : "";
    std::vector<std::vector<Reading>> rows;
    for (const auto& [title, text] :
         {std::pair("Scheme", info.label), std::pair("Mode", modeDescription(info)),
          std::pair("Evidence", evidenceText(run)), std::pair("Model", info.model),
          std::pair("Device", info.deviceName), std::pair("Host", info.hostName),
          std::pair("Timing", info.timing), std::pair("Links", info.link),
          std::pair("Transport", info.transport), std::pair("Peak FLOP/s", peak),
          std::pair("Clocks", clockText(info.machine.clocks)), std::pair("Started", info.started),
          std::pair("Program", info.program)})
        if (!text.empty())
            rows.push_back({title, text});
    sheet.heading("Set-up", Sheet::For::Html);
    sheet.table(Table({"Setting", "Value"}, std::move(rows)), {}, Sheet::For::Html);
    if (!info.command.empty())
        sheet.markup("<pre>" + markupText(info.command) + "</pre>\n");
    if (!info.experiment.empty())
        sheet.markup("<details><summary>Experiment (TOML)</summary><pre>"
                     + markupText(info.experiment) + "</pre></details>\n");
}

Table comparedRuns(std::span<const Run* const> runs, const Comparison& comparison)
{
    std::vector<ReportedRun> subjects;
    std::vector<std::string> labels;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        subjects.push_back({*runs[r], comparison.runs[r].metrics});
        labels.push_back(comparison.runs[r].label);
    }
    Table table(runMeasures(), subjects, kColumn | kCompared);
    constexpr std::array<std::string_view, 4> kHaveColumns{"mode", "D", "N", "v"};
    table.insert(0, "run", labels);
    for (const Difference& one : comparison.differences)
        if (std::ranges::find(kHaveColumns, one.title) == kHaveColumns.end())
            table.insert(table.columns.size(), one.title, one.values);
    return table;
}

namespace {

constexpr std::array kSpreads{"exact", "interval", "unknown"};

// An amount of a measure, in the ticks of the baseline.
Reading readingOf(double amount, const MeasureInfo& measure, const Comparison& comparison)
{
    Reading value(amount);
    if (measure.unit == Unit::Time)
        value.ticksPerUnit = comparison.base().ticksPerUnit;
    return value;
}

std::string signedText(double amount, const MeasureInfo& measure, const Comparison& comparison)
{
    const std::string text = cellText(readingOf(std::abs(amount), measure, comparison), measure);
    const bool isZero = text.find_first_of("123456789") == std::string::npos;
    return (isZero ? "" : amount < 0 ? "-" : "+") + text;
}

// "-14.1 (-16.8 to -10.5)"
std::string changeText(const Change& of, const MeasureInfo& measure, const Comparison& comparison)
{
    const auto text = [&](double amount) { return signedText(amount, measure, comparison); };
    const std::string spread = of.by.spread == Spread::Interval
        ? text(of.by.least) + " to " + text(of.by.most)
        : of.by.spread == Spread::Exact ? "exact"
                                        : "spread unknown";
    return fmt::format("{} ({})", text(of.by.value), spread);
}

// A row for each number and a column for each run but the baseline.
Table differenceTable(const Comparison& comparison)
{
    std::vector<std::string> titles{"difference from " + comparison.base().label};
    for (std::size_t r = 0; r < comparison.runs.size(); ++r)
        if (r != comparison.baseline)
            titles.push_back(comparison.runs[r].label);
    std::vector<std::vector<Reading>> rows;
    for (const MeasureInfo& measure : runMeasures()) {
        const std::string unit = unitText(measure.unit, comparison.base().ticksPerUnit);
        std::vector<Reading> row{lowered(measure.title) + (unit.empty() ? "" : ", " + unit)};
        bool isKnown = false;
        for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
            const auto of = comparison.change(measure.key, r);
            isKnown = isKnown || of;
            if (r != comparison.baseline)
                row.emplace_back(of ? changeText(*of, measure, comparison) : "-");
        }
        if (isKnown)
            rows.push_back(std::move(row));
    }
    return {titles, std::move(rows)};
}

} // namespace

Reading differenceData(const Comparison& comparison, std::size_t run)
{
    Reading::Fields all;
    for (const MeasureInfo& measure : runMeasures())
        if (const auto of = comparison.change(measure.key, run)) {
            const auto value
                = [&](double amount) { return readingOf(amount, measure, comparison); };
            all.emplace_back(
                measure.key,
                Reading::Fields{
                    {"by", value(of->by.value)},
                    {"share", of->share()},
                    {"spread", kSpreads[static_cast<std::size_t>(of->by.spread)]},
                    {"interval",
                     of->by.spread == Spread::Interval
                         ? Reading(Reading::List{value(of->by.least), value(of->by.most)})
                         : Reading()},
                    {"distinguishable",
                     of->by.spread == Spread::Unknown ? Reading()
                                                      : Reading(of->isDistinguishable())}});
        }
    return all;
}

void addComparison(std::span<const Run* const> runs, const Comparison& comparison, Sheet& sheet)
{
    const Verdict first = verdict(comparison);
    sheet.heading("Results", Sheet::For::Html);
    sheet.sentence(first.text());
    sheet.table(comparedRuns(runs, comparison));
    sheet.sentence("compute, exposed communication and bubble: mean of the devices");
    // If the links differ, which include the mapping to nodes, the table has a column of them.
    const std::string& link = runs.front()->info.link;
    const auto& differences = comparison.differences;
    if (!link.empty()
        && std::ranges::find(differences, "link", &Difference::title) == differences.end())
        sheet.sentence("link: " + link);
    if (comparison.isPerToken)
        sheet.sentence("differences of times: per 1000 tokens");
    sheet.table(differenceTable(comparison));
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (r != comparison.baseline && (r != first.run || first.other != comparison.baseline))
            sheet.sentence(summarize(comparison, r));
    for (const std::string& note : comparison.notes)
        sheet.sentence("note: " + note);
    if (comparison.isMeasuredApart)
        sheet.sentence("note: the runs did not take turns, so intervals leave out drift of the "
                       "machine; bscope run --rounds interleaves runs");
}

namespace {

// The figure of `bubblescope figure`, with strips of memory if all runs have recorded it.
Result<std::string> figureOf(std::span<const Run* const> runs)
{
    FigureOptions options;
    options.width = 15 * kPointsPerInch;
    options.pageHeight = 0; // the page scrolls
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
