// What GPUs ran beneath the ops of a run: read when the run is complete, shown in lanes, details
// and a table.
#include "app/pages/run_page_parts.h"
#include "app/widgets/run/details_panel.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/timeline/timeline_widget.h"
#include "profiler/analysis/kernel_table.h"

#include <QAction>

#include <utility>

namespace app {

// Once a run is complete; what a run under way launches comes with its end.
void RunPage::askForKernels()
{
    if (!m_view)
        return;
    const bool isComplete = m_document->state() == RunDocument::State::Finished
        && m_view->shared() == m_document->run() && !m_document->file().isEmpty();
    if (isComplete && !m_view->run().info.inUnits()) {
        if (std::exchange(m_kernelsOf, m_view->shared()) != m_view->shared())
            m_kernels.load(m_view->shared(), m_document->file());
        return;
    }
    m->panels->showKernels(nullptr,
                           m_document->isRunning() ? tr("They are read when the run is complete.")
                                                   : QString::fromStdString(
                                                       profiler::whyNoKernels(m_view->run().info)));
}

void RunPage::showKernels(const KernelViewPointer& kernels, const QString& failure)
{
    const bool hasAny = kernels && !kernels->isEmpty();
    const QString reason = !failure.isEmpty()
        ? failure
        : QString::fromStdString(profiler::whyNoKernels(m_view->run().info));
    m->timeline->setKernels(kernels);
    m->details->setKernels(kernels);
    m->panels->showKernels(kernels, reason);
    m->toolbar->offerKernels(hasAny, reason);
    search(); // "kernel:" has something to find now
    Q_EMIT statusChanged();
}

// Where there are none, the table says why.
void RunPage::setKernelsShown(bool shown)
{
    const KernelViewPointer& kernels = m->timeline->kernels();
    const bool hasAny = kernels && !kernels->isEmpty();
    m->timeline->setKernelsShown(shown && hasAny);
    m->kernels->setChecked(shown && hasAny);
    if (!shown || hasAny)
        return;
    m->panels->setFolded(false);
    m->panels->setPanel(RunPanels::Panel::Kernels);
}

} // namespace app
