#pragma once

#include "app/models/numbers.h"
#include "app/models/tables/table_model.h"
#include "profiler/analysis/expected/compare_expected.h"

namespace app {

// Compares expected runs with a measured run: a row per kind of work, a column of times per run.
// The measured run is the last column.
class ExpectedModel : public TableModel<profiler::KindTimes>
{
    Q_OBJECT

public:
    explicit ExpectedModel(QObject* parent = nullptr);

    // `names` has one name per run; differences are from the first.
    void show(const profiler::ExpectedComparison& comparison, const QStringList& names);
    void clear();

private:
    QString m_first;
};

} // namespace app
