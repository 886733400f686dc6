#pragma once

#include "app/models/plan/prediction.h"
#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <vector>

class QAction;
class QKeySequence;

namespace app {

// The menus that a page may add to while it is the current tab.
enum class Menu { File, Run, View, Compare, Analyze, Export };

// One tab of the window: start, set-up, a run, a comparison. A page does not know the window or
// other pages: it reports what it shows, and requests other pages by signal. GUI thread only.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0;          // of the tab: "BitPipe #12"
    virtual QString file() const { return {}; } // the run shown; "" for other pages
    virtual bool isClosable() const { return true; }
    // Asks the user where something would be lost (a run under way). False: stay open.
    virtual bool queryClose() { return true; }

    // The status bar: mode and devices first, then counts and selection; `statusNote` stands at the
    // right. Rich text: "<b>Emulated</b> 4 devices".
    virtual QStringList statusTexts() const { return {}; }
    virtual QString statusNote() const { return {}; }

    // [run] of the runs that it asks to export; empty where it knows none.
    virtual std::vector<std::vector<engine::Note>> notes() const { return {}; }
    // The iteration that it shows of them; -1: the reported one of each.
    virtual int exportedIteration() const { return -1; }

    // The page owns its actions. Give each an object name, a text and, where the design names one,
    // a shortcut with Qt::WidgetWithChildrenShortcut, and add it to the page (QWidget::addAction):
    // then the menus, Ctrl+K and the list of keys show it while the page is current. setStatusTip()
    // is its line in the list of keys where the menu text would be too short.
    virtual QList<QAction*> menuActions(Menu) const { return {}; }

protected:
    // An action of this page, with a shortcut while the page has the focus.
    QAction* makeAction(const char* name, const QString& text, const QKeySequence& key);
    // Where the focus goes that the page is given. (A focus proxy would be the first stop of Tab,
    // and what lies before it would never be reached.)
    void setInitialFocus(QWidget* widget) { m_initialFocus = widget; }
    void focusInEvent(QFocusEvent* event) override;

private:
    QPointer<QWidget> m_initialFocus;

Q_SIGNALS:
    void titleChanged();
    void statusChanged();
    void actionsChanged(); // menuActions() returns others; enabled and checked need no signal
    void closeRequested();

    // A run was read whole, or finished: for the list of recent runs.
    void runOpened(const QString& file, const std::shared_ptr<const engine::Run>& run);

    // For the window to do.
    void newRunRequested(const QString& experimentToml); // "": the defaults
    void openRequested(const QString& file);
    void openDialogRequested();
    void startRequested(const QStringList& options);           // of `bscope run`, without -o
    void startAllRequested(const QList<QStringList>& options); // one after the other
    void compareRequested(const QStringList& files);
    // With the costs of its times.
    void editRequested(const std::shared_ptr<const engine::Schedule>& schedule,
                       const app::PredictionRequest& request);
    void exportRequested(const std::vector<std::shared_ptr<const engine::Run>>& runs);
};

} // namespace app
