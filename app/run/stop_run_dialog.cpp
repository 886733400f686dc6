#include "app/run/stop_run_dialog.h"

#include "app/ui/controls.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <utility>

namespace app {

StopRunDialog::StopRunDialog(const RunDocument& document, std::function<void()> stop,
                             QWidget* parent)
    : QDialog(parent)
    , m_document(document)
    , m_stop(std::move(stop))
    , m_text(named(makeLabel({}), "stopText"))
    , m_stopButton(makeButton(tr("Stop and close"), QStringLiteral("stopAndClose")))
    , m_keepButton(makeButton(tr("Keep running"), QStringLiteral("keepRunning"), "primary"))
{
    setObjectName(QStringLiteral("stopRunDialog"));
    setWindowTitle(tr("%1 is still running").arg(document.title()));
    setFixedWidth(460);
    m_text->setWordWrap(true);
    showProgress();
    auto* buttons = spaced(new QHBoxLayout, {}, 8, {kStretch, m_stopButton, m_keepButton});
    spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12,
           {makeLabel(windowTitle(), "heading"), m_text, buttons});
    m_keepButton->setDefault(true);
    connect(m_keepButton, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_stopButton, &QPushButton::clicked, this, &StopRunDialog::stopNow);
    connect(&document, &RunDocument::stateChanged, this, &StopRunDialog::runChanged);
    connect(&document, &RunDocument::progressChanged, this, &StopRunDialog::showProgress);
}

// The run continues while the dialog is open, so the number of iterations is updated.
void StopRunDialog::showProgress()
{
    const RunProgress& progress = m_document.progress();
    if (!m_stopButton->isEnabled())
        return;
    if (progress.planned == 0)
        m_text->setText(tr("The worker is starting, and no iteration is complete yet. Stopping now "
                           "leaves a run without results."));
    else
        m_text->setText(tr("%1 of %2 iterations are complete and kept in %3. Stopping drops only "
                           "the current iteration.")
                            .arg(progress.done)
                            .arg(progress.planned)
                            .arg(m_document.file()));
}

void StopRunDialog::stopNow()
{
    m_stopButton->setEnabled(false);
    m_keepButton->setEnabled(false);
    m_text->setText(tr(
        "Stopping. The worker writes the complete iterations, which takes a few seconds at most."));
    m_stop();
    runChanged();
}

void StopRunDialog::runChanged()
{
    if (!m_document.isRunning())
        accept();
}

bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent)
{
    return !document.isRunning()
        || StopRunDialog(document, std::move(stop), parent).exec() == QDialog::Accepted;
}

} // namespace app
