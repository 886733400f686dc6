#include "app/compare/compare_page.h"

#include "app/compare/compare_frame.h"
#include "app/compare/compare_summary.h"
#include "app/compare/compare_widget.h"
#include "app/compare/comparison_panels.h"
#include "app/compare/even_costs.h"
#include "app/compare/parameters_dialog.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/details/run_status.h"
#include "app/ui/band.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using profiler::RankBy;

constexpr RankBy kSortChoices[] = {RankBy::Iteration, RankBy::Bubble, RankBy::Peak, RankBy::Name};

int measuredIterations(const engine::Run& run)
{
    return static_cast<int>(std::ranges::count(
        run.timeline.iterations, engine::Iteration::Kind::Measured, &engine::Iteration::kind));
}

} // namespace

engine::Result<CompareNumbers> ComparePage::computeNumbers(const Compared& request)
{
    std::vector<const engine::Run*> compared;
    compared.reserve(request.runs.size());
    for (const RunPointer& run : request.runs)
        compared.push_back(run.get());
    return compareNumbers(compared, request.baseline, request.titles);
}

ComparePage::ComparePage(const ThemeController& theme, RunLibrary& library,
                         const std::vector<std::shared_ptr<RunDocument>>& documents,
                         QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_actions(theme, *this)
    , m_saver(new RunSaver(this))
{
    setObjectName(QStringLiteral("comparePage"));
    tick(documents);
    m_frame = new CompareFrame(theme, m_actions, library.runs());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(m_frame);
    setInitialFocus(m_frame->compare);
    connectActions();
    connectAll();
    connectLanes();
    refresh();
}

void ComparePage::tick(const std::vector<std::shared_ptr<RunDocument>>& documents)
{
    RunsModel& runs = m_library.runs();
    for (int row = 0; row < runs.rowCount(); ++row)
        runs.setChecked(runs.at(row).get(), std::ranges::count(documents, runs.at(row)) > 0);
}

void ComparePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_frame->compare->setFocus();
}

void ComparePage::connectActions()
{
    const auto on
        = [this](QAction* action, auto slot) { connect(action, &QAction::triggered, this, slot); };
    CompareWidget* lanes = m_frame->compare;
    on(m_actions.back, [lanes] { lanes->zoomBack(); });
    on(m_actions.forward, [lanes] { lanes->zoomForward(); });
    on(m_actions.fit, [lanes] { lanes->zoomToFit(); });
    on(m_actions.blink, [lanes] { lanes->blink(); });
    on(m_actions.addRun, &ComparePage::addRunMenu);
    on(m_actions.predict, &ComparePage::addPrediction);
    on(m_actions.exportFigure, [this] { Q_EMIT exportRequested(m_compared.baselineFirst()); });
    on(m_actions.report, [this] { m_saver->saveReport(m_compared.baselineFirst(), title()); });
    on(m_actions.parameters, &ComparePage::showParameters);
    for (const CompareActions::Rank& rank : m_actions.ranks)
        on(rank.action, [this, by = rank.by] { rankBy(by); });
    connect(m_actions.ghost, &QAction::toggled, lanes, &CompareWidget::setGhost);
}

void ComparePage::connectAll()
{
    RunsModel& runs = m_library.runs();
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, &ComparePage::refresh);
    const auto later = [this] { m_refresh.start(0); };
    connect(&runs, &RunsModel::dataChanged, this, later);
    connect(&runs, &RunsModel::rowsRemoved, this, later);
    connect(&runs, &RunsModel::rowsInserted, this, later);
    connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
        m_frame->compare->setViews(views, m_compared.baseline(), m_compared.titles());
        m_hasViews = true;
        m_frame->setCompact(m_frame->compare->isCompact());
        showNumbers();
    });
    linkDock(*m_frame->dock, m_library, *this);
    connect(m_frame->baseline, &QComboBox::activated, this, &ComparePage::setBaseline);
    connect(m_frame->empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
    connect(m_frame->summary, &CompareSummary::allRequested, this, &ComparePage::showParameters);
    connect(m_frame->tables, &ComparisonPanels::runChosen, this, &ComparePage::choose);
    connect(m_frame->tables, &ComparisonPanels::onlyRequested, this,
            [this](const std::vector<std::size_t>& only) {
                if (!m_numbers)
                    return; // the chart still shows the previous runs
                std::vector<std::shared_ptr<RunDocument>> documents;
                for (const std::size_t run : only)
                    documents.push_back(m_compared.documents()[run]);
                tick(documents);
            });
    connect(m_frame->sort, &SegmentControl::currentChanged, this,
            [this](int choice) { rankBy(kSortChoices[choice]); });
    connect(m_frame->lane, &SegmentControl::currentChanged, this, [this](int choice) {
        m_frame->compare->setLane(choice == 0 ? LaneOf::MeanOfDevices : LaneOf::WorstDevice);
    });
    connect(m_frame->align, &SegmentControl::currentChanged, this,
            [this](int choice) { m_frame->compare->setAlign(static_cast<CompareAlign>(choice)); });
}

void ComparePage::connectLanes()
{
    CompareWidget* lanes = m_frame->compare;
    connect(lanes, &CompareWidget::runChosen, this, &ComparePage::choose);
    connect(lanes, &CompareWidget::rankRequested, this, &ComparePage::rankBy);
    connect(lanes, &CompareWidget::baselineRequested, this, &ComparePage::setBaseline);
    connect(lanes, &CompareWidget::openRequested, this, [this](int run) {
        if (m_compared.has(run))
            Q_EMIT pageRequested(
                {"run", {}, {m_compared.documents()[static_cast<std::size_t>(run)]}});
    });
    connect(lanes, &CompareWidget::styleChanged, this,
            [this] { m_frame->setCompact(m_frame->compare->isCompact()); });
    connect(lanes, &CompareWidget::selectionChanged, this, &ComparePage::explain);
    connect(m_frame->details, &DetailsPanel::jumpTo, this, [this](const Selection& selection) {
        if (m_explained >= 0)
            m_frame->compare->select(static_cast<std::size_t>(m_explained), selection);
    });
}

void ComparePage::refresh()
{
    TickedRuns ticked(m_library.runs().checked());
    m_frame->refused->hide();
    if (!ticked.refused.isEmpty())
        m_frame->refused->show(Band::Kind::Error, tr("Not opened."),
                               ticked.refused.join(QStringLiteral("; ")));
    if (m_compared.take(std::move(ticked.complete)))
        showRuns();
    m_frame->showUnfinished(static_cast<int>(m_compared.size()), ticked.unfinished);
}

void ComparePage::showRuns()
{
    const std::vector<RunPointer>& runs = m_compared.runs();
    m_frame->tables->setCurrent(m_compared.current());
    m_frame->showPart(runs.empty() ? CompareFrame::Empty : CompareFrame::Rows);
    m_frame->single->setVisible(runs.size() == 1);
    m_actions.blink->setEnabled(runs.size() > 1);
    m_actions.exportFigure->setEnabled(!runs.empty());
    m_actions.report->setEnabled(runs.size() > 1);
    m_actions.parameters->setEnabled(!runs.empty());
    m_parameters = parametersOf(runs);
    m_frame->summary->show(m_parameters, m_compared.commonMode());
    fillBaselines();
    m_numbers = nullptr;
    m_hasViews = false;
    m_explained = -1; // was an index of the previous runs
    m_frame->details->show(nullptr, {});
    m_views.ask(runs);
    askForNumbers();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void ComparePage::askForNumbers()
{
    if (!m_compared.runs().empty())
        return m_asked.ask({m_compared.runs(), m_compared.baseline(), m_compared.titles()});
    m_asked.drop();
    m_frame->tables->clear();
}

void ComparePage::takeNumbers(engine::Result<CompareNumbers> numbers)
{
    m_frame->band->setVisible(!numbers);
    if (!numbers) {
        m_frame->band->show(Band::Kind::Error, tr("The runs were not compared."),
                            QString::fromStdString(numbers.error().message));
        return;
    }
    m_frame->showNotes(numbers->comparison);
    m_numbers = rankedBy(*numbers, m_rankBy, m_direction);
    m_frame->tables->show(m_numbers, m_compared.titles(), m_compared.baselineInfo());
    showNumbers();
    Q_EMIT statusChanged();
}

void ComparePage::showNumbers()
{
    if (m_hasViews && m_numbers) {
        m_frame->compare->setNumbers(m_numbers);
        m_frame->compare->setCurrent(m_frame->tables->current());
    }
    m_frame->distributeHeight();
}

// Ranking by the same value again reverses the order.
void ComparePage::rankBy(RankBy by)
{
    using profiler::RankOrder;
    const bool isAgain = by == m_rankBy && m_direction == RankOrder::BestFirst;
    m_direction = isAgain ? RankOrder::WorstFirst : RankOrder::BestFirst;
    m_rankBy = by;
    const auto choice = std::ranges::find(kSortChoices, by);
    if (choice != std::end(kSortChoices)) {
        const QSignalBlocker blocker(m_frame->sort);
        m_frame->sort->setCurrent(static_cast<int>(choice - std::begin(kSortChoices)));
    }
    if (!m_numbers)
        return;
    m_numbers = rankedBy(*m_numbers, m_rankBy, m_direction);
    showNumbers();
    Q_EMIT statusChanged();
}

void ComparePage::fillBaselines()
{
    const QSignalBlocker blocker(m_frame->baseline);
    m_frame->baseline->clear();
    m_frame->baseline->addItems(m_compared.titles());
    m_frame->baseline->setCurrentIndex(
        m_compared.runs().empty() ? -1 : static_cast<int>(m_compared.baseline()));
    m_frame->baseline->setEnabled(m_compared.size() > 1);
}

void ComparePage::setBaseline(int run)
{
    if (!m_compared.has(run))
        return;
    m_frame->baseline->setCurrentIndex(run);
    const std::size_t before = m_compared.baseline();
    m_compared.chooseBaseline(static_cast<std::size_t>(run));
    if (m_compared.baseline() == before)
        return;
    m_frame->compare->setBaseline(m_compared.baseline());
    askForNumbers();
}

// The lanes, the tables and the charts show the same run.
void ComparePage::choose(int run)
{
    if (!m_compared.has(run))
        return;
    m_compared.choose(static_cast<std::size_t>(run));
    m_frame->compare->setCurrent(run);
    m_frame->tables->setCurrent(run);
    if (m_hasViews && m_actions.showDetails->isChecked() && run != m_explained)
        explain(run, {});
    Q_EMIT statusChanged();
}

void ComparePage::explain(int run, const Selection& selection)
{
    if (run < 0 || !m_hasViews)
        return;
    m_explained = run;
    m_frame->details->show(m_frame->compare->view(static_cast<std::size_t>(run)), selection);
    if (selection.kind != Selection::Kind::None)
        m_frame->openDetails();
}

void ComparePage::showParameters()
{
    (new ParametersDialog(m_theme, m_parameters, m_compared.titles(), this))->open();
}

void ComparePage::addPrediction()
{
    if (m_compared.runs().empty())
        return;
    m_background.run(
        [run = m_compared.runs().front()] { return withEvenCosts(*run); },
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

// Shows a menu of the open runs that are not compared yet. Its last entry opens a file dialog.
void ComparePage::addRunMenu()
{
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("addRunMenu"));
    RunsModel& runs = m_library.runs();
    for (int row = 0; row < runs.rowCount(); ++row) {
        const auto document = runs.at(row);
        if (std::ranges::count(m_compared.documents(), document) > 0 || document->isRunning())
            continue;
        connect(menu.addAction(menuText(document->title())), &QAction::triggered, this,
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

QStringList ComparePage::statusTexts() const
{
    if (m_compared.runs().empty())
        return {};
    const engine::RunInfo& info = m_compared.baselineInfo();
    QStringList texts{QStringLiteral("<b>%1</b> %2")
                          .arg(tr("Baseline"),
                               m_compared.titles()
                                   .value(static_cast<int>(m_compared.baseline()))
                                   .toHtmlEscaped())};
    const QString runs = countOf(static_cast<std::int64_t>(m_compared.size()), "run");
    const QString mode = m_compared.commonMode();
    texts.append(mode.isEmpty() ? runs : tr("%1, %2").arg(runs, mode));
    if (!info.deviceName.empty())
        texts.append(QString::fromStdString(info.deviceName).toHtmlEscaped());
    if (!info.link.empty())
        texts.append(linkStatus(info));
    if (m_numbers && m_frame->compare->isCompact())
        texts.append(
            tr("%1 of %2 on the Pareto front")
                .arg(std::ranges::count(profiler::paretoFront(m_numbers->comparison), true))
                .arg(m_compared.size()));
    return texts;
}

QString ComparePage::statusNote() const
{
    if (m_compared.runs().empty())
        return {};
    if (!m_numbers || !m_frame->compare->isCompact())
        return tr("the reported iteration of every run");
    const int iterations = measuredIterations(*m_compared.runs()[m_compared.baseline()]);
    if (m_numbers->ranking.isPerToken)
        return tr("ranked by the time per token");
    if (iterations > 1)
        return tr("ranked by the median of %1 iterations").arg(iterations);
    return tr("one iteration, no interval");
}

} // namespace app
