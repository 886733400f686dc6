#include "app/compare/compare_frame.h"

#include "app/compare/compare_summary.h"
#include "app/compare/compare_widget.h"
#include "app/compare/comparison_panels.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/segment_control.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kCompareRunsWidth = 216, kCompareDetails = 292;
constexpr int kLeastTables = 120, kMostTables = 340;
constexpr int kFoldCompareRuns = 1180, kFoldCompareDetails = 1360;

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

} // namespace

CompareFrame::CompareFrame(const ThemeController& theme, const CompareActions& actions,
                           RunsModel& model)
    : dock(new RunsDock(theme, model))
    , summary(new CompareSummary(theme))
    , band(makeStateBand(theme, "compareBand"))
    , refused(makeStateBand(theme, "refusedBand"))
    , baseline(named(new QComboBox, "baseline", tr("Baseline")))
    , sort(makeSegments(theme, "sortRuns", tr("Sort"),
                        {tr("Iteration"), tr("Bubble"), tr("Peak memory"), tr("Name")}))
    , lane(makeSegments(theme, "laneOf", tr("Lane"), {tr("Mean of devices"), tr("Worst device")}))
    , align(makeSegments(theme, "alignRuns", tr("Align"),
                         {tr("Iteration start"), tr("First F"), tr("End")}))
    , compare(new CompareWidget(theme))
    , tables(new ComparisonPanels(theme))
    , details(new DetailsPanel(theme))
    , empty(new EmptyState(theme,
                           {Icon::Compare, tr("Tick two runs to compare them"),
                            tr("Tick runs in the list on the left, or add one."), tr("Add run")}))
    , m_actions(actions)
    , m_stack(new QStackedWidget)
    , m_rows(makeSplitter(Qt::Vertical))
{
    single = makeSingle();
    m_detailsDock = makeDetails(theme);
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {static_cast<QWidget*>(dock), makeCentre(), m_detailsDock})
        columns->addWidget(column);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kCompareRunsWidth, 1384, kCompareDetails});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    connect(actions.showRuns, &QAction::toggled, this, [this](bool isShown) {
        dock->setVisible(isShown);
        distributeHeight();
    });
    connect(actions.showDetails, &QAction::toggled, m_detailsDock, &QWidget::setVisible);
    connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
    m_rows->installEventFilter(this); // eventFilter() reacts to changes of its width
    setCompact(false);
}

QWidget* CompareFrame::makeToolbar()
{
    baseline->setMinimumWidth(112);
    baseline->setMaximumWidth(200);
    QWidget* back = makeToolButton(m_actions.back);
    QWidget* forward = makeToolButton(m_actions.forward);
    for (QAction* action : {m_actions.blink, m_actions.addRun, m_actions.exportFigure}) {
        m_buttons << makeActionButton(action);
        m_icons.prepend(makeToolButton(action)); // updateToolbar() hides the first icons first
        m_icons.front()->setObjectName(action->objectName() + QStringLiteral("Icon"));
    }
    QWidget *line = makeLine(Qt::Vertical), *sortLabel = makeLabel(tr("Sort"), "small"),
            *laneLabel = makeLabel(tr("Lane"), "small"),
            *alignLabel = makeLabel(tr("Align"), "small"),
            *baselineLabel = makeLabel(tr("Baseline"), "small");
    m_tallOnly = {back, forward, line};
    m_compactOnly = {sortLabel, sort, laneLabel, lane};
    m_labels = {laneLabel, alignLabel, sortLabel, baselineLabel};
    m_bar = makeSurface("plain");
    m_bar->setFixedHeight(40);
    spaced(new QHBoxLayout(m_bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_actions.showRuns),
            back,
            forward,
            makeToolButton(m_actions.fit),
            line,
            alignLabel,
            align,
            baselineLabel,
            baseline,
            sortLabel,
            sort,
            laneLabel,
            lane,
            kStretch,
            m_buttons[0],
            m_icons[2],
            m_buttons[1],
            m_icons[1],
            m_buttons[2],
            m_icons[0],
            makeToolButton(m_actions.showDetails)});
    return m_bar;
}

QWidget* CompareFrame::makeSingle()
{
    auto* row = makeSurface("alt");
    spaced(new QHBoxLayout(row), {16, 8, 12, 8}, 10,
           {{makeLabel(tr("Tick another run in the list on the left, or compare this run with its "
                          "prediction."),
                       "secondary"),
             1},
            makeActionButton(m_actions.predict)});
    return row;
}

QWidget* CompareFrame::makeCentre()
{
    m_rows->addWidget(compare);
    m_rows->addWidget(tables);
    m_rows->setStretchFactor(0, 1);
    auto* nothing = new QWidget;
    spaced(new QVBoxLayout(nothing), {14, 14, 14, 14}, 0)->addWidget(empty);
    m_stack->addWidget(nothing);
    m_stack->addWidget(m_rows);
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {summary,
            makeLine(Qt::Horizontal),
            makeToolbar(),
            makeLine(Qt::Horizontal),
            refused,
            band,
            single,
            {m_stack, 1}});
    return centre;
}

QWidget* CompareFrame::makeDetails(const ThemeController& theme)
{
    auto* column = named(makeSurface("plain"), "detailsDock");
    column->setMinimumWidth(220);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), theme);
    connect(close, &QToolButton::clicked, m_actions.showDetails,
            [action = m_actions.showDetails] { action->setChecked(false); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
    spaced(new QVBoxLayout(column), {}, 0, {title, makeLine(Qt::Horizontal), {details, 1}});
    column->hide();
    return column;
}

void CompareFrame::showPart(Part part)
{
    m_stack->setCurrentIndex(static_cast<int>(part));
    summary->setVisible(part == Rows);
}

void CompareFrame::distributeHeight()
{
    if (!m_areRowsChosen) {
        const int height = m_rows->height();
        const int unused = height - compare->greatestHeight();
        const int most = std::max(kLeastTables, height / 2);
        const int wanted = std::max(tables->fittingHeight(), std::min(unused, kMostTables));
        const int below = std::clamp(wanted, kLeastTables, most);
        m_rows->setSizes({height - below, below});
    }
    tables->shareWidth();
}

void CompareFrame::setCompact(bool isCompact)
{
    m_isCompact = isCompact;
    tables->setRanked(isCompact);
    updateToolbar();
    distributeHeight();
}

// Fits the toolbar into the window. If the width is not sufficient, replaces the buttons by their
// icons, then hides labels, then icons. The actions of hidden icons are also in the menus.
void CompareFrame::updateToolbar()
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

void CompareFrame::fold(int width)
{
    const bool hasRoom = width >= kFoldCompareRuns;
    if (hasRoom != std::exchange(m_hasRoomForRuns, hasRoom)) {
        m_actions.showRuns->setChecked(hasRoom);
        if (!hasRoom)
            m_actions.showDetails->setChecked(false);
    }
}

void CompareFrame::openDetails()
{
    if (width() >= kFoldCompareDetails)
        m_actions.showDetails->setChecked(true);
}

void CompareFrame::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    distributeHeight();
}

void CompareFrame::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fold(width());
    distributeHeight();
}

bool CompareFrame::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_rows && event->type() == QEvent::Resize) {
        updateToolbar();
        tables->shareWidth();
    }
    return QWidget::eventFilter(watched, event);
}

void CompareFrame::showUnfinished(int complete, int unfinished)
{
    summary->setNote(
        unfinished == 0
            ? QString()
            : tr("%1 of %2 runs are complete").arg(complete).arg(complete + unfinished));
    empty->setTexts(unfinished == 0 ? tr("Tick two runs to compare them")
                                    : tr("%1 in the queue").arg(countOf(unfinished, "run")),
                    unfinished == 0 ? tr("Tick runs in the list on the left, or add one.")
                                    : tr("Each run is added here when it is complete."));
}

void CompareFrame::showNotes(const profiler::Comparison& comparison)
{
    const bool isAlike = comparison.comparable && comparison.notes.empty();
    band->setVisible(!isAlike);
    if (isAlike)
        return;
    QStringList notes;
    for (const std::string& note : comparison.notes)
        notes.append(QString::fromStdString(note));
    if (rankRuns(comparison, profiler::RankBy::Iteration).isPerToken)
        notes.append(tr("they are ranked by the time per token"));
    band->show(Band::Kind::Warning,
               comparison.comparable ? tr("The runs differ:")
                                     : tr("The runs have different units:"),
               notes.join(QStringLiteral("; ")) + QLatin1Char('.'));
}

} // namespace app
