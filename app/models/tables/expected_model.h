#pragma once

#include "app/models/numbers.h"
#include "app/models/tables/table_model.h"
#include "profiler/analysis/expected/compare_expected.h"

namespace app {

// The time of every kind of work in the expected runs and the measured one, which is the last.
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
