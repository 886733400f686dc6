// What can be done on a run's page, and what of it stands in the menus.
#include "app/pages/run_page_parts.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/timeline/timeline_widget.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>

namespace app {

void RunPage::makeActions()
{
    RunToolbar::Actions& actions = m->actions;
    actions.back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left);
    actions.forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right);
    actions.fit = makeAction("fitIteration", tr("Fit the iteration"), {});
    m->fitAll = makeAction("fitAll", tr("Fit the whole run"), Qt::Key_0);
    m->fitSelection = makeAction("fitSelection", tr("Zoom to the selection"), Qt::Key_F);
    m->flow = makeAction("flow", tr("Flow: off, selected, all"), Qt::Key_L);
    m->colourBy = makeAction("colourByNext", tr("Colour by: next"), Qt::Key_C);
    m->kernels = makeAction("showKernels", tr("Kernels under their ops"), Qt::Key_G);
    m->kernels->setStatusTip(tr("show, hide the kernels under their ops"));
    m->kernels->setCheckable(true);
    actions.find = makeAction("find", tr("Find"), QKeySequence::Find);
    actions.find->setToolTip(tr("Ops by kind, micro-batch, stage, duration (Ctrl+F)"));
    actions.find->setStatusTip(tr("find ops, with facets"));
    m->findNext = makeAction("findNextHit", tr("Next hit"), Qt::Key_F3);
    m->findPrevious = makeAction("findPreviousHit", tr("Hit before"), Qt::SHIFT | Qt::Key_F3);
    m->note = makeAction("noteSelection", tr("Note on the selection"), Qt::Key_N);
    m->note->setStatusTip(tr("note on what is selected"));
    m->bookmark = makeAction("bookmarkSelection", tr("Bookmark the selection"), Qt::Key_M);
    m->bookmark->setStatusTip(tr("bookmark what is selected"));
    m->undoNote = makeAction("undoNote", tr("Undo"), QKeySequence::Undo);
    m->redoNote = makeAction("redoNote", tr("Redo"), QKeySequence::Redo);
    m->saveCopy
        = makeAction("saveCopy", tr("Save a copy of the run…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S);
    actions.pause = makeAction("pauseRun", tr("Pause"), {});
    actions.pause->setCheckable(true);
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
    followTheme(actions.pause, Icon::Pause, m_theme);
    followTheme(actions.stop, Icon::Stop, m_theme);
    followTheme(actions.find, Icon::Search, m_theme);
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
    connectLook();
    connectFind();
    connectNotes();
    connect(actions.pause, &QAction::triggered, this,
            [this](bool paused) { m_library.setPaused(*m_document, paused); });
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

// Flow and colours: the keys go on to the next choice, the toolbar chooses one.
void RunPage::connectLook()
{
    using Mode = TimelineWidget::FlowMode;
    const auto setFlow = [this](int mode) { m->timeline->setFlowMode(static_cast<Mode>(mode)); };
    connect(m->flow, &QAction::triggered, this,
            [this, setFlow] { setFlow((static_cast<int>(m->timeline->flowMode()) + 1) % 3); });
    connect(m->toolbar, &RunToolbar::flowChosen, this, setFlow);
    connect(m->timeline, &TimelineWidget::flowModeChanged, m->toolbar,
            [this](Mode mode) { m->toolbar->setFlow(static_cast<int>(mode)); });
    m->toolbar->setFlow(static_cast<int>(m->timeline->flowMode()));
    connect(m->kernels, &QAction::triggered, this, &RunPage::setKernelsShown);
    connect(m->toolbar, &RunToolbar::kernelsChosen, this, &RunPage::setKernelsShown);
    connect(m->timeline, &TimelineWidget::kernelsShownChanged, this, [this](bool shown) {
        m->kernels->setChecked(shown);
        m->toolbar->setKernelsShown(shown);
    });
    connect(m->colourBy, &QAction::triggered, this,
            [this] { m->timeline->setColourBy(nextColourBy(m->timeline->colourBy())); });
    connect(m->toolbar, &RunToolbar::colourByChosen, this,
            [this](int by) { m->timeline->setColourBy(static_cast<ColourBy>(by)); });
    connect(m->timeline, &TimelineWidget::colourByChanged, m->toolbar,
            [this](ColourBy by) { m->toolbar->setColourBy(static_cast<int>(by)); });
}

QList<QAction*> RunPage::menuActions(Menu menu) const
{
    const RunToolbar::Actions& actions = m->actions;
    switch (menu) {
    case Menu::Run:
        return {actions.pause, actions.stop, actions.follow, m->copyCommand};
    case Menu::View:
        return {actions.back, actions.forward, actions.fit, m->fitAll,        m->fitSelection,
                m->flow,      m->colourBy,     m->kernels,  actions.showRuns, actions.showDetails,
                m->foldPanels};
    case Menu::Compare:
        return {m->compare};
    case Menu::Export:
        return {actions.exportFigure};
    case Menu::Analyze:
        return {actions.find, m->findNext, m->findPrevious, m->note,
                m->bookmark,  m->undoNote, m->redoNote};
    case Menu::File:
        return {m->saveCopy};
    }
    return {};
}

} // namespace app
