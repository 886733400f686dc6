#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/kernel_view.h"
#include "app/ui/theme.h"
#include "profiler/analysis/kernel_table.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace app {

class DataTable;
class EmptyState;
class KernelsModel;

// The kernels of a run by kind of op, filtered by kind, device and scope. The table can be copied
// and saved as CSV. If the kernels are unknown, the panel states the reason.
class KernelPanel : public QWidget
{
    Q_OBJECT

public:
    explicit KernelPanel(const ThemeController& theme, QWidget* parent = nullptr);

    // `kernels` is nullptr if the kernels are unknown; `reason` says why.
    void show(const RunPointer& run, KernelViewPointer kernels, const QString& reason);
    using QWidget::show;
    void showIteration(int iteration); // sets the iteration for the scope "this iteration"
    void showSelection(const Selection& selection);
    KernelsModel& model() { return *m_model; }

private:
    enum class Scope : int { Run, Iteration, Selection };

    QWidget* makeBar();
    void fillChoices();
    void refresh();
    profiler::KernelFilter filter() const;
    void save();

    const ThemeController& m_theme;
    KernelsModel* m_model;
    QComboBox *m_op, *m_device, *m_scope;
    QLabel* m_sum;
    QStackedWidget* m_stack;
    DataTable* m_table;
    EmptyState* m_empty;
    RunPointer m_run;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
};

} // namespace app
