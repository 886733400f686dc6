#pragma once

#include "app/models/plan/prediction.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

class QAction;
class QKeySequence;

namespace app {

// Menus to which the current page can add actions.
enum class Menu { File, Run, View, Compare, Analyze, Export };

// One tab of the window: start, set-up, a run, a comparison. A page does not know the window or
// other pages: it emits signals about its content and requests. GUI thread only.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;          // of the tab: "BitPipe #12"
    virtual QString file() const { return {}; } // the shown run; "" for other pages
    virtual bool isClosable() const { return true; }
    // Asks the user if something would be lost (a running run). False: stay open.
    virtual bool queryClose() { return true; }

    // Texts of the status bar: mode and devices first, then counts and selection; `statusNote` is
    // at the right. Rich text: "<b>Emulated</b> 4 devices".
    virtual QStringList statusTexts() const { return {}; }
    virtual QString statusNote() const { return {}; }

    // [run] notes of the runs to export; empty if unknown.
    virtual std::vector<std::vector<engine::Note>> notes() const { return {}; }
    // The iteration that it shows; -1: the reported one of each run.
    virtual int exportedIteration() const { return -1; }

    // The page owns its actions. Give each an object name, a text and, if the design names one, a
    // shortcut with Qt::WidgetWithChildrenShortcut, and add it to the page (QWidget::addAction):
    // then the menus, Ctrl+K and the list of keys show it while the page is current. setStatusTip()
    // replaces the menu text in the list of keys if that is too short.
    virtual QList<QAction*> menuActions(Menu) const { return {}; }

    // Adds an action with a shortcut that works while the page has the focus. `tip` is its tooltip,
    // with the shortcut, and its status tip.
    QAction* makeAction(const char* name, const QString& text, const QKeySequence& key,
                        const std::function<void()>& trigger = {}, const QString& tip = {});

protected:
    // The widget that receives the page's focus. (A focus proxy would be the first stop of Tab, and
    // the widgets before it would be unreachable.)
    void setInitialFocus(QWidget* widget) { m_initialFocus = widget; }
    void focusInEvent(QFocusEvent* event) override;

private:
    QPointer<QWidget> m_initialFocus;

Q_SIGNALS:
    void titleChanged();
    void statusChanged();
    void actionsChanged(); // menuActions() changed; enabled and checked need no signal
    void closeRequested();

    // A run was read completely or finished: for the list of recent runs.
    void runOpened(const QString& file, const std::shared_ptr<const engine::Run>& run);

    // Requests to the window.
    void newRunRequested(const QString& experimentToml); // "": the defaults
    void openRequested(const QString& file);
    void openDialogRequested();
    void startRequested(const QStringList& options);           // of `bscope run`, without -o
    void startAllRequested(const QList<QStringList>& options); // sequentially
    void compareRequested(const QStringList& files);
    // With the costs of its times.
    void editRequested(const std::shared_ptr<const engine::Schedule>& schedule,
                       const app::PredictionRequest& request);
    void exportRequested(const std::vector<std::shared_ptr<const engine::Run>>& runs);
};

} // namespace app
