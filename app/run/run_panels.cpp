#include "app/run/run_panels.h"

#include "app/documents/run_document.h"
#include "app/memory/memory_areas.h"
#include "app/range/range_panel.h"
#include "app/run/notes.h"
#include "app/run/run_charts.h"
#include "app/run/run_tables.h"
#include "app/timeline/view/labels.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/base/new_file.h"
#include "engine/schedule/notation.h"

#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace app {
RunPanels::RunPanels(const ThemeController& theme, const RunActions& actions, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_metrics(new MetricsModel(this))
    , m_tabs(named(new QTabBar, "panelTabs"))
    , m_mode(new Tag(theme))
    , m_hint(makeLabel({}, "hint"))
    , m_logLine(named(makeLabel({}, "small"), "lastLogLine"))
    , m_fold(named(new QToolButton, "foldPanels", tr("Collapse the tables")))
    , m_stack(new QStackedWidget)
    , m_summaryTable(named(new DataTable(theme, 26), "summaryTable", tr("Summary")))
    , m_events(new RowTable<Event>(theme, 23, "eventsTable", tr("Events")))
    , m_range(new RangePanel(theme))
    , m_devices(new DevicesPanel(theme))
    , m_kernels(new KernelPanel(theme))
    , m_memory(new MemoryPanel(theme))
    , m_loss(named(new SceneView(theme, {}), "lossPlot", tr("Loss")))
    , m_notes(new NotesPanel(theme, actions))
    , m_log(named(new QPlainTextEdit, "log", tr("Log")))
{
    setObjectName(QStringLiteral("runPanels"));
    m_iterations.reset(iterationColumns({}, 0), {});
    m_summaryTable->setModel(m_metrics);
    m_events->show(eventColumns(std::make_shared<const engine::Run>(), 0), {});
    m_events->setSortingEnabled(true);
    m_events->sortByColumn(static_cast<int>(EventColumn::Start), Qt::AscendingOrder);
    m_log->setReadOnly(true);
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setFont(codeFont(12));
    const std::pair<QString, QWidget*> panels[] // in the order of Panel
        = {{tr("Range"), m_range},
           {tr("Devices"), m_devices},
           {tr("Summary"), m_summaryTable},
           {tr("Events"), m_events},
           {tr("Kernels"), m_kernels},
           {tr("Memory"), m_memory},
           {tr("Progress"), makeProgress()},
           {tr("Notes"), m_notes},
           {tr("Log"), m_log}};
    for (const auto& [name, panel] : panels) {
        m_tabs->addTab(name);
        m_stack->addWidget(panel);
    }
    spaced(new QVBoxLayout(this), {}, 0, {makeTabRow(), makeLine(Qt::Horizontal), {m_stack, 1}});

    connect(m_events, &QTableView::clicked, this, &RunPanels::chooseEvent);
    connect(m_summaryTable, &QTableView::clicked, this,
            [this](const QModelIndex& index) { chooseDevice(engine::DeviceId{index.row()}); });
    connect(m_devices, &DevicesPanel::chosen, this, &RunPanels::chooseDevice);
    connect(&theme, &ThemeController::unitsChanged, this, &RunPanels::updateHint);
    updateHint();
}

QWidget* RunPanels::makeTabRow()
{
    setLook(m_tabs, "kind", QStringLiteral("dock"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setTabVisible(static_cast<int>(Panel::Range), false);
    setPanel(Panel::Summary);
    m_stack->setCurrentIndex(m_tabs->currentIndex());
    m_fold->setAutoRaise(true);
    m_fold->setFocusPolicy(Qt::TabFocus);
    connect(&m_theme, &ThemeController::changed, this, &RunPanels::updateFoldIcon);
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

// The progress of training: loss plot, table of iterations, last line of the log.
QWidget* RunPanels::makeProgress()
{
    m_loss->setMinimumSize(240, 110);
    m_loss->setFocusPolicy(Qt::NoFocus); // it has no marks to choose
    auto* save = makeIconButton("exportLoss", Icon::Export, tr("Export the chart"), m_theme);
    connect(save, &QToolButton::clicked, this, [this] {
        if (m_loss->drawing())
            Q_EMIT chartExported(m_loss->drawing());
    });
    auto* head
        = spaced(new QHBoxLayout, {12, 6, 12, 0}, 8,
                 {makeLabel(tr("Loss"), "dock"),
                  makeLabel(tr("nats; dots are micro-batches, the line is the mean"), "hint"),
                  kStretch, save});
    auto* loss = makeSurface("plain");
    spaced(new QVBoxLayout(loss), {}, 0, {head, {m_loss, 1}});
    auto* table = named(new DataTable(m_theme, 26), "iterationsTable", tr("Iterations"));
    table->setModel(&m_iterations);
    m_logLine->setFont(codeFont(12));
    m_logLine->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* openLog = makeButton(tr("open log"), QStringLiteral("openLog"), "link");
    auto* log = makeSurface("alt");
    log->setFixedHeight(24);
    spaced(new QHBoxLayout(log), {12, 0, 8, 0}, 8, {{m_logLine, 1}, openLog});
    auto* columns
        = spaced(new QHBoxLayout, {}, 0, {{loss, 576}, makeLine(Qt::Vertical), {table, 516}});
    auto* progress = new QWidget;
    spaced(new QVBoxLayout(progress), {}, 0, {{columns, 1}, makeLine(Qt::Horizontal), log});
    connect(openLog, &QPushButton::clicked, this, [this] { setPanel(Panel::Log); });
    connect(table, &QTableView::clicked, this,
            [this](const QModelIndex& index) { Q_EMIT iterationChosen(index.row()); });
    connect(&m_iterations, &QAbstractItemModel::rowsInserted, table,
            &QAbstractItemView::scrollToBottom);
    return progress;
}

void RunPanels::showIterations(const engine::RunInfo& info, std::size_t first,
                               std::vector<IterationRow> rows)
{
    if (rows.empty() || first > m_iterations.rows().size())
        return;
    m_iterations.describe(iterationColumns(info, rows.front().duration));
    m_iterations.update(first, std::move(rows));
}

void RunPanels::updateFoldIcon()
{
    const Icon icon = m_isFolded ? Icon::ChevronUp : Icon::ChevronDown;
    m_fold->setIcon(makeIcon(icon, m_theme.theme().chrome.text2));
    m_fold->setToolTip(m_isFolded ? tr("Expand the tables")
                                  : tr("Collapse the tables to their tabs"));
}

RunPanels::Panel RunPanels::shown() const
{
    return static_cast<Panel>(m_tabs->currentIndex());
}

bool RunPanels::isOffered(Panel panel) const
{
    return m_tabs->isTabVisible(static_cast<int>(panel));
}

void RunPanels::setOffered(Panel panel, bool offered)
{
    if (isOffered(panel) == offered)
        return;
    m_tabs->setTabVisible(static_cast<int>(panel), offered);
    m_tabs->updateGeometry(); // setTabVisible() does not
}

void RunPanels::setPanel(Panel panel)
{
    m_tabs->setCurrentIndex(static_cast<int>(panel));
}

void RunPanels::open(Panel panel)
{
    setFolded(false);
    setPanel(panel);
}

void RunPanels::setRangeShown(bool isRangeShown)
{
    if (isOffered(Panel::Range) == isRangeShown)
        return;
    const Panel before = shown();
    setOffered(Panel::Range, isRangeShown);
    if (isRangeShown)
        m_beforeRange = before == Panel::Devices ? before : Panel::Summary;
    if (isRangeShown && before == m_beforeRange)
        setPanel(Panel::Range);
    else if (!isRangeShown && before == Panel::Range)
        setPanel(m_beforeRange);
    fitHint();
}

void RunPanels::preferDevices()
{
    if (shown() == Panel::Summary && isOffered(Panel::Devices))
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
    m_loss->draw(
        [series = lossSeries(*run)](const ChartLook& look) { return lossChart(series, look); });
    m_kernels->showIteration(iteration);
    m_mode->setText(modeText(run->info));
    setOffered(Panel::Devices, run->schedule.shape.devices > 1);
    fillShownPanel();
    updateHint();
}

void RunPanels::fillShownPanel()
{
    if (!m_run || m_isFolded)
        return;
    if (shown() == Panel::Events && !std::exchange(m_areEventsFresh, true))
        fillEvents();
    if (shown() == Panel::Devices)
        m_devices->comparePaces(m_run);
    if (shown() == Panel::Memory && !std::exchange(m_isMemoryFresh, true))
        m_memory->show(m_view, m_iteration);
}

void RunPanels::fillEvents()
{
    const bool areHits = m_listed == Listed::Hits;
    const std::optional<int> iteration = areHits ? std::nullopt : std::optional(m_iteration);
    EventFilter only;
    if (areHits)
        only = [this](const engine::Span& span) { return m_hits->has(span); };
    else if (m_listed == Listed::Path)
        only = [this](const engine::Span& span) { return m_path->ops[span.op]; };
    m_events->show(eventColumns(m_run, iteration),
                   areHits ? eventsOf(*m_run, iteration, only, Found::kMostHits)
                           : eventsOf(*m_run, iteration, only));
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
    if (!m_path)
        return;
    open(Panel::Events);
    list(Listed::Path);
}

void RunPanels::setHits(FoundPointer hits)
{
    const bool areNew = hits && !m_hits;
    m_hits = std::move(hits);
    if (areNew)
        open(Panel::Events);
    if (areNew || m_listed == Listed::Hits)
        list(m_hits ? Listed::Hits : Listed::EveryOp);
}

void RunPanels::list(Listed listed)
{
    m_listed = listed;
    m_areEventsFresh = false;
    fillShownPanel();
    updateHint();
}

// Shows which iteration the numbers belong to.
void RunPanels::updateHint()
{
    const bool hasNumbers = !m_metrics->metrics().devices.empty() && m_run;
    const bool isText = shown() == Panel::Log || shown() == Panel::Notes;
    m_mode->setVisible(hasNumbers && (!isText || m_isFolded));
    m_hint->setText(hasNumbers ? hintOf(shown()) : QString());
    fitHint();
}

QString RunPanels::hintOf(Panel panel) const
{
    const QString which = iterationTitle(m_run->timeline, m_metrics->metrics().iteration);
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
    const auto keyOf = [](const auto& op) { return std::tuple(op.op, op.lane, op.iteration); };
    const auto selectRow = [](DataTable* table, int row) {
        row >= 0 ? table->selectRow(row) : table->clearSelection();
    };
    m_kernels->showSelection(selection);
    selectRow(m_events,
              selection.kind == Selection::Kind::Op && m_areEventsFresh
                  ? m_events->rows().rowWith(keyOf, keyOf(selection))
                  : -1);
    const engine::DeviceId device
        = selection.kind == Selection::Kind::None ? engine::DeviceId{} : selection.device;
    m_devices->mark(device);
    m_metrics->setSelected(selection.kind == Selection::Kind::Category
                               ? std::optional(selection.category)
                               : std::nullopt);
    selectRow(m_summaryTable, device.isValid() ? device.value : -1);
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
    m_logLine->setText(line);
    m_logLine->setToolTip(line);
}

namespace {

QComboBox* makeCombo(const char* name, const QString& accessibleName)
{
    auto* combo = named(new QComboBox, name, accessibleName);
    combo->setFocusPolicy(Qt::TabFocus);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return combo;
}

// Returns the iteration whose kernels are listed. For a range, returns -1 (all iterations), unless
// the range begins in the Replay.
int iterationOf(const Selection& selection, const engine::Run& run)
{
    const auto& iterations = run.timeline.iterations;
    const auto index = static_cast<std::size_t>(selection.iteration);
    const bool isMedian
        = index < iterations.size() && iterations[index].kind == engine::Iteration::Kind::Replay;
    return selection.kind == Selection::Kind::Range && !isMedian ? -1 : selection.iteration;
}

} // namespace

KernelPanel::KernelPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_op(makeCombo("kernelOp", tr("Op type")))
    , m_device(makeCombo("kernelDevice", tr("Device")))
    , m_scope(makeCombo("kernelScope", tr("Scope")))
    , m_sum(named(makeLabel({}, "small"), "kernelSum"))
    , m_stack(new QStackedWidget)
    , m_table(new RowTable<profiler::KernelRow>(theme, 24, "kernelTable", tr("Kernels")))
    , m_empty(named(new EmptyState(theme, {Icon::Chip, tr("No kernels"), {}, {}}), "kernelsEmpty"))
{
    setObjectName(QStringLiteral("kernelPanel"));
    m_table->show(kernelColumns(nullptr), {});
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(static_cast<int>(KernelColumn::Total), Qt::DescendingOrder);
    auto* full = new QWidget;
    spaced(new QVBoxLayout(full), {}, 0, {makeBar(), {m_table, 1}});
    auto* none = new QWidget;
    spaced(new QVBoxLayout(none), {14, 10, 14, 10}, 0)->addWidget(m_empty);
    m_stack->addWidget(none);
    m_stack->addWidget(full);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
    for (QComboBox* combo : {m_op, m_device, m_scope})
        connect(combo, &QComboBox::activated, this, &KernelPanel::refresh);
    connect(&theme, &ThemeController::unitsChanged, this, &KernelPanel::refresh);
}

QWidget* KernelPanel::makeBar()
{
    m_scope->addItems({tr("whole run"), tr("this iteration"), tr("selected range or op")});
    auto* copy = makeIconButton("copyKernels", Icon::Copy, tr("Copy the table as CSV"), m_theme);
    auto* save = makeIconButton("saveKernels", Icon::Export, tr("Save the table as CSV"), m_theme);
    connect(copy, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(kernelsCsv(m_table->rows(), *m_kernels));
    });
    connect(save, &QToolButton::clicked, this, &KernelPanel::save);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(34);
    spaced(new QHBoxLayout(bar), {10, 0, 8, 0}, 8,
           {m_op, m_device, m_scope, {m_sum, 1}, copy, save});
    return bar;
}

void KernelPanel::show(const RunPointer& run, KernelViewPointer kernels, const QString& reason)
{
    const bool isOther = run != m_run || kernels != m_kernels;
    m_run = run;
    m_kernels = std::move(kernels);
    const bool hasAny = m_kernels && !m_kernels->isEmpty();
    m_stack->setCurrentIndex(hasAny ? 1 : 0);
    m_empty->setTexts(tr("No kernels"), reason);
    if (isOther)
        fillChoices();
    refresh();
}

void KernelPanel::fillChoices()
{
    m_op->clear();
    m_device->clear();
    m_op->addItem(tr("all op types"), -1);
    m_device->addItem(tr("all devices"), -1);
    if (!m_run || !m_kernels)
        return;
    std::set<engine::OpKind> kinds;
    const engine::OpIndex index(m_run->schedule);
    for (const profiler::GpuWork& work : m_kernels->activity().work())
        if (work.of.isKnown())
            kinds.insert(engine::opAt(m_run->schedule, index, work.of.op).kind);
    for (const engine::OpKind kind : kinds)
        m_op->addItem(fromUtf8(engine::kindTitle(kind)), static_cast<int>(kind));
    for (int d = 0; d < m_run->schedule.shape.devices; ++d)
        m_device->addItem(tr("device %1").arg(d), d);
}

void KernelPanel::showIteration(int iteration)
{
    if (std::exchange(m_iteration, iteration) != iteration && isOfScope(Scope::Iteration))
        refresh();
}

void KernelPanel::showSelection(const Selection& selection)
{
    m_selection = selection;
    if (isOfScope(Scope::Selection))
        refresh();
}

bool KernelPanel::isOfScope(Scope scope) const
{
    return m_scope->currentIndex() == static_cast<int>(scope);
}

profiler::KernelFilter KernelPanel::filter() const
{
    profiler::KernelFilter filter;
    if (const int kind = m_op->currentData().toInt(); kind >= 0)
        filter.op = static_cast<engine::OpKind>(kind);
    if (const int device = m_device->currentData().toInt(); device >= 0)
        filter.device = engine::DeviceId{device};
    using Kind = Selection::Kind;
    if (isOfScope(Scope::Iteration))
        filter.iteration = m_iteration;
    if (!isOfScope(Scope::Selection) || m_selection.kind == Kind::None
        || m_selection.kind == Kind::Category)
        return filter;
    filter.iteration = iterationOf(m_selection, *m_run);
    if (m_selection.kind == Kind::Op || m_selection.kind == Kind::Kernel)
        filter.execution = {m_selection.op, static_cast<std::uint32_t>(m_selection.iteration)};
    else if (m_selection.kind == Kind::Device)
        filter.device = m_selection.device;
    else
        filter.begun = m_selection.window;
    return filter;
}

void KernelPanel::refresh()
{
    if (!m_run || !m_kernels || m_kernels->isEmpty())
        return;
    auto table = profiler::kernelTable(*m_run, m_kernels->activity(), filter());
    m_table->show(kernelColumns(m_kernels), std::move(table.rows));
    std::int64_t launches = 0, time = 0, busy = 0;
    for (const profiler::OpKindWork& op : table.ops) {
        launches += op.works;
        time += op.time;
        busy += op.busy;
    }
    const Scale scale = timeScale(m_run->info, time);
    m_sum->setText(launches == 0
                       ? tr("No launches match; select another op type, device or scope")
                       : tr("%1 launches, busy %2 of %3; gaps are %4 of the ops' time")
                             .arg(number(launches), scale.text(busy), scale.withUnit(time),
                                  percent(time > 0 ? static_cast<double>(time - busy)
                                                  / static_cast<double>(time)
                                                   : 0)));
}

void KernelPanel::save()
{
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the table"), QStringLiteral("kernels.csv"), tr("CSV (*.csv)"));
    if (file.isEmpty())
        return;
    const auto saved = engine::saveFile(file.toStdString(),
                                        kernelsCsv(m_table->rows(), *m_kernels).toStdString(),
                                        engine::IfExists::Replace);
    if (!saved)
        QMessageBox::warning(this, tr("Not saved"), fromUtf8(saved.error().message));
}

MemoryPanel::MemoryPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_areas(new MemoryAreas(theme))
    , m_gpus(new QWidget)
    , m_gpuTable(new RowTable<GpuMemoryRow>(theme, 24, "gpuMemoryTable", tr("Memory of the GPUs")))
{
    constexpr int kLeastPanel = 270; // four devices in a row beside both docks
    m_areas->setLeastWidth(kLeastPanel);
    spaced(new QHBoxLayout(m_gpus), {}, 0, {makeLine(Qt::Vertical), {m_gpuTable, 1}});
    m_gpus->hide();
    spaced(new QHBoxLayout(this), {}, 0, {{makeScroll(m_areas), 1}, m_gpus});
}

void MemoryPanel::show(const RunViewPointer& view, int iteration)
{
    const auto& gpuMemory = view->run().info.gpuMemory;
    m_areas->show(std::make_shared<const MemoryReport>(view->hasMemory()
                                                           ? memoryReport(view->shared(), iteration)
                                                           : stashReport(*view, iteration)));
    showGpuMemory(m_gpuTable->rows(), gpuMemory);
    m_gpus->setVisible(!gpuMemory.empty());
    shareWidth();
}

// The table gets the width that it needs if the plots keep at least half of the total.
void MemoryPanel::shareWidth()
{
    const int needed
        = m_gpuTable->neededWidth() + m_gpuTable->verticalScrollBar()->sizeHint().width();
    m_gpus->setFixedWidth(std::min(needed, width() / 2));
}

void MemoryPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareWidth();
}

} // namespace app
