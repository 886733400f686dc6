#pragma once

#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"
#include "app/window/help_dialog.h"

#include <QMainWindow>
#include <QString>
#include <QStringList>

class QLabel;

namespace app {

class Page;
class PageTabs;
class StartPage;
class ThemeController;
class WindowMenus;
class WindowSession;

// The main window: menu bar, tabs, pages, status bar. It creates pages and connects their signals;
// it computes nothing.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    // `theme` and `settings` must outlive the window.
    MainWindow(ThemeController& theme, Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    Page* currentPage() const;
    PageTabs& tabs() const { return *m_tabs; }
    WindowSession& session() { return *m_session; }
    RunLibrary& library() { return m_library; }
    // For tests: the memory from which many tabs are noted.
    void setMuchMemory(double bytes) { m_noteFrom = bytes; }
    RunLedger& ledger() { return m_ledger; }

public Q_SLOTS:
    // Shows a page. If a tab shows it already, makes that tab current, and the page takes the
    // request. Returns the page.
    Page* open(const app::PageRequest& request);
    // Starts a run for each list of options (RunLibrary::startAll()) and compares several runs.
    void startRuns(const QList<QStringList>& options);
    // Opens a page that runs the set-up or the run of the current page on a cluster.
    void openCluster();
    // Edits schedule files, opens studies, imports traces, and opens runs: one run in its page,
    // several in a comparison.
    void openFiles(const QStringList& files);
    void askFor(FileKind kind); // asks for files and opens them; does not wait for the answer
    void showCommands();
    void showHelp(app::HelpDialog::Topic topic);

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void addPage(Page* page); // takes ownership and makes the page current
    void noteMemory();
    void closeOthers(); // the other tabs, and their runs
    bool isShown(const RunDocument& run) const;
    void connectPage(Page* page);
    void keepQueue();
    void showPage(Page* page);
    void updateStatus();
    void showFacts();

    ThemeController& m_theme;
    Settings& m_settings;
    Background m_background{this};
    double m_noteFrom = 1 << 30; // bytes of memory from which many tabs are noted next
    RunLibrary m_library;
    RunLedger m_ledger;
    PageTabs* m_tabs;
    QLabel *m_facts, *m_note; // of the status bar: rich text at its left and right end
    WindowSession* m_session;
    WindowMenus* m_menus;
    StartPage* m_start = nullptr;
    QList<QStringList> m_left; // options of the last window's queued runs, until the user answers
};

} // namespace app
