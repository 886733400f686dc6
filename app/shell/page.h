#pragma once

#include "app/plan/run_plan.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

#include <QJsonObject>
#include <QMap>
#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QAction;
class QKeySequence;

namespace app {

class Page;
class RunDocument;
class RunLedger;
class RunLibrary;
class Settings;
class ThemeController;

// Menus to which the current page can add actions.
enum class Menu { File, Run, View, Compare, Analyze, Export };

enum class FileKind { Runs, Schedule, Traces, TraceFolder };

// What a tab shows: the argument of MainWindow::open(), and an entry of the session. The kind of
// the page says which members it reads.
struct PageRequest
{
    const char* kind = nullptr;                         // PageKind::name: "memory"
    QStringList files{};                                // runs, traces, a schedule or a study
    std::vector<std::shared_ptr<RunDocument>> runs{};   // that are open; predictions have no file
    std::optional<RunPlan> plan{};                      // of a set-up or a cluster
    std::shared_ptr<const engine::Schedule> schedule{}; // to edit
    PredictionRequest costs{};                          // that the schedule's times are based on
    QString text{};                      // rules of an import as TOML; the key of a setting
    std::optional<engine::Note> place{}; // of a run, to show in its timeline
    QJsonObject state{};                 // as of Page::state()
};

struct PageServices
{
    ThemeController& theme;
    Settings& settings;
    RunLibrary& library;
    RunLedger& ledger;
};

// A kind of page. We keep them in one table (kPageKinds in app/window), from which the window opens
// pages, the session restores them, and --page and the menus offer them, so that a new page is its
// folder and one line.
struct PageKind
{
    // PerRun, PerFile, PerRuns: the tab that shows it, or exactly these runs.
    enum class Tabs { One, PerRun, PerFile, PerRuns, Many };
    // What it needs to be opened. Traces: or the run that they became.
    enum class About { Nothing, Files, Runs, Traces };

    const char* name;
    Tabs tabs = Tabs::Many;
    About about = About::Nothing;
    // The window then calls Page::showRequest().
    Page* (*make)(const PageServices& services, const PageRequest& request) = nullptr;
    struct Entry // of the menu "Run" or "File"
    {
        Menu menu = Menu::Run;
        const char *action = nullptr, *text = nullptr, *key = nullptr; // text: nullptr if none
    } entry{};
};

// A tab of the window: start, set-up, a run, a comparison. Pages do not know the window or each
// other: they emit signals about their content and their requests. GUI thread only.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;          // title of the tab: "BitPipe #12"
    virtual QString file() const { return {}; } // path of the shown run; "" for other pages
    // All shown runs. A comparison has several.
    virtual QStringList files() const
    {
        return file().isEmpty() ? QStringList() : QStringList(file());
    }
    virtual const RunDocument* document() const { return nullptr; } // the run that it is about
    // Whether it shows exactly these runs.
    virtual bool shows(const std::vector<std::shared_ptr<RunDocument>>& /*runs*/) const
    {
        return false;
    }
    virtual bool isClosable() const { return true; }

    const PageKind* kind() const { return m_kind; } // nullptr: the start page
    void setKind(const PageKind& kind) { m_kind = &kind; }
    // Shows what is requested: of a page that was just made, or of a tab that is shown again. Then
    // `request` has the runs of its files, too.
    virtual void showRequest(const PageRequest& /*request*/) { }
    // The inputs that the next session restores. restoreState() ignores parts that are missing.
    virtual QJsonObject state() const { return {}; }
    virtual void restoreState(const QJsonObject& /*state*/) { }
    // Asks the user for confirmation if closing would lose something, such as a run in progress.
    // Returns false if the page must stay open.
    virtual bool queryClose() { return true; }

    // Texts of the status bar, as rich text: "<b>Emulated</b> 4 devices". statusTexts() are at the
    // left: mode and devices first, then counts and selection. statusNote() is at the right.
    virtual QStringList statusTexts() const { return {}; }
    virtual QString statusNote() const { return {}; }

    // For each exported run: the notes to export with it. Empty if unknown.
    virtual std::vector<std::vector<engine::Note>> notes() const { return {}; }
    // The iteration to export, which is the one that the page shows; -1: the reported iteration of
    // each run.
    virtual int exportedIteration() const { return -1; }

    // The range that is marked in the timeline of the page's run.
    virtual std::optional<engine::Window> exportedRange() const { return std::nullopt; }

    // The actions of the page, which owns them. Each action needs an object name, a text and, if
    // the design has one, a shortcut with Qt::WidgetWithChildrenShortcut, and must be added to the
    // page (QWidget::addAction). While the page is current, the menus, Ctrl+K and the list of keys
    // show its actions. A statusTip() replaces a menu text that is too short for the list of keys.
    virtual QList<QAction*> menuActions(Menu menu) const { return m_menus.value(menu); }

    // Finds actions for a text typed into the command palette, such as an op, a range or a setting.
    // They are listed in addition to the menu actions and are valid until the next call.
    virtual QList<QAction*> foundActions(const QString& /*text*/) { return {}; }

    // Adds an action whose shortcut works while the page has the focus. `tip` is the action's
    // status tip. Its tooltip is `tip` followed by the shortcut.
    QAction* makeAction(const char* name, const QString& text, const QKeySequence& key,
                        const std::function<void()>& trigger = {}, const QString& tip = {});

protected:
    void inMenu(Menu menu, const QList<QAction*>& actions) { m_menus[menu] = actions; }
    // Sets the widget that gets the focus when the page is shown. A focus proxy would not do: Tab
    // would start at the proxy and never reach the widgets before it.
    void setInitialFocus(QWidget* widget) { m_initialFocus = widget; }
    // Makes a checkable action, which shows a dock. It is unchecked when the page becomes narrower
    // than `width` pixels, and checked when it becomes wider; in between the user chooses.
    void foldBelow(int width, QAction& shown);
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Fold
    {
        QAction* shown;
        int width;
        bool hasRoom = true;
    };
    std::vector<Fold> m_folds;
    QMap<Menu, QList<QAction*>> m_menus;
    QPointer<QWidget> m_initialFocus;
    const PageKind* m_kind = nullptr;

Q_SIGNALS:
    void titleChanged();
    void statusChanged();
    // The list of menuActions() changed; not needed if only enabled or checked states changed.
    void actionsChanged();
    void closeRequested();

    // A report, chart or part of a run was written. The window names the files.
    void filesSaved(const QStringList& files);

    // Requests to the window.
    void pageRequested(const app::PageRequest& request);
    void filesRequested(app::FileKind kind); // asks the user for files, which are opened
    void startRequested(const QList<QStringList>& runs); // of each run the options of `bscope run`,
                                                         // without -o; they run sequentially
    void traceRequested(const std::shared_ptr<app::RunDocument>& run); // export of any run
    void exportRequested(const std::vector<std::shared_ptr<const engine::Run>>& runs);
};

} // namespace app
