#include "app/run/run_panels.h"

#include "app/documents/iterations_model.h"
#include "app/documents/runs_model.h"
#include "app/range/range_panel.h"
#include "app/run/devices_panel.h"
#include "app/run/kernel_panel.h"
#include "app/run/memory_panel.h"
#include "app/run/notes_panel.h"
#include "app/run/progress_panel.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {

RunPanels::RunPanels(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_metrics(new MetricsModel(this))
    , m_events(new EventsModel(this))
    , m_tabs(new QTabBar)
    , m_mode(new Tag(theme))
    , m_hint(makeLabel({}, "hint"))
    , m_fold(new QToolButton)
    , m_stack(new QStackedWidget)
    , m_summaryTable(named(new DataTable(theme, 26), "summaryTable", tr("Summary")))
    , m_eventsTable(named(new DataTable(theme, 23), "eventsTable", tr("Events")))
    , m_range(new RangePanel(theme))
    , m_devices(new DevicesPanel(theme))
    , m_kernels(new KernelPanel(theme))
    , m_memory(new MemoryPanel(theme))
    , m_progress(new ProgressPanel(theme))
    , m_notes(new NotesPanel(theme))
    , m_log(named(new QPlainTextEdit, "log", tr("Log")))
{
    setObjectName(QStringLiteral("runPanels"));
    m_summaryTable->setModel(m_metrics);
    m_eventsTable->setModel(m_events);
    m_eventsTable->setSortingEnabled(true);
    m_eventsTable->sortByColumn(static_cast<int>(EventsModel::Column::Start), Qt::AscendingOrder);
    m_log->setReadOnly(true);
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setFont(codeFont(12));
    for (QWidget* panel :
         std::initializer_list<QWidget*>{m_range, m_devices, m_summaryTable, m_eventsTable,
                                         m_kernels, m_memory, m_progress, m_notes, m_log})
        m_stack->addWidget(panel);
    spaced(new QVBoxLayout(this), {}, 0,
           {makeTabRow(theme), makeLine(Qt::Horizontal), {m_stack, 1}});

    connect(m_eventsTable, &QTableView::clicked, this, &RunPanels::chooseEvent);
    connect(m_metrics, &MetricsModel::modelReset, m_summaryTable,
            [this] { m_summaryTable->setDispensable(m_metrics->dispensable()); });
    connect(m_summaryTable, &QTableView::clicked, this,
            [this](const QModelIndex& index) { chooseDevice(engine::DeviceId{index.row()}); });
    connect(m_devices, &DevicesPanel::chosen, this, &RunPanels::chooseDevice);
    connect(&theme, &ThemeController::unitsChanged, this, &RunPanels::updateHint);
    connect(m_progress, &ProgressPanel::logRequested, this, [this] { setPanel(Panel::Log); });
    updateHint();
}

QWidget* RunPanels::makeTabRow(const ThemeController& theme)
{
    setLook(m_tabs, "kind", QStringLiteral("dock"));
    m_tabs->setObjectName(QStringLiteral("panelTabs"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideNone);
    for (const QString& name :
         {tr("Range"), tr("Devices"), tr("Summary"), tr("Events"), tr("Kernels"), tr("Memory"),
          tr("Progress"), tr("Notes"), tr("Log")})
        m_tabs->addTab(name);
    m_tabs->setTabVisible(static_cast<int>(Panel::Range), false);
    m_tabs->setCurrentIndex(static_cast<int>(Panel::Summary));
    m_stack->setCurrentIndex(m_tabs->currentIndex());
    m_fold->setObjectName(QStringLiteral("foldPanels"));
    m_fold->setAutoRaise(true);
    m_fold->setAccessibleName(tr("Collapse the tables"));
    m_fold->setFocusPolicy(Qt::TabFocus);
    connect(&theme, &ThemeController::changed, this, &RunPanels::updateFoldIcon);
    updateFoldIcon();
    m_hint->setMinimumWidth(1); // lets the window shrink; fitHint() hides a hint that does not fit
    auto* row = makeSurface("plain");
    row->setFixedHeight(kTabsHeight - 1);
    spaced(new QHBoxLayout(row), {10, 0, 8, 0}, 8, {m_tabs, kStretch, m_mode, m_hint, m_fold});
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int panel) {
        m_stack->setCurrentIndex(panel);
        fillShownPanel();
        updateHint();
    });
    connect(m_tabs, &QTabBar::tabBarClicked, this, [this] { setFolded(false); });
    connect(m_fold, &QToolButton::clicked, this, [this] { setFolded(!m_isFolded); });
    return row;
}

void RunPanels::updateFoldIcon()
{
    const Icon icon = m_isFolded ? Icon::ChevronUp : Icon::ChevronDown;
    m_fold->setIcon(makeIcon(icon, m_theme.theme().chrome.text2));
    m_fold->setToolTip(m_isFolded ? tr("Expand the tables")
                                  : tr("Collapse the tables to their tabs"));
}

void RunPanels::setPanel(Panel panel)
{
    m_tabs->setCurrentIndex(static_cast<int>(panel));
}

void RunPanels::setRangeShown(bool shown)
{
    if (m_tabs->isTabVisible(static_cast<int>(Panel::Range)) == shown)
        return;
    const auto current = static_cast<Panel>(m_tabs->currentIndex());
    setShown(Panel::Range, shown);
    if (shown)
        m_beforeRange = current == Panel::Devices ? current : Panel::Summary;
    if (shown && current == m_beforeRange)
        setPanel(Panel::Range);
    else if (!shown && current == Panel::Range)
        setPanel(m_beforeRange);
    fitHint();
}

void RunPanels::setShown(Panel panel, bool shown)
{
    m_tabs->setTabVisible(static_cast<int>(panel), shown);
    m_tabs->updateGeometry(); // setTabVisible() does not
}

void RunPanels::preferDevices()
{
    if (m_tabs->currentIndex() == static_cast<int>(Panel::Summary)
        && m_tabs->isTabVisible(static_cast<int>(Panel::Devices)))
        setPanel(Panel::Devices);
}

void RunPanels::setFolded(bool folded)
{
    if (folded == m_isFolded)
        return;
    m_isFolded = folded;
    m_stack->setVisible(!folded);
    updateFoldIcon();
    fillShownPanel();
    updateHint();
    Q_EMIT foldedChanged(folded);
}

void RunPanels::showRun(const RunViewPointer& view, int iteration)
{
    const RunPointer& run = view->shared();
    // The list of hits covers all iterations, so it stays valid, with its selected row, if only
    // another iteration of the same run is shown.
    m_areEventsFresh = m_areEventsFresh && m_listed == Listed::Hits && run == m_run;
    m_isMemoryFresh = false;
    m_view = view;
    m_run = run;
    m_iteration = iteration;
    m_progress->showLoss(*run);
    m_kernels->showIteration(iteration);
    m_mode->setText(modeText(run->info));
    if (const bool hasSeveral = run->schedule.shape.devices > 1;
        hasSeveral != m_tabs->isTabVisible(static_cast<int>(Panel::Devices)))
        setShown(Panel::Devices, hasSeveral);
    fillShownPanel();
    updateHint();
}

// Fills events and memory only when they are shown, because they can be long.
void RunPanels::fillShownPanel()
{
    const auto shown = static_cast<Panel>(m_tabs->currentIndex());
    if (!m_run || m_isFolded)
        return;
    if (shown == Panel::Events && !m_areEventsFresh) {
        fillEvents();
        m_areEventsFresh = true;
    }
    if (shown == Panel::Memory && !m_isMemoryFresh) {
        m_memory->show(m_view, m_iteration);
        m_isMemoryFresh = true;
    }
}

void RunPanels::fillEvents()
{
    if (m_listed == Listed::Hits)
        m_events->showAll(
            m_run, [&hits = *m_hits](const engine::Span& span) { return hits.has(span); },
            Found::kMostHits);
    else if (m_listed == Listed::Path)
        m_events->show(m_run, m_iteration,
                       [&path = *m_path](const engine::Span& span) { return path.ops[span.op]; });
    else
        m_events->show(m_run, m_iteration);
}

void RunPanels::showMetrics(const RunPointer& run, const profiler::RunMetrics& metrics)
{
    m_metrics->show(run, metrics);
    m_devices->showMetrics(*run, metrics);
    updateHint();
}

void RunPanels::setPath(PathMarksPointer path)
{
    m_path = std::move(path);
    m_metrics->setWorkOnPath(m_path && m_run ? m_path->why.workOnPath(*m_run)
                                             : decltype(m_path->why.workOnPath(*m_run))());
    if (m_listed == Listed::Path)
        list(Listed::EveryOp);
}

void RunPanels::showPathEvents()
{
    if (m_path)
        listOnly(Listed::Path);
}

void RunPanels::setHits(FoundPointer hits)
{
    const bool areNew = hits && !m_hits;
    m_hits = std::move(hits);
    if (areNew)
        listOnly(Listed::Hits);
    else if (m_listed == Listed::Hits)
        list(m_hits ? Listed::Hits : Listed::EveryOp);
}

void RunPanels::listOnly(Listed listed)
{
    setFolded(false);
    setPanel(Panel::Events);
    list(listed);
}

void RunPanels::list(Listed listed)
{
    m_listed = listed;
    m_areEventsFresh = false;
    fillShownPanel();
    updateHint();
}

// Shows which iteration the numbers belong to, or three key numbers while the panels are folded.
void RunPanels::updateHint()
{
    const auto shown = static_cast<Panel>(m_tabs->currentIndex());
    const bool hasNumbers = !m_metrics->metrics().devices.empty() && m_run;
    m_mode->setVisible(hasNumbers
                       && ((shown != Panel::Log && shown != Panel::Notes) || m_isFolded));
    m_hint->setText(!hasNumbers ? QString() : m_isFolded ? m_metrics->keyNumbers() : hintOf(shown));
    fitHint();
}

QString RunPanels::hintOf(Panel panel) const
{
    const QString name = iterationName(m_run->timeline, m_metrics->metrics().iteration);
    const QString which = name == tr("median iteration") ? name : tr("iteration %1").arg(name);
    switch (panel) {
    case Panel::Range:
        return tr("only the part of an op inside the range counts");
    case Panel::Summary:
        return tr("%1. Last row: means, largest peak, sum of messages").arg(which);
    case Panel::Events:
        return eventsHint(which);
    case Panel::Devices:
    case Panel::Memory:
        return which;
    case Panel::Notes:
        return tr("stored in the run's file; double-click to edit the text");
    case Panel::Kernels:
    case Panel::Progress:
    case Panel::Log:
        break;
    }
    return {};
}

QString RunPanels::eventsHint(const QString& iteration) const
{
    if (m_listed == Listed::Path)
        return tr("%1, only the critical path; click an op to show it").arg(iteration);
    if (m_listed == Listed::EveryOp)
        return tr("%1, every op; click one to show it").arg(iteration);
    return m_hits->hits().front().kind == Selection::Kind::Kernel
        ? tr("all iterations, only ops that launched a matching kernel; click one to show it")
        : tr("hits of all iterations; click a hit to show it");
}

// Shows the hint if it fits beside the tabs.
void RunPanels::fitHint()
{
    const auto widthOf
        = [](const QWidget* part) { return part->isHidden() ? 0 : part->sizeHint().width() + 8; };
    const int taken = widthOf(m_tabs) + widthOf(m_mode) + widthOf(m_fold) + 18;
    m_hint->setVisible(!m_hint->text().isEmpty() && taken + m_hint->sizeHint().width() <= width());
}

void RunPanels::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitHint();
}

void RunPanels::showKernels(KernelViewPointer kernels, const QString& reason)
{
    m_kernels->show(m_run, std::move(kernels), reason);
}

void RunPanels::showSelection(const Selection& selection)
{
    m_kernels->showSelection(selection);
    const int row = selection.kind == Selection::Kind::Op && m_areEventsFresh
        ? m_events->rowOf(selection.op, selection.lane, selection.iteration)
        : -1;
    if (row >= 0)
        m_eventsTable->selectRow(row);
    else
        m_eventsTable->clearSelection();
    const bool isDevice = selection.device.isValid() && selection.kind != Selection::Kind::None;
    m_devices->mark(isDevice ? selection.device : engine::DeviceId{});
    if (isDevice)
        m_summaryTable->selectRow(selection.device.value);
    else
        m_summaryTable->clearSelection();
}

void RunPanels::chooseEvent(const QModelIndex& index)
{
    const Event& event = m_events->at(index.row());
    Q_EMIT selected(
        {Selection::Kind::Op, event.iteration, event.device, event.lane, event.op, event.window});
}

void RunPanels::chooseDevice(engine::DeviceId device)
{
    const auto& metrics = m_metrics->metrics();
    if (!metrics.devices.has(device)) // the row of all devices
        return;
    const engine::Window whole
        = m_run->timeline.iterations[static_cast<std::size_t>(metrics.iteration)].window;
    Q_EMIT selected({Selection::Kind::Device, metrics.iteration, device,
                     engine::Track::Kind::Compute, 0, whole});
}

void RunPanels::addLogLine(const QString& line)
{
    m_log->appendPlainText(line);
    m_progress->showLogLine(line);
}

} // namespace app
