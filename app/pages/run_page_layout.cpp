// The widgets of a run's page and how they fold in a small window (visual-design.md, section 4).
#include "app/pages/run_page_parts.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/run/details_panel.h"
#include "app/widgets/run/find_bar.h"
#include "app/widgets/run/note_bar.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/run/selection_popover.h"
#include "app/widgets/timeline/timeline_widget.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kRunsWidth = 216, kDetailsWidth = 292, kPanelsHeight = 216;
constexpr int kFoldDetailsBelow = 1360, kFoldRunsBelow = 1180, kFoldPanelsBelow = 860;
constexpr int kChromeHeight = 90; // menu bar, tabs and status bar of the window around a page

QLabel* centredLabel(const char* name)
{
    QLabel* label = makeLabel({}, "secondary");
    label->setObjectName(QString::fromLatin1(name));
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    return label;
}

} // namespace

void RunPage::buildLayout()
{
    m->runs = new RunsDock(m_theme, m_library.runs());
    m->runs->setCurrent(m_document.get());
    m->runs->setMinimumWidth(160);
    m->details = new DetailsPanel(m_theme);
    m->detailsDock = makeSurface("plain");
    m->detailsDock->setObjectName(QStringLiteral("detailsDock"));
    m->detailsDock->setMinimumWidth(220);
    auto* close = new QToolButton;
    close->setObjectName(QStringLiteral("closeDetails"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Close the details"));
    followTheme(close, Icon::Close, m_theme);
    connect(close, &QToolButton::clicked, m->actions.showDetails,
            [this] { m->actions.showDetails->setChecked(false); });
    auto* title = makeSurface("alt");
    title->setFixedHeight(40);
    auto* titleRow = spaced(new QHBoxLayout(title), {12, 0, 6, 0}, 4);
    titleRow->addWidget(makeLabel(tr("Details"), "dock"), 1);
    titleRow->addWidget(close);
    auto* dock = spaced(new QVBoxLayout(m->detailsDock), {}, 0);
    dock->addWidget(title);
    dock->addWidget(makeLine(Qt::Horizontal));
    dock->addWidget(m->details, 1);

    m->columns = makeSplitter(Qt::Horizontal);
    m->columns->addWidget(m->runs);
    m->columns->addWidget(makeCentre());
    m->columns->addWidget(m->detailsDock);
    m->columns->setStretchFactor(1, 1);
    m->columns->setSizes({kRunsWidth, 1092, kDetailsWidth});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m->columns);
    setInitialFocus(m->timeline);
}

QWidget* RunPage::makeCentre()
{
    m->toolbar = new RunToolbar(m_theme, m->actions);
    m->band = new Band(m_theme, Band::Shape::State);
    m->band->setObjectName(QStringLiteral("stateBand"));
    m->bandRunAgain = m->band->addAction(tr("Run again"), QStringLiteral("runAgain"));
    m->bandDismiss = m->band->addAction(tr("Close"), QStringLiteral("dismissBand"));
    m->band->hide();
    m->timeline = new TimelineWidget(m_theme);
    m->timeline->setObjectName(QStringLiteral("timeline"));
    m->popover = new SelectionPopover(m_theme, m->timeline);
    m->findBar = new FindBar(m_theme);
    m->findBar->hide();
    m->noteBar = new NoteBar(m_theme);
    m->noteBar->hide();
    m->noteBand = new Band(m_theme, Band::Shape::State);
    m->noteBand->setObjectName(QStringLiteral("noteBand"));
    m->noteCopy = m->noteBand->addAction(tr("Save a copy…"), QStringLiteral("copyForNote"));
    connect(m->noteCopy, &QPushButton::clicked, this, [this] { askForCopy(m_refusedNote); });
    connect(m->noteBand->addAction(tr("Close"), QStringLiteral("dismissNoteBand")),
            &QPushButton::clicked, m->noteBand, &QWidget::hide);
    m->noteBand->hide();
    m->waiting = centredLabel("waiting");
    m->failed = new EmptyState(m_theme, {Icon::Info, {}, {}, tr("Open another run")});
    m->failed->setObjectName(QStringLiteral("failed"));
    auto* failed = new QWidget;
    spaced(new QVBoxLayout(failed), {14, 14, 14, 14}, 0)->addWidget(m->failed);
    m->centre = new QStackedWidget;
    for (QWidget* one : std::initializer_list<QWidget*>{m->waiting, failed, m->timeline})
        m->centre->addWidget(one);
    m->panels = new RunPanels(m_theme);

    m->rows = makeSplitter(Qt::Vertical);
    m->rows->addWidget(m->centre);
    m->rows->addWidget(m->panels);
    m->rows->setStretchFactor(0, 1);
    m->rows->setSizes({700, kPanelsHeight});
    auto* centre = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(centre), {}, 0);
    column->addWidget(m->toolbar);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m->findBar);
    column->addWidget(m->noteBar);
    column->addWidget(m->noteBand);
    column->addWidget(m->band);
    column->addWidget(m->rows, 1);
    connect(m->panels, &RunPanels::foldedChanged, this, [this](bool folded) {
        m->panels->setMaximumHeight(folded ? RunPanels::kTabsHeight : QWIDGETSIZE_MAX);
        m->panels->setMinimumHeight(folded ? RunPanels::kTabsHeight : 120);
        const int panels = folded ? RunPanels::kTabsHeight : kPanelsHeight;
        m->rows->setSizes({std::max(1, m->rows->height() - panels), panels});
    });
    m->panels->setMinimumHeight(120);
    return centre;
}

void RunPage::setDetailsVisible(bool visible)
{
    m->detailsDock->setVisible(visible);
    showPopover();
}

// While the details are folded, a selection is explained where it lies.
bool RunPage::isExplainedInPlace() const
{
    const Selection::Kind kind = m->timeline->selection().kind;
    return m_view && !m->actions.showDetails->isChecked()
        && (kind == Selection::Kind::Op || kind == Selection::Kind::Bubble
            || kind == Selection::Kind::Kernel);
}

void RunPage::showPopover()
{
    if (isExplainedInPlace())
        m->popover->show(detailsOf(*m_view, m->timeline->selection(), m->timeline->kernels().get()),
                         m->timeline->selectionRect());
    else
        m->popover->hide();
}

// Details fold first, then the runs; a dock that was opened by hand in a small window stays open
// until the window changes its class of size.
void RunPage::fold()
{
    const int window = width();
    const bool details = window >= kFoldDetailsBelow, runs = window >= kFoldRunsBelow;
    const bool panels = height() + kChromeHeight >= kFoldPanelsBelow;
    if (details != std::exchange(m->hasRoomForDetails, details))
        m->actions.showDetails->setChecked(details);
    if (runs != std::exchange(m->hasRoomForRuns, runs))
        m->actions.showRuns->setChecked(runs);
    if (panels != std::exchange(m->hasRoomForPanels, panels))
        m->panels->setFolded(!panels);
}

void RunPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m->timeline->setFocus();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    fold();
}

} // namespace app
