#pragma once

#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "engine/timeline/run.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

// A row of the coverage: a rule of the classifier, or the time that no rule matched.
struct CoverageRow
{
    engine::ImportReport::Rule rule;
    double share = 0; // share of all time
    bool isClassified = true;
};

// Table of the rules of an import, in the order of coverageParts().
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

// A kernel or op that a rule matches, with the texts that are shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label, op;  // short name of the match; name of the op to which it belongs
    int iteration = -1; // number of the iteration; -1 if it is in none
    std::optional<std::int64_t> begin; // ns since the start of the iteration
};

// Table of the matches of one rule, longest first. Matches whose indices are not valid in the run
// are left out.
class MatchesModel : public TableModel<ImportMatch>
{
    Q_OBJECT

public:
    static constexpr int kIteration = 3, kAt = 4; // numbers of columns

    explicit MatchesModel(QObject* parent = nullptr);
    // `rule` is the name of a rule, or "" for the kernels and ops that no rule matches. `run` must
    // be an imported run.
    void show(const engine::Run& run, const std::string& rule);
    void clear() { reset({}, {}); }

private:
    static Columns columns(const engine::RunInfo& info, std::int64_t longest, std::int64_t last);
};

// Table of what the import left out of the run.
class LeftOutModel : public TableModel<engine::ImportReport::LeftOut>
{
    Q_OBJECT

public:
    explicit LeftOutModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

// Table of the clocks of the hosts, relative to the clock of the first rank's host, which has no
// row.
class ClocksModel : public TableModel<engine::ImportReport::Clock>
{
    Q_OBJECT

public:
    explicit ClocksModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

} // namespace app
