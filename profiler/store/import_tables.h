#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/store/table.h"

// The tables of a run that was imported from traces of another program.

namespace profiler {

inline constexpr std::string_view kImportedRuns = "imported runs";

struct SourceRow
{
    int row = 0;
    engine::ImportReport::Rank rank;
};
template<>
inline constexpr TableText kTableOf<SourceRow>{"BS_source", kImportedRuns,
                                               "The trace of each imported rank"};
void columns(SourceRow& row, auto&& column)
{
    column({"row", kId, "", "order of the ranks"}, row.row);
    column({"rank", kInteger, "", "rank in the traced job"}, row.rank.rank);
    column({"file", kText, "", "trace"}, row.rank.file);
    column({"host", kText, "", "empty: unknown"}, row.rank.host);
    column({"device_name", kText, "", "GPU; empty: unknown"}, row.rank.deviceName);
    column({"device", kMaybeInteger, "", "NULL: the run does not show the rank"}, row.rank.device);
    column({"place", kInteger, "", "in its pipeline; ranks of one place have the same stages"},
           row.rank.place);
    column({"work", kInteger, "ns", "median time of its ops in an iteration; 0: unknown"},
           row.rank.work);
}

struct ReportRow
{
    std::string section, name, text;
    std::optional<std::int64_t> count = {}, time = {};
    std::optional<double> value = {};
};
template<>
inline constexpr TableText kTableOf<ReportRow>{
    "BS_import_report", kImportedRuns, "How the traces were classified, and what remained unknown"};
void columns(ReportRow& row, auto&& column)
{
    column({"section", kText, "",
            "`rule left_out clock missing_rank warning`, or `job` for facts of the whole import"},
           row.section);
    column({"name", kText, "", "rule, host, reason or fact"}, row.name);
    column({"text", kText, "", "title of a rule, text of a warning or fact"}, row.text);
    column({"count", kMaybeInteger, "", "matches, pairs; the rank of `missing_rank`"}, row.count);
    column({"time", kMaybeInteger, "ns", "time of the matches; offset of a clock"}, row.time);
    column({"value", kMaybeReal, "",
            "confidence of a rule (3 high, 2 medium, 1 low), drift of a clock (ppm), fact"},
           row.value);
}

struct MatchRow
{
    engine::ImportReport::Match match;
};
template<>
inline constexpr TableText kTableOf<MatchRow>{
    "BS_import_match", kImportedRuns,
    "The kernels, copies or ops of the framework that each rule matches, at most the 1000 longest "
    "of a rule"};
void columns(MatchRow& row, auto&& column)
{
    engine::ImportReport::Match& match = row.match;
    column({"rule", kText, "", "`BS_import_report.name`; empty: no rule matches"}, match.rule);
    column({"name", kText, "", "kernel, copy or op of the framework"}, match.name);
    column({"device", kMaybeInteger, "", "NULL: the run does not show the rank"}, match.device);
    column({"op", kMaybeInteger, "", "`BS_schedule.op`; NULL: belongs to no op"}, match.op);
    column({"iteration", kMaybeInteger, "",
            "`BS_iteration.iteration`; NULL: outside of all iterations"},
           match.iteration);
    column({"begin", kInteger, "tick"}, match.window.begin);
    column({"end", kInteger, "tick"}, match.window.end);
}

engine::Result<void> writeImport(Database& database,
                                 const std::optional<engine::ImportReport>& report);
engine::Result<std::optional<engine::ImportReport>> readImport(Database& database);

} // namespace profiler
