#include "app/pages/run_frame.h"

#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/run/details_panel.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/run/run_state_view.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kRunsDockWidth = 216, kDetailsWidth = 292, kPanelsHeight = 216, kLeastPanels = 120;
constexpr int kFoldDetailsBelow = 1360, kFoldRunsBelow = 1180, kFoldPanelsBelow = 860;
constexpr int kChromeHeight = 90; // menu bar, tabs and status bar of the window around a page

} // namespace

RunFrame::RunFrame(const ThemeController& theme, const RunActions& actions, const Parts& parts,
                   const QList<QWidget*>& bars)
    : m_actions(actions)
    , m_parts(parts)
    , m_rows(makeSplitter(Qt::Vertical))
{
    QWidget* details = makeDetails(theme);
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(parts.runs);
    columns->addWidget(makeCentre(bars));
    columns->addWidget(details);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsDockWidth, 1092, kDetailsWidth});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    connect(actions.showRuns, &QAction::toggled, parts.runs, &QWidget::setVisible);
    connect(actions.showDetails, &QAction::toggled, details, &QWidget::setVisible);
}

QWidget* RunFrame::makeDetails(const ThemeController& theme)
{
    auto* dock = named(makeSurface("plain"), "detailsDock");
    dock->setMinimumWidth(220);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), theme);
    connect(close, &QToolButton::clicked, m_actions.showDetails,
            [action = m_actions.showDetails] { action->setChecked(false); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
    spaced(new QVBoxLayout(dock), {}, 0,
           {title, makeLine(Qt::Horizontal), {m_parts.details, 1}, makeFooter()});
    return dock;
}

// The actions on the selection, shown while there is one.
QWidget* RunFrame::makeFooter()
{
    auto* buttons = makeSurface("plain");
    QPushButton* save
        = makeButton(tr("Save range…"), QStringLiteral("saveDetails"), "tool", m_actions.savePart);
    spaced(
        new QHBoxLayout(buttons), {12, 8, 12, 8}, 8,
        {makeButton(tr("Zoom to"), QStringLiteral("zoomToDetails"), "tool", m_actions.fitSelection),
         makeButton(tr("Note"), QStringLiteral("noteOnDetails"), "tool", m_actions.notes.note),
         save, kStretch});
    auto* footer = named(new QWidget, "detailsFooter");
    spaced(new QVBoxLayout(footer), {}, 0, {makeLine(Qt::Horizontal), buttons});
    footer->hide();
    connect(m_parts.details, &DetailsPanel::shown, footer, [footer, save](const Selection& what) {
        footer->setVisible(what.kind != Selection::Kind::None);
        save->setVisible(what.kind == Selection::Kind::Range);
    });
    return footer;
}

QWidget* RunFrame::makeCentre(const QList<QWidget*>& bars)
{
    RunPanels* panels = m_parts.panels;
    panels->setMinimumHeight(kLeastPanels);
    m_rows->addWidget(m_parts.state);
    m_rows->addWidget(panels);
    m_rows->setStretchFactor(0, 1);
    m_rows->setSizes({700, kPanelsHeight});
    auto* centre = makeSurface("plain");
    auto* column
        = spaced(new QVBoxLayout(centre), {}, 0, {m_parts.toolbar, makeLine(Qt::Horizontal)});
    for (QWidget* bar : bars)
        column->addWidget(bar);
    column->addWidget(m_rows, 1);
    connect(panels, &RunPanels::foldedChanged, this, [this, panels](bool folded) {
        panels->setMaximumHeight(folded ? RunPanels::kTabsHeight : QWIDGETSIZE_MAX);
        panels->setMinimumHeight(folded ? RunPanels::kTabsHeight : kLeastPanels);
        const int height = folded ? RunPanels::kTabsHeight : kPanelsHeight;
        m_rows->setSizes({std::max(1, m_rows->height() - height), height});
    });
    return centre;
}

void RunFrame::fold(QSize page)
{
    const bool details = page.width() >= kFoldDetailsBelow, runs = page.width() >= kFoldRunsBelow;
    const bool panels = page.height() + kChromeHeight >= kFoldPanelsBelow;
    if (details != std::exchange(m_hasRoomForDetails, details))
        m_actions.showDetails->setChecked(details);
    if (runs != std::exchange(m_hasRoomForRuns, runs))
        m_actions.showRuns->setChecked(runs);
    if (panels != std::exchange(m_hasRoomForPanels, panels))
        m_parts.panels->setFolded(!panels);
}

} // namespace app
