#pragma once

#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"

#include <QDialog>
#include <QDropEvent>
#include <QMainWindow>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <span>
#include <vector>

class QAction;
class QCheckBox;
class QLabel;
class QListWidget;
class QTextBrowser;

namespace app {

class Settings;

struct KeyLine
{
    QString group;
    QStringList keys; // keys with the same effect are adjacent
    QString text;

    friend bool operator==(const KeyLine&, const KeyLine&) = default;
};
// Returns the gestures and keys of the views from resources/help/keys.txt, then one line for each
// shortcut of an action that keys.txt does not list.
QList<KeyLine> keyLines(const QList<QAction*>& actions);

// Makes a text anonymous: replaces the home folder by "~", and the user name and the host name by
// USER and HOST where they are whole words.
QString withoutNames(QString text);

// What the program knows about itself: its keys, versions, devices, settings and messages. The
// texts except the keys can be saved for a bug report; we show exactly what would be written, so
// that the user can read every line that leaves the machine. The worker queries the driver, so a
// driver that hangs does not block the window.
class HelpDialog : public QDialog
{
    Q_OBJECT

public:
    enum class Topic : int { Keys, About, Devices, Settings, Messages };

    // `errors`: last errors of runs, oldest first. `actions` must outlive the dialog.
    HelpDialog(Topic topic, const ThemeController& theme, const Settings& settings,
               const QStringList& errors, const QList<QAction*>& actions,
               QWidget* parent = nullptr);
    ~HelpDialog() override;

    // Writes a folder into `parent`, which must exist. Shows the reason if that fails.
    void saveIn(const QString& parent);

Q_SIGNALS:
    void saved(const QStringList& files);

private:
    struct File
    {
        QString name, what, text; // `what`: one line about the contents
    };
    void devicesAnswered();
    void showText();
    void chooseFolder();
    QString shown(const File& file) const;

    std::vector<File> m_files; // by Topic; the keys are HTML and are not saved
    QProcess m_worker;
    QListWidget* m_list;
    QLabel* m_what;
    QTextBrowser* m_text;
    QCheckBox* m_withNames;
    QLabel* m_problem;
};

// The row of tabs of a window, a notice below it, and the page of the current tab. Closable tabs
// have a close button; "+" follows the last tab. The first page that is added must not be closable,
// so that there is always a current one. GUI thread only.
class PageTabs : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;
    static PageTabs* make(const ThemeController& theme);
    virtual Page* current() const = 0;
    virtual QList<Page*> pages() const = 0; // from left to right
    struct Action
    {
        QString text;
        std::function<void()> run; // called after the notice is hidden
    };
    // Shows a notice above the pages, such as which files were exported or not found. It stays
    // until the user closes it or another notice replaces it.
    virtual void say(Band::Kind kind, const QString& bold, const QString& sentence,
                     const Action& action = {})
        = 0;
    virtual void add(Page* page) = 0; // takes ownership and makes the page current
    virtual void makeCurrent(Page* page) = 0;
    virtual void step(int by) = 0; // moves `by` tabs to the right, wrapping around; < 0: left
    // Makes the first page for which `isIt` is true current; returns false if there is none.
    virtual bool showIf(const std::function<bool(Page*)>& isIt) = 0;
    virtual bool close(Page* page)
        = 0; // returns false if the page is not closable or the user cancelled
    // Asks every closable page, the last one first, whether it may be closed. Stops at the first
    // that refuses and makes it current. Fields first store the text that is typed.
    virtual bool mayCloseAll() = 0;

Q_SIGNALS:
    void currentChanged(app::Page* page);
    void newRequested();
};

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
    Later m_saveTimer{0, [this] { save(); }};
    Later m_startTimer{0, [this] { watchStart(); }};
    bool m_isSaving = false;
};

std::span<const PageKind> pageKinds();
const PageKind* findPageKind(QStringView name); // nullptr: there is none

// BitPipe's published set-up on 32 A800 (arXiv 2410.19367), for pages about nodes that --page opens
// without a run.
RunPlan planOnNodes();

class StartPage;
class ThemeController;
class WindowMenus;

// The main window: menu bar, tabs, pages, status bar. It creates pages and connects their signals;
// it computes nothing.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    // `theme` and `settings` must outlive the window.
    MainWindow(ThemeController& theme, Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    Page* currentPage() const { return m_tabs->current(); }
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
    void dropEvent(QDropEvent* event) override { openFiles(localFiles(*event->mimeData())); }

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
