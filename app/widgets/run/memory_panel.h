#pragma once

#include "app/models/run_document.h"
#include "app/models/theme.h"

#include <QWidget>

class QScrollArea;

namespace app {

class DataTable;
class GpuMemoryModel;
class MemoryPlots;

// Memory over time: one plot per device, all with one scale of time and bytes, and a cursor over
// all plots. For a run on GPUs there is also a table of memory by owner.
class MemoryPanel : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run, int iteration); // index into Timeline::iterations
    using QWidget::show;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void shareWidth();
    void fitPlots();

    MemoryPlots* m_plots;
    QScrollArea* m_scroll;
    QWidget* m_gpus; // hidden without GPUs
    GpuMemoryModel* m_gpuModel;
    DataTable* m_gpuTable;
};

} // namespace app
