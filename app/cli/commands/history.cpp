#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/analysis/compare.h"
#include "profiler/figure/scene.h"
#include "profiler/report/sheet.h"
#include "profiler/store/trace_store.h"
#include "profiler/study/chart_kit.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;
namespace fs = std::filesystem;

namespace {

struct HistoryOptions
{
    std::vector<std::string> inputs;
    std::string measure = "iteration";
    bool json = false;
    OutputOptions output;
};

struct SkippedFile
{
    std::string file, reason;
};

struct HistoryRow
{
    const MeasureInfo& measure;
    std::string file, started, label; // started: ISO 8601; "" if unknown
    std::int64_t ticksPerUnit = 1;
    HistoryPoint point;

    // An amount in the unit of the measure; its interval is beside it.
    Reading reading(const std::optional<Amount>& amount) const
    {
        const bool isWhole = measure.unit == Unit::Time || measure.unit == Unit::Bytes;
        if (!amount)
            return {};
        Reading value = isWhole ? Reading(std::llround(amount->value)) : Reading(amount->value);
        if (measure.unit == Unit::Time)
            value.ticksPerUnit = ticksPerUnit;
        return value;
    }
    Reading bounds(const std::optional<Amount>& amount) const
    {
        if (!amount || amount->spread != Spread::Interval)
            return {};
        return Reading::List{reading(Amount{amount->least}), reading(Amount{amount->most})};
    }
    std::string text(const std::optional<Amount>& amount) const
    {
        return amount ? readingText(reading(amount), measure) : "-";
    }
    std::string interval(const std::optional<Amount>& amount) const
    {
        const auto end = [&](double value) { return cellText(reading(Amount{value}), measure); };
        return amount && amount->spread == Spread::Interval
            ? fmt::format("{} .. {}", end(amount->least), end(amount->most))
            : "-";
    }
    std::optional<Amount> change() const
    {
        return point.change ? std::optional(point.change->by) : std::nullopt;
    }
    std::string verdict() const
    {
        return !point.whyUnknown.empty()                 ? "unknown: " + point.whyUnknown
            : !point.conditions.empty()                  ? "other conditions: " + point.conditions
            : !point.change                              ? ""
            : point.change->by.spread == Spread::Unknown ? "spread unknown"
            : point.change->isDistinguishable()          ? "changed"
                                                         : "not distinguishable";
    }
};
using H = HistoryRow;

struct History
{
    const Measure<ReportedRun>* measure = nullptr;
    std::vector<HistoryRow> rows;
    std::vector<SkippedFile> skipped;
};

Result<const Measure<ReportedRun>*> measureNamed(const std::string& key)
{
    const auto all = historyMeasures();
    std::vector<std::string_view> keys;
    for (const auto* measure : all) {
        if (measure->key == key)
            return measure;
        keys.push_back(measure->key);
    }
    return invalid("--measure {}: no such number; {}", key, didYouMean(key, keys));
}

// Reads the beginning of every file and sorts the files by the start of their runs.
std::multiset<std::pair<std::string, std::string>> sorted(const std::vector<std::string>& files,
                                                          std::vector<SkippedFile>& skipped)
{
    std::multiset<std::pair<std::string, std::string>> all; // start and file
    for (const std::string& file : files) {
        Run run;
        const auto read = TraceReader::open(file).and_then(
            [&](TraceReader reader) { return reader.pollChunk(run); });
        if (read)
            all.emplace(run.info.started, file);
        else
            skipped.push_back({file, read.error().message});
    }
    return all;
}

Result<History> readHistory(const HistoryOptions& options)
{
    History history{TRY(measureNamed(options.measure)), {}, {}};
    const auto files = TRY(recordedFiles(options.inputs));
    std::optional<Run> before;
    for (const auto& [started, file] : sorted(files, history.skipped)) {
        auto run = openRun(file);
        const auto point = run.and_then([&](const Run& read) {
            return historyPoint(read, before ? &*before : nullptr, options.measure);
        });
        if (!point) {
            history.skipped.push_back({file, point.error().message});
            continue;
        }
        history.rows.push_back(
            {*history.measure, file, started, run->info.label, run->info.ticksPerUnit, *point});
        before = *std::move(run);
    }
    if (history.rows.empty())
        return fail(Error::Code::NotFound, "no run can be read: {}: {}",
                    history.skipped.front().file, history.skipped.front().reason);
    return history;
}

constexpr std::array kHistoryRow{
    Measure(column("started"), [](const H& r) { return textOrUnknown(r.started); }),
    Measure(column("label", "run"), [](const H& r) { return r.label; }),
    Measure(column("file"), [](const H& r) { return r.file; }),
    Measure({"unit"}, // of times; other numbers have the unit of the measure
            [](const H& r) {
                return r.measure.unit != Unit::Time ? Reading()
                    : r.ticksPerUnit == 1           ? Reading("ns")
                                                    : Reading("forward");
            }),
    Measure({"value"}, [](const H& r) { return r.reading(r.point.value); }),
    Measure({"reason"}, [](const H& r) { return textOrUnknown(r.point.whyUnknown); }),
    Measure({"interval"}, [](const H& r) { return r.bounds(r.point.value); }),
    Measure({"change"}, [](const H& r) { return r.reading(r.change()); }),
    Measure({"change_interval"}, [](const H& r) { return r.bounds(r.change()); }),
    Measure({"change_share"},
            [](const H& r) {
                return r.point.change && r.point.change->from != 0
                    ? Reading(r.point.change->share())
                    : Reading();
            }),
    Measure({"distinguishable"},
            [](const H& r) {
                return r.point.change && r.point.change->by.spread != Spread::Unknown
                    ? Reading(r.point.change->isDistinguishable())
                    : Reading();
            }),
    Measure({"conditions"}, [](const H& r) { return textOrUnknown(r.point.conditions); }),
};

Table tableOf(const std::vector<HistoryRow>& rows)
{
    Table table(kHistoryRow, rows);
    const auto add = [&](const std::string& title, auto text) {
        std::vector<std::string> cells;
        std::ranges::transform(rows, std::back_inserter(cells), text);
        table.insert(table.columns.size(), title, cells);
    };
    add(lowered(rows.front().measure.title),
        [](const H& row) { return row.text(row.point.value); });
    add("95 % interval", [](const H& row) { return row.interval(row.point.value); });
    add("change", [](const H& row) { return row.text(row.change()); });
    add("%", [](const H& row) {
        const auto& change = row.point.change;
        return change ? fmt::format("{:+.1f}", 100 * change->share()) : "-";
    });
    add("against the run before", [](const H& row) { return row.verdict(); });
    return table;
}

Sheet historySheet(const History& history)
{
    const Table table = tableOf(history.rows);
    Sheet sheet;
    sheet.data("measure", history.measure->key);
    sheet.data("title", history.measure->title);
    sheet.data("runs", table.json());
    sheet.table(table);
    if (std::ranges::any_of(history.rows,
                            [](const HistoryRow& row) { return row.point.isMeasuredApart; }))
        sheet.sentence("The runs were recorded apart: drift of the machine between them is not in "
                       "the intervals.");
    Reading::List skipped;
    for (const SkippedFile& one : history.skipped) {
        skipped.emplace_back(Reading::Fields{{"file", one.file}, {"reason", one.reason}});
        sheet.sentence(fmt::format("skipped: {}: {}", one.file, oneLine(one.reason)));
    }
    sheet.data("skipped", skipped);
    return sheet;
}

// The factor from the unit of the measure to that of the chart.
double chartScale(const MeasureInfo& measure, std::int64_t ticksPerUnit)
{
    constexpr double kMebibyte = 1 << 20;
    return measure.unit == Unit::Time ? (ticksPerUnit == 1 ? 1e-6 : 1.0 / ticksPerUnit)
        : measure.unit == Unit::Share ? 100
        : measure.unit == Unit::Bytes ? 1 / kMebibyte
                                      : 1;
}

Result<std::string> chart(const History& history)
{
    const MeasureInfo& measure = *history.measure;
    std::vector<HistoryMark> marks;
    for (const HistoryRow& row : history.rows) {
        if ((row.ticksPerUnit == 1) != (history.rows.front().ticksPerUnit == 1))
            return invalid("-o: some runs are in abstract units and others in ms; draw them apart");
        const auto& value = row.point.value;
        if (!value)
            continue;
        const double scale = chartScale(measure, row.ticksPerUnit);
        const bool hasInterval = value->spread == Spread::Interval;
        marks.push_back({row.started.substr(0, 10), scale * value->value,
                         scale * (hasInterval ? value->least : value->value),
                         scale * (hasInterval ? value->most : value->value),
                         row.point.change.has_value(),
                         row.point.change && row.point.change->isDistinguishable()});
    }
    const std::string unit = measure.unit == Unit::Bytes
        ? "MiB"
        : unitText(measure.unit, history.rows.front().ticksPerUnit);
    return toSvg(
        drawHistory(marks, std::string(measure.title) + (unit.empty() ? "" : ", " + unit)).scene);
}

Result<int> print(const HistoryOptions& options)
{
    const auto history = TRY(readHistory(options));
    if (!options.output.file.empty())
        TRY(chart(history).and_then(
            [&](const std::string& svg) { return writeOutput(options.output, svg); }));
    cli::print(historySheet(history), options.json);
    return 0;
}

} // namespace

Action prepareHistory(CLI::App& app)
{
    const auto options = std::make_shared<HistoryOptions>();
    app.add_option("FOLDER|RUN.sqlite", options->inputs, "Recorded runs, or folders with runs")
        ->expected(1, -1)
        ->required();
    addOption(app, "--measure KEY", options->measure,
              "Number to follow, by its key in JSON (default: iteration)");
    app.add_flag("--json", options->json, "Print JSON");
    addOutputOptions(app, options->output, "Also draw the number of all runs", "FILE.svg");
    return [options] { return print(*options); };
}

} // namespace cli
