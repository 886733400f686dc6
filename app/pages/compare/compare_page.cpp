#include "app/pages/compare/compare_page.h"

#include "app/models/numbers.h"
#include "app/pages/compare/compare_frame.h"
#include "app/pages/compare/parameters_dialog.h"
#include "app/pages/dock_links.h"
#include "app/pages/run_saver.h"
#include "app/widgets/compare/compare_summary.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/compare/comparison_panels.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/segment_control.h"
#include "app/widgets/run/details_panel.h"

#include <QAction>
#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using profiler::RankBy;

constexpr RankBy kSortChoices[] = {RankBy::Iteration, RankBy::Bubble, RankBy::Peak, RankBy::Name};

// 1F1B, the usual reference, if it is among the runs.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

int measuredIterations(const engine::Run& run)
{
    return static_cast<int>(std::ranges::count(
        run.timeline.iterations, engine::Iteration::Kind::Measured, &engine::Iteration::kind));
}

} // namespace

ComparePage::ComparePage(const ThemeController& theme, RunLibrary& library,
                         const std::vector<std::shared_ptr<RunDocument>>& documents,
                         QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_background(this)
    , m_saver(new RunSaver(this))
{
    setObjectName(QStringLiteral("comparePage"));
    tick(documents);
    makeActions();
    makeRankActions();
    m_frame = new CompareFrame(theme,
                               {m_back, m_forward, m_fit, m_blink, m_addRun, m_export, m_report,
                                m_predict, m_showRuns, m_showDetails, m_ghost},
                               library.runs());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(m_frame);
    setInitialFocus(m_frame->compare);
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
        m_frame->compare->setViews(views, m_baseline, titles());
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
                std::vector<std::shared_ptr<RunDocument>> documents;
                for (const std::size_t run : only)
                    documents.push_back(m_documents[run]);
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
    connect(lanes, &CompareWidget::baselineRequested, this, [this](int run) {
        m_frame->baseline->setCurrentIndex(run);
        setBaseline(run);
    });
    connect(lanes, &CompareWidget::openRequested, this, [this](int run) {
        Q_EMIT openRequested(m_documents[static_cast<std::size_t>(run)]->file());
    });
    connect(lanes, &CompareWidget::styleChanged, this,
            [this] { m_frame->setCompact(m_frame->compare->isCompact()); });
    connect(lanes, &CompareWidget::selectionChanged, this, &ComparePage::explain);
    connect(m_frame->details, &DetailsPanel::jumpTo, this, [this](const Selection& selection) {
        if (m_explained >= 0)
            m_frame->compare->select(static_cast<std::size_t>(m_explained), selection);
    });
}

// A run is added when it has ended and was read whole, because a part of it is not comparable.
void ComparePage::refresh()
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    std::vector<RunPointer> runs;
    QStringList refused;
    int unfinished = 0;
    for (const auto& document : m_library.runs().checked()) {
        if (document->state() == RunDocument::State::Failed
            && !hasIterations(document->run().get()))
            refused.append(document->notice().text);
        const bool isGrowing = document->isRunning() || document->isPartlyRead();
        unfinished += isGrowing || document->isQueued() ? 1 : 0;
        if (isGrowing || !hasIterations(document->run().get()))
            continue;
        documents.push_back(document);
        runs.push_back(document->run());
    }
    m_frame->refused->hide();
    if (!refused.isEmpty())
        m_frame->refused->show(Band::Kind::Error, tr("Not opened."),
                               refused.join(QStringLiteral("; ")));
    const bool isSame = runs == m_runs && documents == m_documents && m_generation > 0;
    if (!isSame)
        takeRuns(std::move(documents), std::move(runs));
    showUnfinished(unfinished);
}

void ComparePage::takeRuns(std::vector<std::shared_ptr<RunDocument>> documents,
                           std::vector<RunPointer> runs)
{
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    const auto current = std::ranges::find(m_documents, m_current);
    m_frame->tables->setCurrent(
        current == m_documents.end() ? -1 : static_cast<int>(current - m_documents.begin()));
    m_frame->showPart(m_runs.empty() ? CompareFrame::Empty : CompareFrame::Rows);
    m_frame->single->setVisible(m_runs.size() == 1);
    m_blink->setEnabled(m_runs.size() > 1);
    m_export->setEnabled(!m_runs.empty());
    m_report->setEnabled(m_runs.size() > 1);
    m_parametersAction->setEnabled(!m_runs.empty());
    m_parameters = parametersOf(m_runs);
    m_frame->summary->show(m_parameters, commonMode());
    fillBaselines();
    m_numbers = nullptr;
    m_hasViews = false;
    m_views.ask(m_runs);
    askForNumbers();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void ComparePage::showUnfinished(int unfinished)
{
    const auto complete = static_cast<int>(m_runs.size());
    m_frame->summary->setNote(
        unfinished == 0
            ? QString()
            : tr("%1 of %2 runs are complete").arg(complete).arg(complete + unfinished));
    m_frame->empty->setTexts(unfinished == 0
                                 ? tr("Tick two runs to compare them")
                                 : tr("%1 in the queue").arg(countOf(unfinished, "run")),
                             unfinished == 0 ? tr("Tick runs in the list on the left, or add one.")
                                             : tr("Each run is added here when it is complete."));
}

QString ComparePage::commonMode() const
{
    const bool isCommon = std::ranges::all_of(
        m_runs, [&](const RunPointer& run) { return run->info.mode == m_runs[0]->info.mode; });
    return m_runs.empty() || !isCommon ? QString() : modeText(m_runs[0]->info);
}

void ComparePage::askForNumbers()
{
    ++m_generation;
    if (m_runs.empty()) {
        m_frame->tables->clear();
        return;
    }
    m_background.run(
        [runs = m_runs, baseline = m_baseline, titles = titles()] {
            std::vector<const engine::Run*> compared;
            compared.reserve(runs.size());
            for (const RunPointer& run : runs)
                compared.push_back(run.get());
            return compareNumbers(compared, baseline, titles);
        },
        [this, asked = m_generation](engine::Result<CompareNumbers> numbers) {
            if (asked == m_generation)
                takeNumbers(std::move(numbers));
        });
}

QStringList ComparePage::titles() const
{
    QStringList titles;
    for (const auto& document : m_documents)
        titles.append(document->title());
    return titles;
}

void ComparePage::takeNumbers(engine::Result<CompareNumbers> numbers)
{
    m_frame->band->setVisible(!numbers);
    if (!numbers) {
        m_frame->band->show(Band::Kind::Error, tr("The runs were not compared."),
                            QString::fromStdString(numbers.error().message));
        return;
    }
    showNotes(numbers->comparison);
    m_numbers = rankedBy(*numbers, m_rankBy, m_direction);
    m_frame->tables->show(m_numbers, titles(), m_runs[m_baseline]->info);
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

void ComparePage::showNotes(const profiler::Comparison& comparison)
{
    const bool isAlike = comparison.comparable && comparison.notes.empty();
    m_frame->band->setVisible(!isAlike);
    if (isAlike)
        return;
    QStringList notes;
    for (const std::string& note : comparison.notes)
        notes.append(QString::fromStdString(note));
    if (rankRuns(comparison, RankBy::Iteration).isPerToken)
        notes.append(tr("they are ranked by the time per token"));
    m_frame->band->show(Band::Kind::Warning,
                        comparison.comparable ? tr("The runs differ:")
                                              : tr("The runs have different units:"),
                        notes.join(QStringLiteral("; ")) + QLatin1Char('.'));
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
    m_frame->baseline->addItems(titles());
    m_frame->baseline->setCurrentIndex(m_runs.empty() ? -1 : static_cast<int>(m_baseline));
    m_frame->baseline->setEnabled(m_runs.size() > 1);
}

void ComparePage::setBaseline(int run)
{
    if (run < 0)
        return;
    m_chosen = m_documents[static_cast<std::size_t>(run)];
    if (static_cast<std::size_t>(run) == m_baseline)
        return;
    m_baseline = static_cast<std::size_t>(run);
    m_frame->compare->setBaseline(m_baseline);
    askForNumbers();
}

// The lanes, the tables and the charts show the same run.
void ComparePage::choose(int run)
{
    if (run >= static_cast<int>(m_documents.size()))
        return; // the charts still show runs that were removed
    m_current = m_documents[static_cast<std::size_t>(run)];
    m_frame->compare->setCurrent(run);
    m_frame->tables->setCurrent(run);
    if (m_hasViews && m_showDetails->isChecked() && run != m_explained)
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
    (new ParametersDialog(m_theme, m_parameters, titles(), this))->open();
}

QStringList ComparePage::statusTexts() const
{
    if (m_runs.empty())
        return {};
    const engine::RunInfo& info = m_runs[m_baseline]->info;
    QStringList texts{QStringLiteral("<b>%1</b> %2")
                          .arg(tr("Baseline"), titles().value(static_cast<int>(m_baseline)))};
    const QString runs = countOf(static_cast<std::int64_t>(m_runs.size()), "run");
    texts.append(commonMode().isEmpty() ? runs : tr("%1, %2").arg(runs, commonMode()));
    if (!info.deviceName.empty())
        texts.append(QString::fromStdString(info.deviceName).toHtmlEscaped());
    if (!info.link.empty())
        texts.append(tr("link %1").arg(QString::fromStdString(info.link).toHtmlEscaped()));
    if (m_numbers && m_frame->compare->isCompact())
        texts.append(
            tr("%1 of %2 on the Pareto front")
                .arg(std::ranges::count(profiler::paretoFront(m_numbers->comparison), true))
                .arg(m_runs.size()));
    return texts;
}

QString ComparePage::statusNote() const
{
    if (m_runs.empty())
        return {};
    if (!m_numbers || !m_frame->compare->isCompact())
        return tr("the reported iteration of every run");
    const int iterations = measuredIterations(*m_runs[m_baseline]);
    if (m_numbers->ranking.isPerToken)
        return tr("ranked by the time per token");
    if (iterations > 1)
        return tr("ranked by the median of %1 iterations").arg(iterations);
    return tr("one iteration, no interval");
}

} // namespace app
