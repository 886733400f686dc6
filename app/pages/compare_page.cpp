#include "app/pages/compare_page.h"

#include "app/models/numbers.h"
#include "app/models/plan/even_costs.h"
#include "app/models/time_shares.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/compare/where_time_goes.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace app {
namespace {

// 1F1B is what others are measured against, where it is among them.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

// As a figure has them, whose first run is its baseline.
std::vector<RunPointer> baselineFirst(std::vector<RunPointer> runs, std::size_t baseline)
{
    if (baseline < runs.size())
        std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(baseline),
                    runs.begin() + static_cast<std::ptrdiff_t>(baseline) + 1);
    return runs;
}

// The run to tell of first: the shortest one that is not the baseline.
int shortestRun(const profiler::Comparison& comparison)
{
    std::size_t shortest = comparison.baseline;
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        const bool isFirst = shortest == comparison.baseline;
        const auto duration = comparison.runs[run].metrics.duration;
        if (run != comparison.baseline
            && (isFirst || duration < comparison.runs[shortest].metrics.duration))
            shortest = run;
    }
    return static_cast<int>(shortest);
}

} // namespace

ComparePage::ComparePage(const ThemeController& theme, RunLibrary& library,
                         const std::vector<std::shared_ptr<RunDocument>>& documents,
                         QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_background(this)
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

void ComparePage::connectAll()
{
    RunsModel& runs = m_library.runs();
    connect(&runs, &RunsModel::dataChanged, this, &ComparePage::refresh);
    connect(&runs, &RunsModel::rowsRemoved, this, &ComparePage::refresh);
    connect(&runs, &RunsModel::rowsInserted, this, &ComparePage::refresh);
    connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
        m_compare->setViews(views, m_baseline);
        shareRoom();
    });
    connect(m_dock, &RunsDock::activated, this, &Page::openRequested);
    connect(m_dock, &RunsDock::compareRequested, this, &Page::compareRequested);
    connect(m_dock, &RunsDock::removeRequested, this,
            [this](const RunDocument& document) { m_library.close(document); });
    connect(m_dock, &RunsDock::moveInQueueRequested, this,
            [this](const RunDocument& document, int by) { m_library.moveInQueue(document, by); });
    connect(m_dock, &RunsDock::addRequested, this, [this] { Q_EMIT newRunRequested({}); });
    connect(m_baselineBox, &QComboBox::activated, this, &ComparePage::setBaseline);
    connect(m_back, &QAction::triggered, m_compare, &CompareWidget::zoomBack);
    connect(m_forward, &QAction::triggered, m_compare, &CompareWidget::zoomForward);
    connect(m_fit, &QAction::triggered, m_compare, &CompareWidget::zoomToFit);
    connect(m_blink, &QAction::triggered, m_compare, &CompareWidget::blink);
    connect(m_addRun, &QAction::triggered, this, &ComparePage::addRunMenu);
    connect(m_empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
    connect(m_predict, &QAction::triggered, this, &ComparePage::addPrediction);
    connect(m_export, &QAction::triggered, this,
            [this] { Q_EMIT exportRequested(baselineFirst(m_runs, m_baseline)); });
    connect(m_showRuns, &QAction::toggled, this, [this](bool shown) {
        m_dock->setVisible(shown);
        shareRoom();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ComparePage::showSentence);
}

// A run that is still under way joins when it has ended: a half one would be compared unfairly.
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
    m_refused->setVisible(!refused.isEmpty());
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
        m_model->clear();
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
        m_band->show(Band::Kind::Error, tr("Not compared."),
                     QString::fromStdString(comparison.error().message));
        return;
    }
    QStringList notes;
    for (const std::string& note : comparison->notes)
        notes.append(QString::fromStdString(note));
    if (!isAlike)
        m_band->show(Band::Kind::Warning,
                     comparison->comparable ? tr("Not quite alike:") : tr("Two units:"),
                     notes.join(QStringLiteral("; ")) + QLatin1Char('.'));
    m_model->show(*comparison, titles());
    m_table->fitRows();
    shareRoom();
    m_table->selectRow(shortestRun(*comparison));
    std::vector<WhereTimeGoes::Bar> bars;
    QString unit;
    for (std::size_t run = 0; run < comparison->runs.size(); ++run) {
        const profiler::ComparedRun& compared = comparison->runs[run];
        Scale scale
            = timeScale(m_runs[m_baseline]->info, comparison->runs[m_baseline].metrics.duration);
        unit = scale.unit;
        if (m_runs[m_baseline]->info.inUnits())
            scale.perUnit = static_cast<double>(compared.ticksPerUnit);
        bars.push_back({titles().value(static_cast<qsizetype>(run)), timeShares(compared), scale});
    }
    m_chartUnit->setText(comparison->comparable
                             ? tr("%1, mean of devices").arg(unit)
                             : tr("only runs of one unit can be drawn together"));
    m_chart->show(comparison->comparable ? std::move(bars) : std::vector<WhereTimeGoes::Bar>());
    m_mode->setText(modeText(m_runs[m_baseline]->info));
    showSentence();
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

void ComparePage::showSentence()
{
    const profiler::Comparison& comparison = m_model->comparison();
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= static_cast<int>(comparison.runs.size())) {
        m_sentence->clear();
        return;
    }
    m_sentence->setText(
        QString::fromStdString(profiler::summarize(comparison, static_cast<std::size_t>(row)))
        + QLatin1Char('.'));
}

void ComparePage::addPrediction()
{
    if (m_runs.empty())
        return;
    m_background.run([run = m_runs.front()] { return withEvenCosts(*run); },
                     [this](engine::Result<engine::Run> predicted) {
                         if (predicted) {
                             m_library.add(std::move(*predicted));
                         } else {
                             m_band->show(Band::Kind::Error, tr("Not predicted."),
                                          QString::fromStdString(predicted.error().message));
                             m_band->setVisible(true);
                         }
                     });
}

// The open runs that are not compared yet, then any file.
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

QString ComparePage::title() const
{
    return m_runs.size() == 1 ? tr("Compare 1 run") : tr("Compare %1 runs").arg(m_runs.size());
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

QString ComparePage::statusNote() const
{
    return m_runs.empty() ? QString() : tr("the headline iteration of every run");
}

QList<QAction*> ComparePage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::View:
        return {m_back, m_forward, m_fit, m_showRuns};
    case Menu::Compare:
        return {m_blink, m_addRun, m_predict};
    case Menu::Export:
        return {m_export};
    case Menu::File:
    case Menu::Run:
    case Menu::Analyze:
        break;
    }
    return {};
}

} // namespace app
