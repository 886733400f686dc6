#pragma once

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/range_metrics.h"

namespace app {

// Table of the metrics of a range of time. It has a row per device, then a row for all devices
// (nullptr) with the mean times, the total numbers of ops and messages, and the largest peak.
class RangeModel : public TableModel<const profiler::RangeDevice*>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(RunPointer run, profiler::RangeMetrics metrics); // `metrics` belong to `run`
    void clear();
    const profiler::RangeMetrics& metrics() const { return m_metrics; }
    // The columns that a narrow table hides, in this order: numbers of messages and ops.
    std::vector<int> dispensable() const
    {
        const int columns = columnCount(); // 0: no range
        return columns > 0 ? std::vector{columns - 1, columns - 2, columns - 3}
                           : std::vector<int>();
    }

private:
    using Device = profiler::RangeDevice;
    using Column = TableColumn<const Device*>;
    using Ticks = std::function<std::int64_t(const Device&)>;
    using Count = std::function<std::int64_t(const Device&)>;

    Columns columns() const;
    Columns countColumns() const;
    Columns memoryColumns() const;
    Column timeColumn(const QString& title, const Ticks& ticks) const;
    Column bubbleShareColumn() const;
    double sum(const Count& count) const;

    RunPointer m_run;
    profiler::RangeMetrics m_metrics;
    Scale m_time, m_bytes;
};

} // namespace app
