#pragma once

#include "app/plan/prediction.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

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

class RunDocument;

// Menus to which the current page can add actions.
enum class Menu { File, Run, View, Compare, Analyze, Export };

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
    virtual bool isClosable() const { return true; }
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
    virtual QList<QAction*> menuActions(Menu) const { return {}; }

    // Finds actions for a text typed into the command palette, such as an op, a range or a setting.
    // They are listed in addition to the menu actions and are valid until the next call.
    virtual QList<QAction*> foundActions(const QString& /*text*/) { return {}; }

    // Adds an action whose shortcut works while the page has the focus. `tip` is the action's
    // status tip. Its tooltip is `tip` followed by the shortcut.
    QAction* makeAction(const char* name, const QString& text, const QKeySequence& key,
                        const std::function<void()>& trigger = {}, const QString& tip = {});

protected:
    // Sets the widget that gets the focus when the page is shown. A focus proxy would not do: Tab
    // would start at the proxy and never reach the widgets before it.
    void setInitialFocus(QWidget* widget) { m_initialFocus = widget; }
    void focusInEvent(QFocusEvent* event) override;

private:
    QPointer<QWidget> m_initialFocus;

Q_SIGNALS:
    void titleChanged();
    void statusChanged();
    // The list of menuActions() changed; not needed if only enabled or checked states changed.
    void actionsChanged();
    void closeRequested();

    // A report, chart or part of a run was written. The window names the files.
    void filesSaved(const QStringList& files);

    // Requests to the window.
    void newRunRequested(const QString& experimentToml); // "": the defaults
    void openRequested(const QString& file);
    void showRequested(const std::shared_ptr<app::RunDocument>& run); // `run` is open
    // `link` is a view of a run, as in app/timeline/details/view_link.h.
    void linkRequested(const QString& link);
    void openDialogRequested();
    void importDialogRequested();
    // `rules` is TOML; the import tries these rules before the built-in ones.
    void importAgainRequested(const QStringList& traces, const QString& rules);
    void importReportRequested(const QString& file); // `file` is an imported run
    void whatIfRequested(const QString& file);       // `file` is a measured run
    void queryRequested(const QString& file);        // `file` is any run
    void clusterRequested();                         // to run the shown experiment on a cluster
    void clusterOfRunRequested(const QString& file); // `file` is any run
    void memoryRequested(const QString& file);       // `file` is any run
    void traceRequested(const std::shared_ptr<app::RunDocument>& run); // export of any run
    void startRequested(const QStringList& options); // the options of `bscope run`, without -o
    void startAllRequested(const QList<QStringList>& options); // run sequentially
    // `open` are runs that are open already, such as predictions, which have no file.
    void compareRequested(const QStringList& files,
                          const std::vector<std::shared_ptr<app::RunDocument>>& open = {});
    // `request` has the costs that the shown times are based on.
    void editRequested(const std::shared_ptr<const engine::Schedule>& schedule,
                       const app::PredictionRequest& request);
    void exportRequested(const std::vector<std::shared_ptr<const engine::Run>>& runs);
};

} // namespace app
