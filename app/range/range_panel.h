#pragma once

#include "app/documents/run_document.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <QLayout>
#include <QString>
#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QToolButton;

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
    static Ticks ticksOf(engine::OpKind kind)
    {
        return [kind](const Device& device) { return device.byKind[kind]; };
    }
    Column nameColumn() const;
    Column timeColumn(const QString& title, const Value& ticks) const
    {
        return column({title + QStringLiteral(", %1"), m_time}, m_time, ticks, Total::Mean);
    }
    Column countColumn(const QString& title, const Value& count) const
    {
        return column(title, {1, 0, {}}, count, Total::Sum);
    }
    // see lacksMessages()
    std::function<bool(const Device*)> messagesAreKnown() const
    {
        return [isKnown = !profiler::lacksMessages(*m_run)](const Device*) { return isKnown; };
    }
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

class DataTable;

// Reads a range of time that the user typed: "102-172.4 ms", "iteration 1, 40..60 ms", "iterations
// 1-2", "typical ops". Times count from the start of the iteration that the text names, or
// else of `iteration`, an index into Timeline::iterations. Times without a unit are in the unit in
// which this iteration is shown. The result is clipped to the run. Fails with
// Error::Code::InvalidArgument; the message says what to type.
engine::Result<engine::Window> parseRange(const QString& text, const engine::Run& run,
                                          int iteration);

// Returns the range in the notation of parseRange(): "iteration 1, 102.0 – 172.4 ms". Times are
// from the start of the iteration in which the range begins.
QString rangeName(const engine::Run& run, engine::Window range);

// Returns the index into Timeline::iterations of the iteration that contains `time`, or of the last
// one before `time`; 0 if there is neither. The run must have an iteration.
int iterationOf(const engine::Timeline& timeline, std::int64_t time);

// Table of the metrics of a range of time.
class RangeModel : public DeviceTable
{
    Q_OBJECT

public:
    using DeviceTable::DeviceTable;

    void show(RunPointer run, profiler::RangeMetrics metrics); // `metrics` belong to `run`
    void clear();
    const profiler::RangeMetrics& metrics() const { return m_metrics; }

private:
    const profiler::RangeDevice& of(const Device& one) const
    {
        return m_metrics.devices[one.device];
    }

    profiler::RangeMetrics m_metrics;
};

// The metrics of the marked time range per device, and a field that shows and edits the range.
class RangePanel : public QWidget
{
    Q_OBJECT

public:
    explicit RangePanel(const ThemeController& theme, QWidget* parent = nullptr);

    // adds it to the bar
    void addButton(const QString& text, const char* name, QAction* action)
    {
        m_buttons->layout()->addWidget(makeButton(text, name, "tool", action));
    }
    // Sets the run to which typed ranges belong. If a range names no iteration, its times count
    // from the start of `iteration`.
    void setPlace(RunPointer run, int iteration);
    void mark(engine::Window range); // shows the text of a range; showMetrics() adds its metrics
    void showMetrics(RunPointer run, const profiler::RangeMetrics& metrics);
    void clear();     // no range is marked
    void editRange(); // focuses the field
    RangeModel& model() { return *m_model; }

Q_SIGNALS:
    void typed(engine::Window range);
    void closed(); // Esc in the field

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeBar();
    void read();
    void showProblem(const QString& problem);
    void setMarked(bool isMarked);

    RangeModel* m_model;
    DataTable* m_table;
    QLineEdit* m_field;
    QLabel *m_problem, *m_hint; // m_hint: in place of the table while no range is marked
    QWidget* m_buttons;
    QToolButton* m_copy;
    RunPointer m_run;
    int m_iteration = -1;
};

} // namespace app
