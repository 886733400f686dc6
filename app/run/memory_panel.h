#pragma once

#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"

#include <QWidget>

class QScrollArea;

namespace app {

class DataTable;
class GpuMemoryModel;
class MemoryPlots;

// Memory over time: one plot per device with common time and byte scales, and a cursor across all
// plots. Runs on GPUs also have a table of memory by owner.
class MemoryPanel : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunViewPointer& view, int iteration); // index into Timeline::iterations
    using QWidget::show;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void shareWidth();
    void fitPlots();

    MemoryPlots* m_plots;
    QScrollArea* m_scroll;
    QWidget* m_gpus; // hidden for runs without GPUs
    GpuMemoryModel* m_gpuModel;
    DataTable* m_gpuTable;
};

} // namespace app
