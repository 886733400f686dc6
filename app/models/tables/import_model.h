#pragma once

#include "app/models/numbers.h"
#include "app/models/tables/table_model.h"
#include "engine/timeline/import_report.h"

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
