#pragma once

#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/compare_expected.h"

namespace app {

// Table that compares expected runs with a measured run. It has a row per kind of work and one for
// the iteration. It has a column of times per run, the measured run last, and a column with the
// differences.
class ExpectedModel : public TableModel<profiler::KindTimes>
{
    Q_OBJECT

public:
    explicit ExpectedModel(QObject* parent = nullptr);

    // `names` has one name per run. Differences are relative to the first run.
    void show(const profiler::ExpectedComparison& comparison, const QStringList& names);
    void clear();

private:
    QString m_first;
};

} // namespace app
