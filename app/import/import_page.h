#pragma once

#include "app/documents/run_document.h"
#include "app/shell/page.h"
#include "app/ui/table_model.h"
#include "engine/timeline/import_report.h"

namespace app {

// A kernel or op that a rule matches, with the texts that are shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label{}, op{};          // short name of the match; name of the op to which it belongs
    std::optional<int> iteration{}; // number of the iteration
    std::optional<std::int64_t> begin{}; // ns since the start of the iteration
};

// Returns the matches of a rule ("": of no rule), longest first. Leaves out those whose indices are
// not valid in `run`, an imported run.
std::vector<ImportMatch> importMatches(const engine::Run& run, const std::string& rule);
std::vector<TableColumn<ImportMatch>> matchColumns(const engine::RunInfo& info,
                                                   const std::vector<ImportMatch>& matches);
QString coverageTitle(const engine::ImportReport& report); // "97.4 % of GPU time classified"

// A page that imports the traces of one job, given as files or folders, and then shows the report
// of the import: sources and ranks, coverage by rule with the matches of the selected rule, clocks,
// replay check, what was left out, and an iteration in which the matches are outlined. The user can
// try rules of their own (TOML; "": none).
Page* makeImport(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                 const QString& rules = {});
// The page with the report of a run that was imported earlier.
Page* makeImport(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
