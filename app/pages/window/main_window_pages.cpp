#include "app/pages/dialogs/diagnostics_dialog.h"
#include "app/pages/session/saved_files.h"
#include "app/pages/session/window_session.h"
#include "app/pages/settings/apply_settings.h"
#include "app/pages/settings/settings_page.h"
#include "app/pages/start/start_page.h"
#include "app/pages/window/main_window.h"

namespace app {

// Queued runs survive the end of the program: the next window offers to start them.
void MainWindow::keepQueue()
{
    connect(&m_library, &RunLibrary::queueChanged, this,
            [this] { m_ledger.keepQueue(m_library.queuedOptions()); });
    m_ledger.takeQueues([this](const QList<QStringList>& left) {
        m_start->offerQueue(static_cast<int>(left.size()));
        connect(
            m_start, &StartPage::queueAnswered, this,
            [this, left](bool start) {
                if (start)
                    startRuns(left);
            },
            Qt::SingleShotConnection);
    });
}

void MainWindow::openSettings(const char* key)
{
    if (!showPageIf([](Page* page) { return qobject_cast<SettingsPage*>(page) != nullptr; })) {
        auto* page = new SettingsPage(m_theme, m_settings);
        connect(page, &SettingsPage::settingChanged, this,
                [this](const char* changed) { applySetting(changed, m_settings, m_theme); });
        addPage(page);
    }
    if (key != nullptr)
        qobject_cast<SettingsPage*>(currentPage())->showSetting(key);
}

void MainWindow::showDiagnostics()
{
    QStringList errors;
    for (int row = 0; row < m_library.runs().rowCount(); ++row)
        if (const Notice& notice = m_library.runs().at(row)->notice();
            notice.level != Notice::Level::None)
            errors.append(notice.title + QLatin1Char(' ') + notice.text);
    auto* dialog = new DiagnosticsDialog(m_settings, errors, this);
    connect(dialog, &DiagnosticsDialog::saved, this,
            [this](const QStringList& files) { announceFiles(*m_notice, files); });
    dialog->open();
}

bool MainWindow::canReopenTabs() const
{
    return m_session->canReopen();
}

void MainWindow::reopenTabs()
{
    m_session->reopen();
}

} // namespace app
