#include "app/models/plan/even_costs.h"
#include "app/pages/compare/compare_frame.h"
#include "app/pages/compare/compare_page.h"
#include "app/pages/run_saver.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/themed_icon.h"

#include <QAction>
#include <QFileDialog>
#include <QMenu>

#include <algorithm>

// What the user can do on the page of a comparison.

namespace app {
namespace {

// The runs in the order of a figure, whose first run is its baseline.
std::vector<RunPointer> baselineFirst(std::vector<RunPointer> runs, std::size_t baseline)
{
    if (baseline < runs.size())
        std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(baseline),
                    runs.begin() + static_cast<std::ptrdiff_t>(baseline) + 1);
    return runs;
}

} // namespace

void ComparePage::makeActions()
{
    const auto lanes = [this]() -> CompareWidget& { return *m_frame->compare; };
    m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left,
                        [lanes] { lanes().zoomBack(); });
    m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right,
                           [lanes] { lanes().zoomForward(); });
    m_fit = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0, [lanes] { lanes().zoomToFit(); });
    m_blink
        = makeAction("blinkRuns", tr("Blink two runs"), Qt::Key_B, [lanes] { lanes().blink(); });
    m_blink->setToolTip(tr("Swaps the first two runs in place"));
    m_addRun = makeAction("addRun", tr("Add run"), {}, [this] { addRunMenu(); });
    m_predict = makeAction("comparePrediction", tr("Compare with prediction"), {},
                           [this] { addPrediction(); });
    m_predict->setToolTip(tr(
        "Adds the schedule of the first run, simulated with the median time of each kind of op"));
    m_export = makeAction("exportFigure", tr("Export figure"), Qt::CTRL | Qt::Key_E,
                          [this] { Q_EMIT exportRequested(baselineFirst(m_runs, m_baseline)); });
    m_report
        = makeAction("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
                     [this] { m_saver->saveReport(baselineFirst(m_runs, m_baseline), title()); });
    m_parametersAction
        = makeAction("showParameters", tr("Show all parameters"), {}, [this] { showParameters(); });
    m_showRuns = makeAction("showRuns", tr("Runs"), {});
    m_showRuns->setCheckable(true);
    m_showRuns->setChecked(true);
    m_showDetails = makeAction("showDetails", tr("Details"), {});
    m_showDetails->setCheckable(true);
    m_ghost = makeAction("showGhost", tr("Outline of the baseline"), Qt::Key_G, {},
                         tr("draw the boxes of the baseline over the devices of other runs"));
    m_ghost->setCheckable(true);
    connect(m_ghost, &QAction::toggled, this, [lanes](bool isOn) { lanes().setGhost(isOn); });
    followTheme(m_back, Icon::ChevronLeft, m_theme);
    followTheme(m_forward, Icon::ChevronRight, m_theme);
    followTheme(m_fit, Icon::Fit, m_theme);
    for (QAction* action : {m_blink, m_showRuns})
        followTheme(action, Icon::Compare, m_theme);
    followTheme(m_showDetails, Icon::Info, m_theme);
    followTheme(m_addRun, Icon::Plus, m_theme);
    followTheme(m_export, Icon::Export, m_theme);
}

void ComparePage::makeRankActions()
{
    const auto add = [this](const char* name, const QString& text, profiler::RankBy by) {
        m_rankActions << makeAction(name, text, {}, [this, by] { rankBy(by); });
    };
    add("rankByIteration", tr("Sort by iteration time"), profiler::RankBy::Iteration);
    add("rankByBubble", tr("Sort by bubble"), profiler::RankBy::Bubble);
    add("rankByPeak", tr("Sort by peak memory"), profiler::RankBy::Peak);
    add("rankByMessages", tr("Sort by messages"), profiler::RankBy::Messages);
    add("rankByName", tr("Sort by name"), profiler::RankBy::Name);
}

void ComparePage::addPrediction()
{
    if (m_runs.empty())
        return;
    m_background.run(
        [run = m_runs.front()] { return withEvenCosts(*run); },
        [this](engine::Result<engine::Run> predicted) {
            if (predicted) {
                m_library.runs().setChecked(m_library.add(std::move(*predicted)).get(), true);
            } else {
                m_frame->band->show(Band::Kind::Error, tr("The run was not predicted."),
                                    QString::fromStdString(predicted.error().message));
                m_frame->band->setVisible(true);
            }
        });
}

// A menu of the open runs that are not compared yet, and of a file dialog.
void ComparePage::addRunMenu()
{
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("addRunMenu"));
    RunsModel& runs = m_library.runs();
    for (int row = 0; row < runs.rowCount(); ++row) {
        const auto document = runs.at(row);
        if (std::ranges::count(m_documents, document) > 0 || document->isRunning())
            continue;
        connect(menu.addAction(document->title()), &QAction::triggered, this,
                [&runs, document] { runs.setChecked(document.get(), true); });
    }
    if (!menu.isEmpty())
        menu.addSeparator();
    connect(menu.addAction(tr("Open a run file…")), &QAction::triggered, this, [this] {
        const QStringList files = QFileDialog::getOpenFileNames(
            this, tr("Add runs"), {}, tr("Runs (*.sqlite);;All files (*)"));
        for (const QString& file : files)
            m_library.runs().setChecked(m_library.open(file).get(), true);
    });
    menu.exec(QCursor::pos());
}

QList<QAction*> ComparePage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::View:
        return {m_back, m_forward, m_fit, m_ghost, m_showRuns, m_showDetails};
    case Menu::Compare:
        return QList<QAction*>{m_blink, m_addRun, m_predict, m_parametersAction} + m_rankActions;
    case Menu::Export:
        return {m_export, m_report};
    default:
        return {};
    }
}

} // namespace app
