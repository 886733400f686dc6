#include "app/run/run_frame.h"

#include "app/run/run_panels.h"
#include "app/run/run_state_view.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"
#include "app/why/why_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
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
    , m_details(new QStackedWidget)
    , m_detailsTitle(named(makeLabel(tr("Details"), "dock"), "detailsDockTitle"))
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
    connect(close, &QToolButton::clicked, this, [this] {
        QAction* shown = m_actions.why->isChecked() ? m_actions.why : m_actions.showDetails;
        shown->setChecked(false);
    });
    auto* details = new QWidget;
    spaced(new QVBoxLayout(details), {}, 0, {{m_parts.details, 1}, makeFooter()});
    m_details->addWidget(details);
    m_details->addWidget(m_parts.why);
    connect(m_actions.why, &QAction::toggled, this, &RunFrame::showWhy);
    auto* title = makeBar(40, 4, {{m_detailsTitle, 1}, close});
    spaced(new QVBoxLayout(dock), {}, 0, {title, makeLine(Qt::Horizontal), {m_details, 1}});
    return dock;
}

// Makes two rows of actions, one for the selection and one for a running run. The second one is
// visible only if nothing is selected.
QWidget* RunFrame::makeFooter()
{
    const auto row = [] {
        auto* buttons = makeSurface("plain");
        spaced(new QHBoxLayout(buttons), {12, 8, 12, 8}, 8);
        return buttons;
    };
    const auto add = [](QWidget* to, const char* name, const QString& text, QAction* action) {
        QPushButton* button = makeButton(text, QString::fromLatin1(name), "tool", action);
        to->layout()->addWidget(button);
        return button;
    };
    m_ofSelection = row();
    add(m_ofSelection, "zoomToDetails", tr("Zoom to"), m_actions.fitSelection);
    add(m_ofSelection, "noteOnDetails", tr("Note"), m_actions.notes.note);
    m_save = add(m_ofSelection, "saveDetails", tr("Save as run…"), m_actions.savePart);
    m_ofRunning = row();
    m_pause = add(m_ofRunning, "pauseDetails", tr("Pause"), m_actions.pause);
    m_stop = add(m_ofRunning, "stopDetails", tr("Stop"), m_actions.stop);
    for (QWidget* buttons : {m_ofSelection, m_ofRunning})
        static_cast<QHBoxLayout*>(buttons->layout())->addStretch(1);
    m_footer = named(new QWidget, "detailsFooter");
    spaced(new QVBoxLayout(m_footer), {}, 0,
           {makeLine(Qt::Horizontal), m_ofSelection, m_ofRunning});
    m_footer->hide();
    return m_footer;
}

void RunFrame::showActions(Selection::Kind selected, const RunDocument& document)
{
    const bool isSelected = selected != Selection::Kind::None;
    const bool isRunning = !isSelected && document.isRunning();
    m_ofSelection->setVisible(isSelected);
    m_save->setVisible(selected == Selection::Kind::Range);
    m_ofRunning->setVisible(isRunning);
    m_footer->setVisible(isSelected || isRunning);
    const int kept = document.progress().done - document.progress().warmup;
    m_stop->setText(kept <= 0       ? tr("Stop")
                        : kept == 1 ? tr("Stop, keep 0")
                                    : tr("Stop, keep 0\u2013%1").arg(kept - 1));
    m_pause->setText(document.isPaused() ? tr("Continue") : tr("Pause"));
}

// Shows "Why not faster?" in place of the details. If the details are folded, unfolds them while
// the reasons are shown.
void RunFrame::showWhy(bool isShown)
{
    m_details->setCurrentIndex(isShown ? 1 : 0);
    m_detailsTitle->setText(isShown ? tr("Why not faster?") : tr("Details"));
    if (isShown)
        m_wereDetailsShown = m_actions.showDetails->isChecked();
    if (!m_wereDetailsShown)
        m_actions.showDetails->setChecked(isShown);
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
