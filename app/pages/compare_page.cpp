#include "app/pages/compare_page.h"

#include "app/models/numbers.h"
#include "app/models/plan/even_costs.h"
#include "app/pages/dock_links.h"
#include "app/pages/run_saver.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/compare/comparison_panels.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/themed_icon.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

// 1F1B, the usual reference, if it is among the runs.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

// The runs in the order of a figure, whose first run is its baseline.
std::vector<RunPointer> baselineFirst(std::vector<RunPointer> runs, std::size_t baseline)
{
    if (baseline < runs.size())
        std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(baseline),
                    runs.begin() + static_cast<std::ptrdiff_t>(baseline) + 1);
    return runs;
}

constexpr int kRunsWidth = 216, kLeastTables = 120, kMostTables = 340;

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
    RunsModel& runs = library.runs();
    for (int row = 0; row < runs.rowCount(); ++row)
        runs.setChecked(runs.at(row).get(), std::ranges::count(documents, runs.at(row)) > 0);
    makeActions();
    buildLayout();
    connectAll();
    refresh();
}

void ComparePage::makeActions()
{
    m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left,
                        [this] { m_compare->zoomBack(); });
    m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right,
                           [this] { m_compare->zoomForward(); });
    m_fit
        = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0, [this] { m_compare->zoomToFit(); });
    m_blink
        = makeAction("blinkRuns", tr("Blink two runs"), Qt::Key_B, [this] { m_compare->blink(); });
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
    m_showRuns = makeAction("showRuns", tr("Runs"), {});
    m_showRuns->setCheckable(true);
    m_showRuns->setChecked(true);
    followTheme(m_back, Icon::ChevronLeft, m_theme);
    followTheme(m_forward, Icon::ChevronRight, m_theme);
    followTheme(m_fit, Icon::Fit, m_theme);
    for (QAction* action : {m_blink, m_showRuns})
        followTheme(action, Icon::Compare, m_theme);
    followTheme(m_addRun, Icon::Plus, m_theme);
    followTheme(m_export, Icon::Export, m_theme);
}

QWidget* ComparePage::makeToolbar()
{
    m_baselineBox = named(new QComboBox, "baseline");
    m_baselineBox->setMinimumWidth(140);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    spaced(new QHBoxLayout(bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_showRuns), makeToolButton(m_back), makeToolButton(m_forward),
            makeToolButton(m_fit), makeLine(Qt::Vertical), makeLabel(tr("Baseline"), "small"),
            m_baselineBox, kStretch, makeActionButton(m_blink), makeActionButton(m_addRun),
            makeActionButton(m_export)});
    return bar;
}

void ComparePage::buildLayout()
{
    m_dock = new RunsDock(m_theme, m_library.runs());
    m_compare = new CompareWidget(m_theme);
    m_empty = new EmptyState(m_theme,
                             {Icon::Compare, tr("Tick two runs to compare them"),
                              tr("Tick runs in the list on the left, or add one."), tr("Add run")});
    m_single = makeSurface("alt");
    spaced(new QHBoxLayout(m_single), {16, 8, 12, 8}, 10,
           {{makeLabel(tr("Tick another run in the list on the left, or compare this run with its "
                          "prediction."),
                       "secondary"),
             1},
            makeActionButton(m_predict)});
    const auto makeBand = [this](const char* name) {
        auto* band = new Band(m_theme, Band::Shape::State);
        band->setObjectName(QString::fromLatin1(name));
        band->hide();
        return band;
    };
    m_band = makeBand("compareBand");
    m_refused = makeBand("refusedBand");
    m_tables = new ComparisonPanels(m_theme);
    m_rows = makeSplitter(Qt::Vertical);
    m_rows->addWidget(m_compare);
    m_rows->addWidget(m_tables);
    m_rows->setStretchFactor(0, 1);
    connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
    m_stack = new QStackedWidget;
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {14, 14, 14, 14}, 0)->addWidget(m_empty);
    m_stack->addWidget(empty);
    m_stack->addWidget(m_rows);
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {makeToolbar(), makeLine(Qt::Horizontal), m_refused, m_band, m_single, {m_stack, 1}});
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(m_dock);
    columns->addWidget(centre);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsWidth, 1384});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    setInitialFocus(m_compare);
}

// The tables get the height of their contents, and the runs the rest. Height that the runs do not
// need goes back to the tables.
void ComparePage::distributeHeight()
{
    if (!m_areRowsChosen) {
        const int height = m_rows->height();
        const int unused = height - m_compare->greatestHeight();
        const int most = std::max(kLeastTables, height / 2);
        const int tables = std::clamp(
            std::max(m_tables->fittingHeight(), std::min(unused, kMostTables)), kLeastTables, most);
        m_rows->setSizes({height - tables, tables});
    }
    m_tables->shareWidth();
}

void ComparePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_compare->setFocus();
    distributeHeight();
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    constexpr int kFoldRunsBelow = 1180;
    Page::resizeEvent(event);
    const bool hasRoom = width() >= kFoldRunsBelow;
    if (hasRoom != std::exchange(m_hasRoomForRuns, hasRoom))
        m_showRuns->setChecked(hasRoom);
    distributeHeight();
}

void ComparePage::connectAll()
{
    RunsModel& runs = m_library.runs();
    connect(&runs, &RunsModel::dataChanged, this, &ComparePage::refresh);
    connect(&runs, &RunsModel::rowsRemoved, this, &ComparePage::refresh);
    connect(&runs, &RunsModel::rowsInserted, this, &ComparePage::refresh);
    connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
        m_compare->setViews(views, m_baseline);
        distributeHeight();
    });
    linkDock(*m_dock, m_library, *this);
    connect(m_baselineBox, &QComboBox::activated, this, &ComparePage::setBaseline);
    connect(m_empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
    connect(m_showRuns, &QAction::toggled, this, [this](bool shown) {
        m_dock->setVisible(shown);
        distributeHeight();
    });
}

// A running run is added when it ends, because a part of it is not comparable.
void ComparePage::refresh()
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    std::vector<RunPointer> runs;
    QStringList refused;
    for (const auto& document : m_library.runs().checked()) {
        if (document->state() == RunDocument::State::Failed
            && !hasIterations(document->run().get()))
            refused.append(document->notice().text);
        if (document->isRunning() || !hasIterations(document->run().get()))
            continue;
        documents.push_back(document);
        runs.push_back(document->run());
    }
    m_refused->hide();
    if (!refused.isEmpty())
        m_refused->show(Band::Kind::Error, tr("Not opened."), refused.join(QStringLiteral("; ")));
    if (runs == m_runs && documents == m_documents && m_generation > 0)
        return;
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    m_stack->setCurrentIndex(m_runs.empty() ? 0 : 1);
    m_single->setVisible(m_runs.size() == 1);
    m_blink->setEnabled(m_runs.size() > 1);
    m_export->setEnabled(!m_runs.empty());
    m_report->setEnabled(m_runs.size() > 1);
    fillBaselines();
    m_views.ask(m_runs);
    askForNumbers();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void ComparePage::askForNumbers()
{
    ++m_generation;
    if (m_runs.empty()) {
        m_tables->clear();
        return;
    }
    m_background.run(
        [runs = m_runs, baseline = m_baseline] {
            std::vector<const engine::Run*> compared;
            compared.reserve(runs.size());
            for (const RunPointer& run : runs)
                compared.push_back(run.get());
            return profiler::compare(compared, baseline);
        },
        [this, asked = m_generation](const auto& comparison) {
            if (asked == m_generation)
                showNumbers(comparison);
        });
}

QStringList ComparePage::titles() const
{
    QStringList titles;
    for (const auto& document : m_documents)
        titles.append(document->title());
    return titles;
}

void ComparePage::showNumbers(const engine::Result<profiler::Comparison>& comparison)
{
    const bool isAlike = comparison && comparison->comparable && comparison->notes.empty();
    m_band->setVisible(!isAlike);
    if (!comparison) {
        m_band->show(Band::Kind::Error, tr("The runs were not compared."),
                     QString::fromStdString(comparison.error().message));
        return;
    }
    QStringList notes;
    for (const std::string& note : comparison->notes)
        notes.append(QString::fromStdString(note));
    if (!isAlike)
        m_band->show(Band::Kind::Warning,
                     comparison->comparable ? tr("The runs differ:")
                                            : tr("The runs have different units:"),
                     notes.join(QStringLiteral("; ")) + QLatin1Char('.'));
    m_tables->show(*comparison, titles(), m_runs[m_baseline]->info);
    distributeHeight();
    Q_EMIT statusChanged();
}

void ComparePage::fillBaselines()
{
    const QSignalBlocker blocker(m_baselineBox);
    m_baselineBox->clear();
    m_baselineBox->addItems(titles());
    m_baselineBox->setCurrentIndex(m_runs.empty() ? -1 : static_cast<int>(m_baseline));
    m_baselineBox->setEnabled(m_runs.size() > 1);
}

void ComparePage::setBaseline(int run)
{
    if (run < 0)
        return;
    m_chosen = m_documents[static_cast<std::size_t>(run)];
    if (static_cast<std::size_t>(run) == m_baseline)
        return;
    m_baseline = static_cast<std::size_t>(run);
    m_compare->setBaseline(m_baseline);
    askForNumbers();
}

void ComparePage::addPrediction()
{
    if (m_runs.empty())
        return;
    m_background.run([run = m_runs.front()] { return withEvenCosts(*run); },
                     [this](engine::Result<engine::Run> predicted) {
                         if (predicted) {
                             m_library.runs().setChecked(m_library.add(std::move(*predicted)).get(),
                                                         true);
                         } else {
                             m_band->show(Band::Kind::Error, tr("The run was not predicted."),
                                          QString::fromStdString(predicted.error().message));
                             m_band->setVisible(true);
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

QStringList ComparePage::statusTexts() const
{
    if (m_runs.empty())
        return {};
    const engine::RunInfo& info = m_runs[m_baseline]->info;
    QStringList texts{QStringLiteral("<b>%1</b> %2")
                          .arg(tr("Baseline"), titles().value(static_cast<int>(m_baseline)))};
    texts.append(countOf(static_cast<std::int64_t>(m_runs.size()), "run"));
    if (!info.deviceName.empty())
        texts.append(QString::fromStdString(info.deviceName).toHtmlEscaped());
    if (!info.link.empty())
        texts.append(tr("link %1").arg(QString::fromStdString(info.link).toHtmlEscaped()));
    return texts;
}

QList<QAction*> ComparePage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::View:
        return {m_back, m_forward, m_fit, m_showRuns};
    case Menu::Compare:
        return {m_blink, m_addRun, m_predict};
    case Menu::Export:
        return {m_export, m_report};
    default:
        return {};
    }
}

} // namespace app
