// The widgets of a comparison and its actions.
#include "app/pages/compare_page.h"
#include "app/widgets/compare/compare_widget.h"
#include "app/widgets/compare/where_time_goes.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kRunsWidth = 216, kChartWidth = 424, kLeastChart = 232;
constexpr int kTablesHead = 33, kNoteHeight = 56, kLeastTables = 120, kMostTables = 340;

} // namespace

void ComparePage::makeActions()
{
    m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left);
    m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right);
    m_fit = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0);
    m_blink = makeAction("blinkRuns", tr("Blink two runs"), Qt::Key_B);
    m_blink->setToolTip(tr("Swaps the first two runs in place"));
    m_addRun = makeAction("addRun", tr("Add run"), {});
    m_predict = makeAction("comparePrediction", tr("Compare with prediction"), {});
    m_predict->setToolTip(tr("The first run once more, with even costs: what its schedule alone "
                             "explains"));
    m_export = makeAction("exportFigure", tr("Export figure"), Qt::CTRL | Qt::Key_E);
    m_showRuns = makeAction("showRuns", tr("Runs"), {});
    m_showRuns->setCheckable(true);
    m_showRuns->setChecked(true);
    followTheme(m_back, Icon::ChevronLeft, m_theme);
    followTheme(m_forward, Icon::ChevronRight, m_theme);
    followTheme(m_fit, Icon::Fit, m_theme);
    followTheme(m_blink, Icon::Compare, m_theme);
    followTheme(m_addRun, Icon::Plus, m_theme);
    followTheme(m_export, Icon::Export, m_theme);
    followTheme(m_showRuns, Icon::Compare, m_theme);
}

QWidget* ComparePage::makeToolbar()
{
    m_baselineBox = new QComboBox;
    m_baselineBox->setObjectName(QStringLiteral("baseline"));
    m_baselineBox->setMinimumWidth(140);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    auto* row = spaced(new QHBoxLayout(bar), {8, 0, 8, 0}, 8);
    for (QAction* action : {m_showRuns, m_back, m_forward, m_fit})
        row->addWidget(makeToolButton(action));
    row->addWidget(makeLine(Qt::Vertical));
    row->addWidget(makeLabel(tr("Baseline"), "small"));
    row->addWidget(m_baselineBox);
    row->addStretch(1);
    row->addWidget(makeActionButton(m_blink));
    row->addWidget(makeActionButton(m_addRun));
    row->addWidget(makeActionButton(m_export));
    return bar;
}

QWidget* ComparePage::makeTables()
{
    m_model = new CompareModel(this);
    m_table = new DataTable(m_theme, 31);
    m_table->setObjectName(QStringLiteral("compareTable"));
    m_table->setAccessibleName(tr("Differences"));
    m_table->setModel(m_model);
    m_mode = new Tag(m_theme);
    m_sentence = makeLabel({}, "small");
    m_sentence->setObjectName(QStringLiteral("sentence"));
    m_sentence->setWordWrap(true);
    auto* head = makeSurface("alt");
    head->setFixedHeight(32);
    auto* headRow = spaced(new QHBoxLayout(head), {12, 0, 12, 0}, 8);
    headRow->addWidget(makeLabel(tr("Difference to baseline"), "dock"));
    headRow->addStretch(1);
    headRow->addWidget(m_mode);
    auto* note = spaced(new QHBoxLayout, {12, 10, 12, 10}, 10);
    note->addWidget(new IconLabel(m_theme, Icon::Info, &Chrome::text2), 0, Qt::AlignTop);
    note->addWidget(m_sentence, 1);

    auto* tables = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(tables), {}, 0);
    column->addWidget(head);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_table, 1);
    column->addLayout(note);
    column->addStretch(0);
    return tables;
}

QWidget* ComparePage::makeChart()
{
    m_chart = new WhereTimeGoes(m_theme);
    m_chartUnit = makeLabel({}, "hint");
    auto* head = makeSurface("alt");
    head->setFixedHeight(32);
    auto* headRow = spaced(new QHBoxLayout(head), {16, 0, 12, 0}, 8);
    headRow->addWidget(makeLabel(tr("Where the time goes"), "dock"));
    headRow->addWidget(m_chartUnit);
    headRow->addStretch(1);
    auto* chart = makeSurface("plain");
    chart->setMinimumWidth(kLeastChart);
    auto* column = spaced(new QVBoxLayout(chart), {}, 0);
    column->addWidget(head);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_chart, 1);
    return chart;
}

void ComparePage::buildLayout()
{
    m_dock = new RunsDock(m_theme, m_library.runs());
    m_dock->setMinimumWidth(160);
    m_compare = new CompareWidget(m_theme);
    m_compare->setObjectName(QStringLiteral("compare"));
    m_empty = new EmptyState(m_theme,
                             {Icon::Compare, tr("No run is compared yet."),
                              tr("Check runs at the left, or add one."), tr("Add run")});
    m_single = makeSurface("alt");
    auto* single = spaced(new QHBoxLayout(m_single), {16, 8, 12, 8}, 10);
    single->addWidget(
        makeLabel(tr("One run. Check another one at the left, or hold it against what "
                     "its schedule alone explains."),
                  "secondary"),
        1);
    single->addWidget(makeActionButton(m_predict));
    m_band = new Band(m_theme, Band::Shape::State);
    m_band->setObjectName(QStringLiteral("compareBand"));
    m_band->hide();
    m_refused = new Band(m_theme, Band::Shape::State);
    m_refused->setObjectName(QStringLiteral("refusedBand"));
    m_refused->hide();

    m_bottom = makeSplitter(Qt::Horizontal);
    m_bottom->addWidget(makeTables());
    m_chartPanel = makeChart();
    m_bottom->addWidget(m_chartPanel);
    m_bottom->setStretchFactor(0, 1);
    m_rows = makeSplitter(Qt::Vertical);
    m_rows->addWidget(m_compare);
    m_rows->addWidget(m_bottom);
    m_rows->setStretchFactor(0, 1);
    // Where a line was pulled by hand it stays.
    connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
    connect(m_bottom, &QSplitter::splitterMoved, this, [this] { m_isChartChosen = true; });
    m_stack = new QStackedWidget;
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {14, 14, 14, 14}, 0)->addWidget(m_empty);
    m_stack->addWidget(empty);
    m_stack->addWidget(m_rows);

    auto* centre = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(centre), {}, 0);
    column->addWidget(makeToolbar());
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_refused);
    column->addWidget(m_band);
    column->addWidget(m_single);
    column->addWidget(m_stack, 1);
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(m_dock);
    columns->addWidget(centre);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsWidth, 1384});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    setInitialFocus(m_compare);
}

// The table gets the height and the width that its contents need, the chart what is left of the
// width (none where that is too little), the runs what is left of the height; what they cannot use
// goes back to the tables.
void ComparePage::shareRoom()
{
    const int height = m_rows->height(), width = m_bottom->width();
    if (!m_areRowsChosen) {
        const int needed = kTablesHead + m_table->fittingHeight() + kNoteHeight;
        const int unused = height - m_compare->greatestHeight();
        const int most = std::max(kLeastTables, height / 2);
        const int tables
            = std::clamp(std::max(needed, std::min(unused, kMostTables)), kLeastTables, most);
        m_rows->setSizes({height - tables, tables});
    }
    const int chart = std::min(kChartWidth, width - m_table->neededWidth());
    m_chartPanel->setVisible(chart >= kLeastChart);
    if (!m_isChartChosen && chart >= kLeastChart)
        m_bottom->setSizes({width - chart, chart});
}

void ComparePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_compare->setFocus();
    shareRoom();
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    constexpr int kFoldRunsBelow = 1180;
    Page::resizeEvent(event);
    const bool hasRoom = width() >= kFoldRunsBelow;
    if (hasRoom != std::exchange(m_hasRoomForRuns, hasRoom))
        m_showRuns->setChecked(hasRoom);
    shareRoom();
}

} // namespace app
