#pragma once

#include "app/models/numbers.h"
#include "app/models/tables/table_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

// A rule of the classifier, or the time that no rule matched.
struct CoverageRow
{
    engine::ImportReport::Rule rule;
    double share = 0; // share of all time
    bool isClassified = true;
};

// The rules of an import in the order of its coverageParts().
class CoverageModel : public TableModel<CoverageRow>
{
    Q_OBJECT

public:
    explicit CoverageModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);

private:
    Columns columns() const;

    Scale m_time;
};

// A kernel or op that a rule matches, as shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label, op;                 // short name; the op that it belongs to
    int iteration = -1;                // its number; -1: outside of all
    std::optional<std::int64_t> begin; // since the begin of the iteration, in ns
};

// The matches of one rule, longest first. Entries that do not fit the run are left out.
class MatchesModel : public TableModel<ImportMatch>
{
    Q_OBJECT

public:
    static constexpr int kIteration = 3, kAt = 4; // columns

    explicit MatchesModel(QObject* parent = nullptr);
    // `rule` is a name, or "" for what no rule matches. `run` must be an imported run.
    void show(const engine::Run& run, const std::string& rule);
    void clear() { reset({}, {}); }

private:
    static Columns columns(const engine::RunInfo& info, std::int64_t longest, std::int64_t last);
};

// Everything that an import left out of the run.
class LeftOutModel : public TableModel<engine::ImportReport::LeftOut>
{
    Q_OBJECT

public:
    explicit LeftOutModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

// The clocks of all other hosts, relative to the clock of the first rank's host.
class ClocksModel : public TableModel<engine::ImportReport::Clock>
{
    Q_OBJECT

public:
    explicit ClocksModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

} // namespace app
