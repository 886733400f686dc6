#include "app/cluster/results_panel.h"

#include "app/cluster/expected_model.h"
#include "app/cluster/rank_grid.h"
#include "app/compare/compare_charts.h"
#include "app/compare/compare_numbers.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/analysis/compare.h"

#include <QDragEnterEvent>
#include <QGridLayout>
#include <QMimeData>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr int kIncoming = 330;

// A dashed frame around the buttons.
class DropFrame : public QWidget
{
public:
    explicit DropFrame(const ThemeController& theme)
        : m_theme(theme)
    { }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.theme().chrome.lineStrong, 1, Qt::DashLine));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }

private:
    const ThemeController& m_theme;
};

} // namespace

ResultsPanel::ResultsPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new ExpectedModel(this))
    , m_folder(named(makeLabel({}, "small"), "watchedFolder"))
    , m_received(named(makeLabel({}, "hint"), "ranksReceived"))
    , m_progress(named(makeLabel({}, "small"), "importProgress"))
    , m_empty(named(makeLabel({}, "secondary"), "resultsEmpty"))
    , m_stop(makeButton(tr("Stop"), QStringLiteral("stopWatching"), "link"))
    , m_import(makeButton({}, QStringLiteral("importReceived")))
    , m_ranks(new RankGrid(theme))
    , m_bars(named(new WhereTimeGoes(theme), "threeWays", tr("Iteration of every run")))
    , m_table(named(new DataTable(theme, 26), "expectedTable", tr("Times by kind")))
    , m_finding(named(new Band(theme, Band::Shape::Verdict), "clusterFinding"))
    , m_incoming(makeIncoming(theme))
    , m_columns(new QGridLayout(this))
{
    setObjectName(QStringLiteral("resultsPanel"));
    setAcceptDrops(true);
    m_table->setModel(m_model);
    m_right = makeComparison();
    spaced(m_columns, QMargins(), 16);
    m_columns->setHorizontalSpacing(28);
    setNarrow(false);
    showResults({}, 1, false);
    connect(m_stop, &QPushButton::clicked, this, &ResultsPanel::stopRequested);
    connect(m_import, &QPushButton::clicked, this, &ResultsPanel::importRequested);
}

QWidget* ResultsPanel::makeIncoming(const ThemeController& theme)
{
    auto* watch = makeButton(tr("Watch a folder…"), QStringLiteral("watchResults"));
    watch->setToolTip(
        tr("Choose the folder of results; traces are imported when all have arrived"));
    connect(watch, &QPushButton::clicked, this, &ResultsPanel::chooseRequested);
    auto* frame = new DropFrame(theme);
    auto* advice = makeLabel(tr("Drop the folder or the archives of results here"));
    advice->setAlignment(Qt::AlignCenter);
    advice->setWordWrap(true);
    spaced(new QVBoxLayout(frame), {16, 18, 16, 18}, 10, {advice, {watch, 0, Qt::AlignHCenter}});
    for (QLabel* label : {m_folder, m_progress}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    auto* incoming = new QWidget;
    spaced(new QVBoxLayout(incoming), {}, 10,
           {frame, spaced(new QHBoxLayout, {}, 8, {{m_folder, 1}, m_stop}),
            spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Ranks"), "dock"), kStretch, m_received}),
            m_ranks, m_import, m_progress, kStretch});
    return incoming;
}

QWidget* ResultsPanel::makeComparison()
{
    m_empty->setWordWrap(true);
    m_empty->setText(
        tr("Nothing has been measured. When the traces of all ranks have arrived, they "
           "are imported and compared with the prediction and with the emulated run."));
    m_shown = new QWidget;
    auto* head = spaced(new QHBoxLayout, {}, 8,
                        {makeLabel(tr("Iteration by kind of time"), "dock"), kStretch,
                         makeLabel(tr("reported iteration, mean of the devices"), "hint")});
    spaced(new QVBoxLayout(m_shown), {}, 10, {head, m_bars, m_table, m_finding});
    auto* use = m_finding->addAction(tr("Use the measured links"), QStringLiteral("useLinks"));
    use->setToolTip(tr("Predicts again with the bandwidths of the measured messages"));
    connect(use, &QPushButton::clicked, this, &ResultsPanel::linksRequested);
    m_shown->hide();
    auto* right = new QWidget;
    spaced(new QVBoxLayout(right), {}, 0, {m_empty, m_shown, kStretch});
    return right;
}

void ResultsPanel::setNarrow(bool isNarrow)
{
    m_columns->removeWidget(m_incoming);
    m_columns->removeWidget(m_right);
    m_incoming->setMaximumWidth(isNarrow ? QWIDGETSIZE_MAX : kIncoming);
    m_incoming->setMinimumWidth(isNarrow ? 0 : kIncoming);
    m_columns->addWidget(m_incoming, 0, 0);
    m_columns->addWidget(m_right, isNarrow ? 1 : 0, isNarrow ? 0 : 1);
    m_columns->setColumnStretch(0, isNarrow ? 1 : 0);
    m_columns->setColumnStretch(1, isNarrow ? 0 : 1);
}

void ResultsPanel::showResults(const ClusterResults& results, int ranksPerNode, bool isWatching)
{
    m_results = results;
    m_ranksPerNode = ranksPerNode;
    m_folder->setText(results.folder.isEmpty() ? tr("No folder is watched")
                          : isWatching         ? tr("Watching %1").arg(results.folder)
                                               : results.folder);
    m_stop->setVisible(isWatching);
    const auto complete = results.complete().size();
    m_received->setText(tr("%1 of %2 received").arg(results.received()).arg(results.ranks));
    m_import->setText(tr("Import %1").arg(countOf(complete, "trace")));
    m_import->setVisible(complete > 0);
    showRanks();
}

void ResultsPanel::showRanks()
{
    std::vector<RankState> states = m_results.states();
    if (m_comparison && m_measured != nullptr)
        for (const profiler::DeviceTimes& device : m_comparison->devices) {
            const auto rank = static_cast<std::size_t>(rankOf(*m_measured, device.device));
            if (device.isSlow && rank < states.size())
                states[rank] = RankState::Slow;
        }
    m_ranks->show(states, m_ranksPerNode);
}

void ResultsPanel::showProgress(const QString& text)
{
    showNote(text);
    m_import->setEnabled(text.isEmpty());
}

void ResultsPanel::showNote(const QString& text)
{
    m_progress->setText(text);
    m_progress->setVisible(!text.isEmpty());
}

void ResultsPanel::showFailure(const QString& reason)
{
    showProgress({});
    m_empty->setText(reason);
    m_empty->show();
    m_shown->hide();
}

void ResultsPanel::compare(const ComparedResults& compared)
{
    std::vector<const engine::Run*> runs;
    for (const auto& run : compared.runs)
        runs.push_back(run.get());
    auto comparison = profiler::compareExpected(runs);
    if (!comparison)
        return showFailure(capitalized(fromUtf8(comparison.error().message)));
    m_comparison = *std::move(comparison);
    m_measured = compared.runs.back();
    showProgress({});
    m_empty->hide();
    m_shown->show();
    m_model->show(*m_comparison, compared.names);
    m_table->setFixedHeight(m_table->fittingHeight());
    showBars(compared);
    const QString finding
        = findingText(*m_comparison, *m_measured, compared.names.front().toLower());
    if (finding.isEmpty())
        m_finding->show(Band::Kind::Ok, {}, tr("No link and no rank stands out."));
    else
        m_finding->show(Band::Kind::Warning, {}, finding);
    showRanks();
}

void ResultsPanel::showBars(const ComparedResults& compared)
{
    std::vector<const engine::Run*> runs;
    for (const auto& run : compared.runs)
        runs.push_back(run.get());
    const auto comparison = profiler::compare(runs);
    if (!comparison)
        return;
    const double longest = std::ranges::max(m_comparison->iterations);
    std::vector<WhereTimeGoes::Bar> bars;
    for (std::size_t i = 0; i < runs.size(); ++i)
        bars.push_back({compared.names.at(static_cast<qsizetype>(i)),
                        timeShares(comparison->runs[i]),
                        timeScale(engine::RunInfo(), static_cast<std::int64_t>(longest))});
    m_bars->setFixedHeight(static_cast<int>(30 * bars.size()) + 52);
    m_bars->show(std::move(bars));
}

void ResultsPanel::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void ResultsPanel::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    Q_EMIT dropped(localFiles(*event->mimeData()));
}

} // namespace app
