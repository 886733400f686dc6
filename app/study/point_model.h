#pragma once

#include "app/ui/table_model.h"
#include "profiler/study/point_summary.h"

namespace app {

// Table of the metrics of one point of a study. It also shows the best value of each metric among
// the points that differ from this point only in the compared axis.
class PointModel : public TableModel<profiler::PointSummary::Row>
{
    Q_OBJECT

public:
    enum class Column : int { Title, Value, Best, Names };

    explicit PointModel(QObject* parent = nullptr);
    void show(const profiler::PointSummary& summary);

private:
    static Columns columns(const QString& name);
};

} // namespace app
