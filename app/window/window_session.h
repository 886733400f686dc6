#pragma once

#include "app/ui/settings.h"

#include <QObject>
#include <QTimer>

namespace app {

class MainWindow;
class Page;

// What reopens a page. `kind` is "" for a page that cannot be reopened, such as a comparison of
// predictions or a schedule that was never saved.
SessionTab sessionTab(const Page& page);
// Opens a page again and returns it; nullptr if its kind is unknown or all its files are gone.
// Appends the names of files that are gone to `missing`.
Page* openTab(MainWindow& window, const SessionTab& tab, QStringList& missing);

// Reopens the tabs of the last session. Saves the open tabs shortly after every change and when the
// window closes. Reports problems in a notice. GUI thread only.
class WindowSession : public QObject
{
    Q_OBJECT

public:
    enum class Tabs { Open, LeaveClosed };

    // The arguments must outlive the session.
    WindowSession(MainWindow& window, Settings& settings);

    // Call it once after the window is shown; before that, nothing is saved. Reopens the tabs of
    // the last session if the settings allow it. If the last start did not finish opening the tabs,
    // offers to open them instead.
    void begin(Tabs tabs);
    bool canReopen() const { return !m_previous.tabs.empty(); }
    void reopen(); // opens the tabs of the last session after the present ones
    void tabsChanged();
    void save();
    void end(); // saves; call it when the window closes

private:
    Session current() const;
    void watchStart();

    MainWindow& m_window;
    Settings& m_settings;
    Session m_previous;
    QTimer m_saveTimer, m_startTimer;
    bool m_isSaving = false;
};

} // namespace app
