#pragma once

#include "app/documents/run_ledger.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"

#include <QMainWindow>

namespace app {

class PageTabs;
class SetupPage;
class StartPage;
class StatusLine;
class WindowMenus;
class WindowSession;

enum class FileKind { Runs, Schedule, Traces, TraceFolder };

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
    bool canReopenTabs() const;
    WindowSession& session() { return *m_session; }
    RunLibrary& library() { return m_library; }
    RunLedger& ledger() { return m_ledger; }

public Q_SLOTS:
    SetupPage* newRun(const QString& experimentToml = {}); // "": the default parameters
    void openRun(const QString& file); // if a tab shows the file already, makes that tab current
    void startRun(const QStringList& options);
    // Starts a run for each list of options; runs are executed sequentially. Several runs are
    // compared when they are complete.
    void startRuns(const QList<QStringList>& options);
    void editSchedule(const engine::Schedule& schedule, const PredictionRequest& request = {});
    void askFor(FileKind kind);               // opens a file dialog
    void openLedger();                        // if a tab shows it already, makes that tab current
    void openStudy(const QString& file = {}); // a preset or a file; "": a new study
    // `key` is the setting to show; nullptr: all.
    void openSettings(const char* key = nullptr);
    void openEstimator(); // if a tab shows it already, makes that tab current
    // Opens a page that runs the set-up or the run of the current page on a cluster.
    void openCluster();
    void editFile(const QString& file); // if a tab shows the file already, makes that tab current
    void compare(const QStringList& files,
                 const std::vector<std::shared_ptr<RunDocument>>& open = {});
    // Edits schedule files, opens studies, imports traces, and opens runs: one run in its page,
    // several in a comparison.
    void openFiles(const QStringList& files);
    // `paths` are files or folders of one job; `rules` are the user's rules as TOML.
    void importTraces(const QStringList& paths, const QString& rules = {});
    void showCommands();
    void showKeys();
    void showDevices();
    void announce(const QStringList& files); // shows the names of saved files
    void reopenTabs();                       // opens the tabs of the last session

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void addPage(Page* page); // takes ownership and makes the page current
    void showDocument(const std::shared_ptr<RunDocument>& document);
    void compareDocuments(const std::vector<std::shared_ptr<RunDocument>>& documents);
    bool showPageOf(const QString& file); // returns false if there is none
    // Shows the page of class `Shown` about the run in `file`. Makes its tab current, or adds one.
    template<class Shown>
    void showPageAbout(const QString& file);
    void connectPage(Page* page);
    void keepQueue();
    void showPage(Page* page);
    void updateStatus();

    ThemeController& m_theme;
    Settings& m_settings;
    Background m_background{this};
    RunLibrary m_library;
    RunLedger m_ledger;
    PageTabs* m_tabs;
    StatusLine* m_status;
    WindowSession* m_session;
    WindowMenus* m_menus;
    StartPage* m_start = nullptr;
    QList<QStringList> m_left; // options of the last window's queued runs, until the user answers
};

} // namespace app
