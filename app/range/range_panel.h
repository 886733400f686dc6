#pragma once

#include "app/range/device_table.h"
#include "app/ui/theme.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <QString>
#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QToolButton;

namespace app {

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

    void addButton(const QString& text, const char* name, QAction* action); // adds it to the bar
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
