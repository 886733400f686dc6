#include "app/compare/compare_page.h"

#include "app/compare/compare_numbers.h"
#include "app/compare/compare_widget.h"
#include "app/compare/comparison_panels.h"
#include "app/compare/run_parameters.h"
#include "app/documents/runs_model.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/details/run_status.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

using profiler::RankBy;

constexpr int kRunsWidth = 216, kDetailsWidth = 292;
constexpr int kLeastTables = 120, kMostTables = 340;
constexpr int kFoldRuns = 1180, kFoldDetails = 1360; // width of the page
constexpr RankBy kSortChoices[] = {RankBy::Iteration, RankBy::Bubble, RankBy::Peak, RankBy::Name};

int measuredIterations(const engine::Run& run)
{
    return static_cast<int>(std::ranges::count(
        run.timeline.iterations, engine::Iteration::Kind::Measured, &engine::Iteration::kind));
}

Band* makeStateBand(const ThemeController& theme, const char* name)
{
    auto* band = named(new Band(theme, Band::Shape::State), name);
    band->hide();
    return band;
}

SegmentControl* makeSegments(const ThemeController& theme, const char* name, const QString& title,
                             const QStringList& choices)
{
    auto* segments = named(new SegmentControl(theme, choices), name);
    segments->setName(title);
    segments->setCompact();
    return segments;
}

// Returns the index of the first 1F1B run, because 1F1B is the usual reference; 0 if there is none.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

} // namespace

TickedRuns::TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked)
{
    for (const auto& document : ticked) {
        const bool isShown = hasIterations(document->run().get());
        if (document->state() == RunDocument::State::Failed && !isShown)
            refused.append(document->notice().text);
        const bool isGrowing = document->isRunning() || document->isPartlyRead();
        unfinished += isGrowing || document->isQueued() ? 1 : 0;
        if (!isGrowing && isShown)
            complete.push_back(document);
    }
}

bool ComparedRuns::take(std::vector<std::shared_ptr<RunDocument>> documents)
{
    std::vector<RunPointer> runs;
    for (const auto& document : documents)
        runs.push_back(document->run());
    if (std::exchange(m_isTaken, true) && runs == m_runs && documents == m_documents)
        return false;
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    return true;
}

void ComparedRuns::chooseBaseline(std::size_t run)
{
    m_chosen = m_documents[run];
    m_baseline = run;
}

std::vector<RunPointer> ComparedRuns::baselineFirst() const
{
    std::vector<RunPointer> runs = m_runs;
    if (!runs.empty())
        std::ranges::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(m_baseline),
                            runs.begin() + static_cast<std::ptrdiff_t>(m_baseline) + 1);
    return runs;
}

int ComparedRuns::current() const
{
    const auto current = std::ranges::find(m_documents, m_current);
    return current == m_documents.end() ? -1 : static_cast<int>(current - m_documents.begin());
}

QStringList ComparedRuns::titles() const
{
    QStringList titles;
    for (const auto& document : m_documents)
        titles.append(document->title());
    return titles;
}

QString ComparedRuns::commonMode() const
{
    const bool isCommon = std::ranges::all_of(
        m_runs, [&](const RunPointer& run) { return run->info.mode == m_runs[0]->info.mode; });
    return m_runs.empty() || !isCommon ? QString() : modeText(m_runs[0]->info);
}

ComparePage::ComparePage(const ThemeController& theme, RunLibrary& library,
                         const std::vector<std::shared_ptr<RunDocument>>& documents,
                         QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_saver(new RunSaver(this))
    , m_dock(new RunsDock(theme, library.runs()))
    , m_same(named(makeLabel({}, "small"), "compareSummary"))
    , m_note(named(makeLabel({}, "hint"), "compareNote"))
    , m_mode(new Tag(theme))
    , m_allParameters(makeButton({}, QStringLiteral("allParameters"), "link"))
    , m_band(makeStateBand(theme, "compareBand"))
    , m_refused(makeStateBand(theme, "refusedBand"))
    , m_baseline(named(new QComboBox, "baseline", tr("Baseline")))
    , m_sort(makeSegments(theme, "sortRuns", tr("Sort"),
                          {tr("Iteration"), tr("Bubble"), tr("Peak memory"), tr("Name")}))
    , m_lane(makeSegments(theme, "laneOf", tr("Lane"), {tr("Mean of devices"), tr("Worst device")}))
    , m_align(makeSegments(theme, "alignRuns", tr("Align"),
                           {tr("Iteration start"), tr("First F"), tr("End")}))
    , m_lanes(new CompareWidget(theme))
    , m_tables(new ComparisonPanels(theme))
    , m_details(new DetailsPanel(theme))
    , m_empty(new EmptyState(theme,
                             {Icon::Compare, tr("Tick two runs to compare them"),
                              tr("Tick runs in the list on the left, or add one."), tr("Add run")}))
    , m_stack(new QStackedWidget)
    , m_rows(makeSplitter(Qt::Vertical))
{
    setObjectName(QStringLiteral("comparePage"));
    tick(documents);
    makeActions();
    layOut();
    setInitialFocus(m_lanes);
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

void ComparePage::makeActions()
{
    m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left,
                        [this] { m_lanes->zoomBack(); });
    m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right,
                           [this] { m_lanes->zoomForward(); });
    m_fit = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0, [this] { m_lanes->zoomToFit(); });
    m_addRun = makeAction("addRun", tr("Add run"), {}, [this] { addRunMenu(); });
    m_predict = makeAction("comparePrediction", tr("Compare with prediction"), {},
                           [this] { addPrediction(); });
    m_predict->setToolTip(tr(
        "Adds the schedule of the first run, simulated with the median time of each kind of op"));
    m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E,
                          [this] { Q_EMIT exportRequested(m_compared.baselineFirst()); });
    m_report = makeAction("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
                          [this] { m_saver->saveReport(m_compared.baselineFirst(), title()); });
    m_showParameters
        = makeAction("showParameters", tr("Show all parameters"), {}, [this] { showParameters(); });
    m_showRuns = makeAction("showRuns", tr("Runs"), {});
    m_showDetails = makeAction("showDetails", tr("Details"), {});
    m_ghost = makeAction("showGhost", tr("Outline of the baseline"), Qt::Key_G, {},
                         tr("draw the boxes of the baseline over the devices of other runs"));
    for (QAction* action : {m_showRuns, m_showDetails, m_ghost})
        action->setCheckable(true);
    m_showRuns->setChecked(true);
    connect(m_ghost, &QAction::toggled, m_lanes, &CompareWidget::setGhost);
    const auto rank = [this](const char* name, const QString& text, RankBy by) {
        m_ranks << makeAction(name, text, {}, [this, by] { rankBy(by); });
    };
    rank("rankByIteration", tr("Sort by iteration time"), RankBy::Iteration);
    rank("rankByBubble", tr("Sort by bubble"), RankBy::Bubble);
    rank("rankByPeak", tr("Sort by peak memory"), RankBy::Peak);
    rank("rankByMessages", tr("Sort by messages"), RankBy::Messages);
    rank("rankByName", tr("Sort by name"), RankBy::Name);
    for (const auto& [action, icon] :
         {std::pair(m_back, Icon::ChevronLeft), std::pair(m_forward, Icon::ChevronRight),
          std::pair(m_fit, Icon::Fit), std::pair(m_showRuns, Icon::Compare),
          std::pair(m_showDetails, Icon::Info), std::pair(m_addRun, Icon::Plus),
          std::pair(m_export, Icon::Export)})
        followTheme(action, icon, m_theme);
}

QList<QAction*> ComparePage::menuActions(Menu menu) const
{
    if (menu == Menu::View)
        return {m_back, m_forward, m_fit, m_ghost, m_showRuns, m_showDetails};
    if (menu == Menu::Export)
        return {m_export, m_report};
    return menu == Menu::Compare ? QList{m_addRun, m_predict, m_showParameters} + m_ranks
                                 : QList<QAction*>();
}

void ComparePage::layOut()
{
    QWidget* detailsDock = makeDetails();
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {static_cast<QWidget*>(m_dock), makeCentre(), detailsDock})
        columns->addWidget(column);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsWidth, 1384, kDetailsWidth});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    connect(m_showRuns, &QAction::toggled, this, [this](bool isShown) {
        m_dock->setVisible(isShown);
        distributeHeight();
    });
    connect(m_showDetails, &QAction::toggled, detailsDock, &QWidget::setVisible);
    connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
    m_rows->installEventFilter(this); // eventFilter() reacts to changes of its width
    setCompact(false);
}

QWidget* ComparePage::makeSummary()
{
    m_summary = new QWidget;
    m_summary->setFixedHeight(36);
    m_same->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_same->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_same->setTextFormat(Qt::RichText);
    spaced(new QHBoxLayout(m_summary), {12, 0, 12, 0}, 10,
           {new IconLabel(m_theme, Icon::Info, &Chrome::text2),
            {m_same, 1},
            m_note,
            m_mode,
            m_allParameters});
    return m_summary;
}

void ComparePage::showSummary()
{
    const QString same = sameText(m_parameters), differs = differsText(m_parameters);
    QStringList parts;
    if (!same.isEmpty())
        parts << QStringLiteral("<b>%1</b> %2").arg(tr("Same:"), same.toHtmlEscaped());
    parts << (differs.isEmpty()
                  ? (parts.isEmpty() ? tr("No setting differs") : tr("no setting differs"))
                  : QStringLiteral("<b>%1</b> %2")
                        .arg(parts.isEmpty() ? tr("Different:") : tr("different:"),
                             differs.toHtmlEscaped()));
    m_same->setText(parts.join(QStringLiteral("; ")));
    m_same->setToolTip(tr("Same: %1\nDifferent: %2")
                           .arg(same.isEmpty() ? tr("no setting") : same,
                                differs.isEmpty() ? tr("no setting") : differs));
    const QString mode = m_compared.commonMode();
    m_mode->setText(mode);
    m_mode->setVisible(!mode.isEmpty());
    m_allParameters->setText(tr("Show all %1 parameters").arg(m_parameters.size()));
}

QWidget* ComparePage::makeToolbar()
{
    m_baseline->setMinimumWidth(112);
    m_baseline->setMaximumWidth(200);
    QWidget* back = makeToolButton(m_back);
    QWidget* forward = makeToolButton(m_forward);
    for (QAction* action : {m_addRun, m_export}) {
        m_buttons << makeActionButton(action);
        m_icons.prepend(makeToolButton(action)); // updateToolbar() hides the first icons first
        m_icons.front()->setObjectName(action->objectName() + QStringLiteral("Icon"));
    }
    QWidget *line = makeLine(Qt::Vertical), *sortLabel = makeLabel(tr("Sort"), "small"),
            *laneLabel = makeLabel(tr("Lane"), "small"),
            *alignLabel = makeLabel(tr("Align"), "small"),
            *baselineLabel = makeLabel(tr("Baseline"), "small");
    m_tallOnly = {back, forward, line};
    m_compactOnly = {sortLabel, m_sort, laneLabel, m_lane};
    m_labels = {laneLabel, alignLabel, sortLabel, baselineLabel};
    m_bar = makeSurface("plain");
    m_bar->setFixedHeight(40);
    spaced(new QHBoxLayout(m_bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_showRuns), back, forward, makeToolButton(m_fit), line, alignLabel,
            m_align, baselineLabel, m_baseline, sortLabel, m_sort, laneLabel, m_lane, kStretch,
            m_buttons[0], m_icons[1], m_buttons[1], m_icons[0], makeToolButton(m_showDetails)});
    return m_bar;
}

QWidget* ComparePage::makeCentre()
{
    m_single = makeSurface("alt");
    spaced(new QHBoxLayout(m_single), {16, 8, 12, 8}, 10,
           {{makeLabel(tr("Tick another run in the list on the left, or compare this run with its "
                          "prediction."),
                       "secondary"),
             1},
            makeActionButton(m_predict)});
    m_rows->addWidget(m_lanes);
    m_rows->addWidget(m_tables);
    m_rows->setStretchFactor(0, 1);
    auto* nothing = new QWidget;
    spaced(new QVBoxLayout(nothing), {14, 14, 14, 14}, 0)->addWidget(m_empty);
    m_stack->addWidget(nothing);
    m_stack->addWidget(m_rows);
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {makeSummary(),
            makeLine(Qt::Horizontal),
            makeToolbar(),
            makeLine(Qt::Horizontal),
            m_refused,
            m_band,
            m_single,
            {m_stack, 1}});
    return centre;
}

QWidget* ComparePage::makeDetails()
{
    auto* column = named(makeSurface("plain"), "detailsDock");
    column->setMinimumWidth(220);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
    connect(close, &QToolButton::clicked, m_showDetails,
            [this] { m_showDetails->setChecked(false); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
    spaced(new QVBoxLayout(column), {}, 0, {title, makeLine(Qt::Horizontal), {m_details, 1}});
    column->hide();
    return column;
}

void ComparePage::distributeHeight()
{
    if (!m_areRowsChosen) {
        const int height = m_rows->height();
        const int unused = height - m_lanes->greatestHeight();
        const int most = std::max(kLeastTables, height / 2);
        const int wanted = std::max(m_tables->fittingHeight(), std::min(unused, kMostTables));
        const int below = std::clamp(wanted, kLeastTables, most);
        m_rows->setSizes({height - below, below});
    }
    m_tables->shareWidth();
}

void ComparePage::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    m_tables->setRanked(isCompact);
    updateToolbar();
    distributeHeight();
}

// Fits the toolbar into the window. If the width is not sufficient, replaces the buttons by their
// icons, then hides labels, then icons. The actions of hidden icons are also in the menus.
void ComparePage::updateToolbar()
{
    for (QWidget* part : m_tallOnly)
        part->setVisible(!m_isCompact);
    for (QWidget* part : m_compactOnly)
        part->setVisible(m_isCompact);
    for (QWidget* part : m_labels + m_buttons + m_icons)
        part->hide();
    const auto needed = [this] {
        m_bar->layout()->invalidate();
        // This assumes the minimum width of the list of baselines.
        return m_bar->layout()->minimumSize().width();
    };
    // The minimum width excludes the parts that can be hidden, because they would narrow the dock
    // of runs.
    m_bar->setMinimumWidth(needed());
    for (QWidget* label : m_labels)
        label->setVisible(m_isCompact || !m_compactOnly.contains(label));
    for (QWidget* button : m_buttons)
        button->show();
    const bool hasTexts = needed() <= m_rows->width();
    for (QWidget* button : m_buttons)
        button->setVisible(hasTexts);
    for (QWidget* icon : m_icons)
        icon->setVisible(!hasTexts);
    for (QWidget* part : m_labels + m_icons)
        if (needed() > m_rows->width())
            part->hide();
}

void ComparePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_lanes->setFocus();
    distributeHeight();
}

// Hides the docks that do not fit beside the lanes.
void ComparePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const bool hasRoom = width() >= kFoldRuns;
    if (hasRoom != std::exchange(m_hasRoomForRuns, hasRoom)) {
        m_showRuns->setChecked(hasRoom);
        if (!hasRoom)
            m_showDetails->setChecked(false);
    }
    distributeHeight();
}

bool ComparePage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_rows && event->type() == QEvent::Resize) {
        updateToolbar();
        m_tables->shareWidth();
    }
    return Page::eventFilter(watched, event);
}

void ComparePage::showUnfinished(int complete, int unfinished)
{
    m_note->setText(tr("%1 of %2 runs are complete").arg(complete).arg(complete + unfinished));
    m_note->setVisible(unfinished > 0);
    m_empty->setTexts(unfinished == 0 ? tr("Tick two runs to compare them")
                                      : tr("%1 in the queue").arg(countOf(unfinished, "run")),
                      unfinished == 0 ? tr("Tick runs in the list on the left, or add one.")
                                      : tr("Each run is added here when it is complete."));
}

void ComparePage::showNotes(const profiler::Comparison& comparison)
{
    const bool isAlike = comparison.comparable && comparison.notes.empty();
    m_band->setVisible(!isAlike);
    if (isAlike)
        return;
    QStringList notes;
    for (const std::string& note : comparison.notes)
        notes.append(QString::fromStdString(note));
    if (rankRuns(comparison, profiler::RankBy::Iteration).isPerToken)
        notes.append(tr("they are ranked by the time per token"));
    m_band->show(Band::Kind::Warning,
                 comparison.comparable ? tr("The runs differ:")
                                       : tr("The runs have different units:"),
                 notes.join(QStringLiteral("; ")) + QLatin1Char('.'));
}

void ComparePage::showFailure(const QString& bold, const engine::Error& error)
{
    m_band->show(Band::Kind::Error, bold, fromUtf8(error.message));
    m_band->setVisible(true);
}

engine::Result<CompareNumbers> ComparePage::computeNumbers(const Compared& request)
{
    std::vector<const engine::Run*> compared;
    compared.reserve(request.runs.size());
    for (const RunPointer& run : request.runs)
        compared.push_back(run.get());
    return compareNumbers(compared, request.baseline, request.titles);
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
        m_lanes->setViews(views, m_compared.baseline(), m_compared.titles());
        m_hasViews = true;
        setCompact(m_lanes->isCompact());
        showNumbers();
    });
    linkDock(*m_dock, m_library, *this);
    connect(m_baseline, &QComboBox::activated, this, &ComparePage::setBaseline);
    connect(m_empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
    connect(m_allParameters, &QPushButton::clicked, this, &ComparePage::showParameters);
    connect(m_tables, &ComparisonPanels::runChosen, this, &ComparePage::choose);
    connect(m_tables, &ComparisonPanels::onlyRequested, this,
            [this](const std::vector<std::size_t>& only) {
                if (!m_numbers)
                    return; // the chart still shows the previous runs
                std::vector<std::shared_ptr<RunDocument>> documents;
                for (const std::size_t run : only)
                    documents.push_back(m_compared.documents()[run]);
                tick(documents);
            });
    connect(m_sort, &SegmentControl::currentChanged, this,
            [this](int choice) { rankBy(kSortChoices[choice]); });
    connect(m_lane, &SegmentControl::currentChanged, this, [this](int choice) {
        m_lanes->setLane(choice == 0 ? LaneOf::MeanOfDevices : LaneOf::WorstDevice);
    });
    connect(m_align, &SegmentControl::currentChanged, this,
            [this](int choice) { m_lanes->setAlign(static_cast<CompareAlign>(choice)); });
}

void ComparePage::connectLanes()
{
    connect(m_lanes, &CompareWidget::runChosen, this, &ComparePage::choose);
    connect(m_lanes, &CompareWidget::rankRequested, this, &ComparePage::rankBy);
    connect(m_lanes, &CompareWidget::baselineRequested, this, &ComparePage::setBaseline);
    connect(m_lanes, &CompareWidget::openRequested, this, [this](int run) {
        if (m_compared.has(run))
            Q_EMIT pageRequested(
                {"run", {}, {m_compared.documents()[static_cast<std::size_t>(run)]}});
    });
    connect(m_lanes, &CompareWidget::styleChanged, this,
            [this] { setCompact(m_lanes->isCompact()); });
    connect(m_lanes, &CompareWidget::selectionChanged, this, &ComparePage::explain);
    connect(m_details, &DetailsPanel::jumpTo, this, [this](const Selection& selection) {
        if (m_explained >= 0)
            m_lanes->select(static_cast<std::size_t>(m_explained), selection);
    });
}

void ComparePage::refresh()
{
    TickedRuns ticked(m_library.runs().checked());
    m_refused->hide();
    if (!ticked.refused.isEmpty())
        m_refused->show(Band::Kind::Error, tr("Not opened."),
                        ticked.refused.join(QStringLiteral("; ")));
    if (m_compared.take(std::move(ticked.complete)))
        showRuns();
    showUnfinished(static_cast<int>(m_compared.size()), ticked.unfinished);
}

void ComparePage::showRuns()
{
    const std::vector<RunPointer>& runs = m_compared.runs();
    m_tables->setCurrent(m_compared.current());
    m_stack->setCurrentIndex(runs.empty() ? 0 : 1);
    m_summary->setVisible(!runs.empty());
    m_single->setVisible(runs.size() == 1);
    m_export->setEnabled(!runs.empty());
    m_report->setEnabled(runs.size() > 1);
    m_showParameters->setEnabled(!runs.empty());
    m_parameters = parametersOf(runs);
    showSummary();
    fillBaselines();
    m_numbers = nullptr;
    m_hasViews = false;
    m_explained = -1; // was an index of the previous runs
    m_details->show(nullptr, {});
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
    m_tables->clear();
}

void ComparePage::takeNumbers(engine::Result<CompareNumbers> numbers)
{
    if (!numbers)
        return showFailure(tr("The runs were not compared."), numbers.error());
    showNotes(numbers->comparison);
    m_numbers = rankedBy(*numbers, m_rankBy, m_direction);
    m_tables->show(m_numbers, m_compared.titles(), m_compared.baselineInfo());
    showNumbers();
    Q_EMIT statusChanged();
}

void ComparePage::showNumbers()
{
    if (m_hasViews && m_numbers) {
        m_lanes->setNumbers(m_numbers);
        m_lanes->setCurrent(m_tables->current());
    }
    distributeHeight();
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
        const QSignalBlocker blocker(m_sort);
        m_sort->setCurrent(static_cast<int>(choice - std::begin(kSortChoices)));
    }
    if (!m_numbers)
        return;
    m_numbers = rankedBy(*m_numbers, m_rankBy, m_direction);
    showNumbers();
    Q_EMIT statusChanged();
}

void ComparePage::fillBaselines()
{
    const QSignalBlocker blocker(m_baseline);
    m_baseline->clear();
    m_baseline->addItems(m_compared.titles());
    m_baseline->setCurrentIndex(
        m_compared.runs().empty() ? -1 : static_cast<int>(m_compared.baseline()));
    m_baseline->setEnabled(m_compared.size() > 1);
}

void ComparePage::setBaseline(int run)
{
    if (!m_compared.has(run))
        return;
    m_baseline->setCurrentIndex(run);
    const std::size_t before = m_compared.baseline();
    m_compared.chooseBaseline(static_cast<std::size_t>(run));
    if (m_compared.baseline() == before)
        return;
    m_lanes->setBaseline(m_compared.baseline());
    askForNumbers();
}

// The lanes, the tables and the charts show the same run.
void ComparePage::choose(int run)
{
    if (!m_compared.has(run))
        return;
    m_compared.choose(static_cast<std::size_t>(run));
    m_lanes->setCurrent(run);
    m_tables->setCurrent(run);
    if (m_hasViews && m_showDetails->isChecked() && run != m_explained)
        explain(run, {});
    Q_EMIT statusChanged();
}

void ComparePage::explain(int run, const Selection& selection)
{
    if (run < 0 || !m_hasViews)
        return;
    m_explained = run;
    m_details->show(m_lanes->view(static_cast<std::size_t>(run)), selection);
    if (selection.kind != Selection::Kind::None && width() >= kFoldDetails)
        m_showDetails->setChecked(true);
}

void ComparePage::showParameters()
{
    (new ParametersDialog(m_theme, m_parameters, m_compared.titles(), this))->open();
}

void ComparePage::addPrediction()
{
    if (m_compared.runs().empty())
        return;
    m_background.run([run = m_compared.runs().front()] { return withEvenCosts(*run); },
                     [this](engine::Result<engine::Run> predicted) {
                         if (predicted)
                             m_library.runs().setChecked(m_library.add(std::move(*predicted)).get(),
                                                         true);
                         else
                             showFailure(tr("The run was not predicted."), predicted.error());
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
    if (m_numbers && m_lanes->isCompact())
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
    if (!m_numbers || !m_lanes->isCompact())
        return tr("the reported iteration of every run");
    const int iterations = measuredIterations(*m_compared.runs()[m_compared.baseline()]);
    if (m_numbers->ranking.isPerToken)
        return tr("ranked by the time per token");
    if (iterations > 1)
        return tr("ranked by the median of %1 iterations").arg(iterations);
    return tr("one iteration, no interval");
}

} // namespace app
