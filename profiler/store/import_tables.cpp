#include "profiler/store/import_tables.h"

#include "engine/base/try.h"
#include "profiler/store/row_tables.h"

#include <array>

namespace profiler {

using engine::ImportReport;
using engine::Result;

namespace {
constexpr std::array<std::string_view, 4> kConfidences{"", "low", "medium", "high"};

// "" for NaN, which a damaged file may have.
std::string_view confidenceOf(double level)
{
    std::size_t index = 0;
    while (index + 1 < kConfidences.size() && level >= static_cast<double>(index + 1))
        ++index;
    return kConfidences[index];
}
constexpr std::int64_t kMostReportRows = 100000;

// Calls `fact(name, field)` for each field of the report that describes the import as a whole. Both
// writing and reading use it.
void facts(auto& report, auto&& fact)
{
    fact("program", report.program);
    fact("iterations_from", report.iterationsFrom);
    fact("kernels", report.kernels);
    fact("on_gpu", report.onGpu);
    fact("time", report.time);
    fact("stages_known", report.stagesKnown);
    fact("micro_batches_known", report.microBatchesKnown);
    fact("tensor_parallel", report.tensorParallel);
    fact("context_parallel", report.contextParallel);
    fact("replay_error", report.replayError);
    fact("lack", report.lack);
    fact("clocks_known", report.clocksKnown);
    fact("work_known", report.workKnown);
}

// The field of a row that stores a fact.
auto& valueOf(auto& row, const std::string& /*fact*/)
{
    return row.text;
}
auto& valueOf(auto& row, std::int64_t /*fact*/)
{
    return row.count;
}
auto& valueOf(auto& row, const std::optional<double>& /*fact*/)
{
    return row.value;
}

std::vector<ReportRow> rowsOf(const ImportReport& report)
{
    std::vector<ReportRow> rows;
    facts(report, [&](std::string_view name, const auto& field) {
        rows.push_back({"job", std::string(name), ""});
        valueOf(rows.back(), field) = field;
    });
    for (const ImportReport::Rule& rule : report.rules) {
        const auto level = std::ranges::find(kConfidences, rule.confidence) - kConfidences.begin();
        rows.push_back(
            {"rule", rule.name, rule.title, rule.matches, rule.time, static_cast<double>(level)});
    }
    for (const ImportReport::LeftOut& one : report.leftOut)
        rows.push_back({"left_out", one.what, "", one.count, one.time});
    for (const ImportReport::Clock& clock : report.clocks) {
        rows.push_back({"clock", clock.host, "", clock.pairs, clock.offset, clock.drift});
        rows.push_back({"clock_spread", clock.host, "", {}, clock.spread});
    }
    for (const int rank : report.missingRanks)
        rows.push_back({"missing_rank", "", "", rank});
    for (const std::string& warning : report.warnings)
        rows.push_back({"warning", "", warning});
    return rows;
}

template<class Field>
void takeFact(const ReportRow& row, Field& field)
{
    if constexpr (std::integral<Field>)
        field = static_cast<Field>(row.count.value_or(0));
    else
        field = valueOf(row, field);
}

void take(ReportRow& row, ImportReport& report)
{
    if (row.section == "job")
        facts(report, [&](std::string_view name, auto& field) {
            if (name == row.name)
                takeFact(row, field);
        });
    else if (row.section == "rule")
        report.rules.push_back({row.name, row.text,
                                std::string(confidenceOf(row.value.value_or(0))),
                                row.count.value_or(0), row.time.value_or(0)});
    else if (row.section == "left_out")
        report.leftOut.push_back({row.name, row.count.value_or(0), row.time.value_or(0)});
    else if (row.section == "clock")
        report.clocks.push_back({row.name, row.time.value_or(0), row.value.value_or(0), 0,
                                 static_cast<int>(std::clamp<std::int64_t>(row.count.value_or(0), 0,
                                                                           kMostReportRows))});
    else if (row.section == "clock_spread" && !report.clocks.empty())
        report.clocks.back().spread = row.time.value_or(0);
    else if (row.section == "missing_rank")
        report.missingRanks.push_back(
            static_cast<int>(std::clamp<std::int64_t>(row.count.value_or(0), 0, 1'000'000)));
    else if (row.section == "warning")
        report.warnings.push_back(std::move(row.text));
}

// Limits texts, because they are shown in labels.
bool fits(std::initializer_list<const std::string*> texts)
{
    constexpr std::size_t kMostText = 4096;
    return std::ranges::all_of(texts,
                               [](const std::string* text) { return text->size() <= kMostText; });
}

bool isPossible(const ImportReport::Match& match)
{
    return isWindow(match.window) && match.device.value_or(0) >= 0
        && match.iteration.value_or(0) >= 0;
}

} // namespace

Result<void> writeImport(Database& database, const std::optional<ImportReport>& report)
{
    if (!report)
        return {};
    std::vector<SourceRow> sources;
    for (const ImportReport::Rank& rank : report->ranks)
        sources.push_back({static_cast<int>(sources.size()), rank});
    std::vector<MatchRow> matches;
    for (const ImportReport::Match& match : report->matches)
        matches.push_back({match});
    return addRows(database, sources)
        .and_then([&] { return addRows(database, rowsOf(*report)); })
        .and_then([&] { return addRows(database, matches); });
}

Result<std::optional<ImportReport>> readImport(Database& database)
{
    const auto isImported = TRY(hasTable(database, kTableOf<SourceRow>.name));
    if (!isImported)
        return std::nullopt;
    ImportReport report;
    const std::string some = fmt::format("LIMIT {}", kMostReportRows);
    TRY(forEachRow<SourceRow>(database, "ORDER BY row " + some, [&](SourceRow& row) {
        report.ranks.push_back(row.rank);
        return fits({&row.rank.file, &row.rank.host, &row.rank.deviceName});
    }));
    TRY(forEachRowIfAny<ReportRow>(database, "ORDER BY rowid " + some, [&](ReportRow& row) {
        take(row, report);
        return fits({&row.section, &row.name, &row.text});
    }));
    TRY(forEachRowIfAny<MatchRow>(database, "ORDER BY rowid " + some, [&](MatchRow& row) {
        report.matches.push_back(row.match);
        return fits({&row.match.rule, &row.match.name}) && isPossible(row.match);
    }));
    return report;
}

} // namespace profiler
