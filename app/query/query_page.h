#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/data_table.h"
#include "app/ui/theme.h"
#include "profiler/store/query.h"

#include <memory>
#include <vector>

namespace app {

// A table of the rows of a query, as SQLite returned them. NULL is shown as "NULL" in the colour of
// hints. Long texts are cut.
using QueryRow = std::vector<profiler::QueryValue>;
std::vector<TableColumn<QueryRow>> queryColumns(const profiler::QueryResult& result);
// Header and rows with the full values as CSV; NULL is an empty cell.
QString queryCsv(const TableModel<QueryRow>& model);

// The page with a read-only SQL console for the file of a run, with the tables at the left and the
// query above its rows. A new query cancels the running one; the page never waits for a query.
Page* makeQuery(const ThemeController& theme, RunLibrary& library,
                const std::shared_ptr<RunDocument>& document);

} // namespace app
