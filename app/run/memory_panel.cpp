#include "app/run/memory_panel.h"

#include "app/documents/gpu_memory_model.h"
#include "app/memory/memory_plots.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace app {

MemoryPanel::MemoryPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_plots(new MemoryPlots(theme))
    , m_scroll(new QScrollArea)
    , m_gpus(new QWidget)
    , m_gpuModel(new GpuMemoryModel(this))
    , m_gpuTable(named(new DataTable(theme, 24), "gpuMemoryTable", tr("Memory of the GPUs")))
{
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Memory of the devices over time"));
    m_scroll->setWidget(m_plots);
    m_scroll->viewport()->installEventFilter(this);
    m_gpuTable->setModel(m_gpuModel);
    spaced(new QHBoxLayout(m_gpus), {}, 0, {makeLine(Qt::Vertical), {m_gpuTable, 1}});
    m_gpus->hide();
    spaced(new QHBoxLayout(this), {}, 0, {{m_scroll, 1}, m_gpus});
}

void MemoryPanel::show(const RunViewPointer& view, int iteration)
{
    const auto& gpuMemory = view->run().info.gpuMemory;
    m_plots->show(view, iteration);
    m_gpuModel->show(gpuMemory);
    m_gpus->setVisible(!gpuMemory.empty());
    shareWidth();
    fitPlots();
}

// The table gets the width that it needs if the plots keep at least half of the total.
void MemoryPanel::shareWidth()
{
    const int needed
        = m_gpuTable->neededWidth() + m_gpuTable->verticalScrollBar()->sizeHint().width();
    m_gpus->setFixedWidth(std::min(needed, width() / 2));
}

// Fits the plots to the width of the panel. Leaves space for a scroll bar only if they need one.
void MemoryPanel::fitPlots()
{
    const int whole = m_scroll->width();
    const bool fits = m_plots->heightFor(whole) <= m_scroll->height();
    const int width = fits ? whole : m_scroll->viewport()->width();
    m_plots->resize(width, m_plots->heightFor(width));
}

void MemoryPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareWidth();
}

bool MemoryPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitPlots();
    return QWidget::eventFilter(watched, event);
}

} // namespace app
