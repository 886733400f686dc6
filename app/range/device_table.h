#pragma once

#include "app/documents/run_document.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "profiler/analysis/metrics.h"

namespace app {

// The table of a run's devices, then a row for all devices (nullptr) with mean times, the largest
// peak and sums of counts. The summary of an iteration and the metrics of a range are such tables,
// so they share their columns. A device without a trace has a name, but no numbers.
class DeviceTable : public TableModel<const profiler::DeviceMetrics*>
{
public:
    using TableModel::TableModel;

protected:
    using Device = profiler::DeviceMetrics;
    using Column = TableColumn<const Device*>;
    using Ticks = std::function<std::int64_t(const Device&)>;

    // `devices` are those of the run, in order, and outlive the rows. `duration` is that of the
    // iteration or range, which `bubbleRatio` refers to.
    void setDevices(RunPointer run, std::vector<const Device*> devices, std::int64_t duration,
                    double bubbleRatio);
    void show(Columns columns); // shows a row for each device and the last row
    const engine::Run& run() const { return *m_run; }
    const Scale& time() const { return m_time; }

    // How the last row sums up the devices: Mean is that of those with a trace.
    enum class Total { Mean, Most, Sum };
    using Value = std::function<std::optional<double>(const Device&)>; // nullopt: unknown
    Column column(const ColumnTitle& title, const Scale& scale, const Value& value,
                  Total total) const;
    std::int64_t sum(const Ticks& ticks) const;
    static Ticks ticksOf(engine::OpKind kind);
    Column nameColumn() const;
    Column timeColumn(const QString& title, const Value& ticks) const
    {
        return column({title + QStringLiteral(", %1"), m_time}, m_time, ticks, Total::Mean);
    }
    Column countColumn(const QString& title, const Value& count) const
    {
        return column(title, {1, 0, {}}, count, Total::Sum);
    }
    std::function<bool(const Device*)> messagesAreKnown() const; // see lacksMessages()
    Column messagesColumn() const;
    Columns workColumns() const;   // compute and its kinds that occur
    Columns bubbleColumns() const; // exposed communication, bubble, its share
    Column bubbleShareColumn() const;
    Columns peakColumn() const;  // empty if no memory was recorded
    Columns stashColumn() const; // empty if micro-batches are unknown

private:
    RunPointer m_run;
    std::vector<const Device*> m_devices;
    std::int64_t m_duration = 0;
    double m_bubbleRatio = 0;
    Scale m_time, m_bytes;
};

template<class Columns>
void append(Columns& columns, Columns more)
{
    std::move(more.begin(), more.end(), std::back_inserter(columns));
}

} // namespace app
