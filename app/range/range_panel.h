#pragma once

#include "app/range/device_table.h"
#include "app/ui/theme.h"
#include "profiler/analysis/metrics.h"

#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QToolButton;

namespace app {

class DataTable;

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
