#pragma once

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/metrics.h"

namespace app {

// Table of the metrics of one iteration. It has a row per device, then a row for all devices
// (nullptr) with means, the largest peak and the total number of messages.
class MetricsModel : public TableModel<const profiler::DeviceMetrics*>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(RunPointer run, profiler::RunMetrics metrics); // `metrics` belong to `run`
    void clear();
    // Adds a column with the ticks that each device contributes to the critical path; an empty
    // `work` removes it.
    void setWorkOnPath(engine::IdVector<engine::DeviceId, std::int64_t> work);
    const profiler::RunMetrics& metrics() const { return m_metrics; }
    // The columns that a narrow table hides: those after the peak, the last column first.
    std::vector<int> dispensable() const;
    QString keyNumbers() const; // "bubble 13.0 %, exposed 6.6 ms, peak 9.74 GiB"

private:
    using Device = profiler::DeviceMetrics;
    using Ticks = std::function<std::int64_t(const Device&)>;

    QVariant headerToolTip(int section, const QString& title) const override;
    bool occurs(engine::OpKind kind) const; // whether the run has ops of this kind
    Columns columns() const;
    TableColumn<const Device*> timeColumn(const QString& title, const Ticks& ticks) const;
    TableColumn<const Device*> bubbleShareColumn() const;
    TableColumn<const Device*> pathColumn() const;
    TableColumn<const Device*> peakColumn() const;
    TableColumn<const Device*> stashColumn() const;
    std::vector<const Device*> deviceRows() const;

    RunPointer m_run;
    profiler::RunMetrics m_metrics;
    engine::IdVector<engine::DeviceId, std::int64_t> m_workOnPath;
    Scale m_time, m_bytes;
};

} // namespace app
