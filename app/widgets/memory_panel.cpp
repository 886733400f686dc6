#include "app/widgets/memory_panel.h"

#include "app/widgets/memory_plots.h"

namespace app {

MemoryPanel::MemoryPanel(const ThemeController& theme, QWidget* parent)
    : QScrollArea(parent)
    , m_plots(new MemoryPlots(theme))
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Memory of the devices over time"));
    setWidget(m_plots);
}

void MemoryPanel::show(const RunPointer& run, int iteration)
{
    m_plots->show(run, iteration);
    m_plots->resize(viewport()->width(), m_plots->heightFor(viewport()->width()));
}

void MemoryPanel::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    m_plots->resize(viewport()->width(), m_plots->heightFor(viewport()->width()));
}

} // namespace app
