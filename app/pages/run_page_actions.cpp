// What can be done on a run's page, and what of it stands in the menus.
#include "app/pages/run_page_parts.h"
#include "app/widgets/run_panels.h"
#include "app/widgets/runs_dock.h"
#include "app/widgets/themed_icon.h"
#include "app/widgets/timeline_widget.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>

namespace app {

QAction* RunPage::makeAction(const char* name, const QString& text, const QKeySequence& key)
{
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    return action;
}

void RunPage::makeActions()
{
    RunToolbar::Actions& actions = m->actions;
    actions.back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left);
    actions.forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right);
    actions.fit = makeAction("fitIteration", tr("Fit the iteration"), {});
    m->fitAll = makeAction("fitAll", tr("Fit the whole run"), Qt::Key_0);
    m->fitSelection = makeAction("fitSelection", tr("Zoom to the selection"), Qt::Key_F);
    actions.flow = makeAction("flow", tr("Flow of the selected micro-batch"), Qt::Key_L);
    actions.flow->setCheckable(true);
    actions.flow->setChecked(true);
    actions.stop = makeAction("stopRun", tr("Stop"), {});
    actions.stop->setToolTip(tr("Stops the worker; whole iterations are kept"));
    actions.follow = makeAction("followRun", tr("Follow"), {});
    actions.follow->setToolTip(tr("Keeps the newest iteration in view"));
    actions.follow->setCheckable(true);
    actions.exportFigure = makeAction("exportFigure", tr("Export figure"), Qt::CTRL | Qt::Key_E);
    actions.showRuns = makeAction("showRuns", tr("Runs"), {});
    actions.showDetails = makeAction("showDetails", tr("Details"), {});
    m->foldPanels = makeAction("foldTables", tr("Fold or open the tables"), Qt::Key_T);
    m->compare = makeAction("compareWithPrediction", tr("Compare this run"), {});
    m->copyCommand = makeAction("copyCommand", tr("Copy as command"), {});
    for (QAction* action : {actions.showRuns, actions.showDetails}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    followTheme(actions.back, Icon::ChevronLeft, m_theme);
    followTheme(actions.forward, Icon::ChevronRight, m_theme);
    followTheme(actions.fit, Icon::Fit, m_theme);
    followTheme(actions.stop, Icon::Stop, m_theme);
    followTheme(actions.exportFigure, Icon::Export, m_theme);
    followTheme(actions.showRuns, Icon::Compare, m_theme);
    followTheme(actions.showDetails, Icon::Info, m_theme);
}

void RunPage::connectActions()
{
    const RunToolbar::Actions& actions = m->actions;
    connect(actions.back, &QAction::triggered, m->timeline, &TimelineWidget::zoomBack);
    connect(actions.forward, &QAction::triggered, m->timeline, &TimelineWidget::zoomForward);
    connect(actions.fit, &QAction::triggered, m->timeline, &TimelineWidget::zoomToFit);
    connect(m->fitAll, &QAction::triggered, m->timeline, &TimelineWidget::zoomToAll);
    connect(m->fitSelection, &QAction::triggered, m->timeline, &TimelineWidget::zoomToSelection);
    connect(actions.follow, &QAction::toggled, m->timeline, &TimelineWidget::setFollow);
    connect(m->timeline, &TimelineWidget::followChanged, actions.follow, &QAction::setChecked);
    using Flow = TimelineWidget::FlowMode;
    connect(actions.flow, &QAction::toggled, m->timeline,
            [this](bool on) { m->timeline->setFlowMode(on ? Flow::Selected : Flow::Off); });
    connect(m->timeline, &TimelineWidget::flowModeChanged, actions.flow,
            [flow = actions.flow](Flow mode) { flow->setChecked(mode == Flow::Selected); });
    connect(actions.stop, &QAction::triggered, this, [this] { m_library.stop(*m_document); });
    connect(actions.exportFigure, &QAction::triggered, this,
            [this] { Q_EMIT exportRequested({m_document->run()}); });
    connect(actions.showRuns, &QAction::toggled, this,
            [this](bool shown) { m->runs->setVisible(shown); });
    connect(actions.showDetails, &QAction::toggled, this, &RunPage::setDetailsVisible);
    connect(m->foldPanels, &QAction::triggered, this,
            [this] { m->panels->setFolded(!m->panels->isFolded()); });
    connect(m->compare, &QAction::triggered, this,
            [this] { Q_EMIT compareRequested({m_document->file()}); });
    connect(m->copyCommand, &QAction::triggered, this, [this] {
        if (const RunPointer run = m_document->run())
            QGuiApplication::clipboard()->setText(QString::fromStdString(run->info.command));
    });
}

QList<QAction*> RunPage::menuActions(Menu menu) const
{
    const RunToolbar::Actions& actions = m->actions;
    switch (menu) {
    case Menu::Run:
        return {actions.stop, actions.follow, m->copyCommand};
    case Menu::View:
        return {actions.back, actions.forward,  actions.fit,         m->fitAll,    m->fitSelection,
                actions.flow, actions.showRuns, actions.showDetails, m->foldPanels};
    case Menu::Compare:
        return {m->compare};
    case Menu::Export:
        return {actions.exportFigure};
    case Menu::File:
    case Menu::Analyze:
        break;
    }
    return {};
}

} // namespace app
