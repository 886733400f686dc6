#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "profiler/analysis/metrics.h"

#include <QAbstractTableModel>

#include <vector>

namespace app {

// Summary: one row per device of one iteration, then all devices (means, largest peak, all
// messages).
class MetricsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int {
        Device,
        Stages,
        Compute,
        Forward,
        Backward,
        InputGradient,
        WeightGradient,
        Exposed,
        Bubble,
        BubbleShare,
        AllReduce,
        Optimizer,
        Peak,
        Stash,
        Messages,
        LocalCopies,
    };

    explicit MetricsModel(QObject* parent = nullptr);

    void show(RunPointer run, profiler::RunMetrics metrics); // metrics of that run
    void clear();
    const profiler::RunMetrics& metrics() const { return m_metrics; }
    const Scale& timeUnit() const { return m_time; }
    QString keyNumbers() const; // "bubble 13.0 %, exposed 6.6 ms, peak 9.74 GiB"
    Column columnAt(int column) const { return m_columns[static_cast<std::size_t>(column)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString deviceText(const profiler::DeviceMetrics& device, Column column) const;
    QString totalText(Column column) const;
    double bubbleShareOf(int row) const;
    void chooseColumns();

    RunPointer m_run;
    profiler::RunMetrics m_metrics;
    std::vector<Column> m_columns;
    Scale m_time, m_bytes;
};

// "0, 3, 4, 7": the stages a device holds, over both directions.
QString stagesText(const engine::Schedule& schedule, engine::DeviceId device);

} // namespace app
