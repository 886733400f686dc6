#include "app/run/kernel_panel.h"

#include "app/run/kernels_model.h"
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
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <set>

namespace app {
namespace {

QComboBox* makeCombo(const char* name, const QString& says)
{
    auto* combo = new QComboBox;
    combo->setObjectName(QString::fromLatin1(name));
    combo->setAccessibleName(says);
    combo->setFocusPolicy(Qt::TabFocus);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return combo;
}

// Returns the iteration whose kernels are listed. For a range, returns -1 (all iterations), unless
// the range begins in the median iteration.
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
    , m_model(new KernelsModel(this))
    , m_op(makeCombo("kernelOp", tr("Op type")))
    , m_device(makeCombo("kernelDevice", tr("Device")))
    , m_scope(makeCombo("kernelScope", tr("Scope")))
    , m_sum(named(makeLabel({}, "small"), "kernelSum"))
    , m_stack(new QStackedWidget)
    , m_table(named(new DataTable(theme, 24), "kernelTable", tr("Kernels")))
    , m_empty(named(new EmptyState(theme, {Icon::Chip, tr("No kernels"), {}, {}}), "kernelsEmpty"))
{
    setObjectName(QStringLiteral("kernelPanel"));
    m_table->setModel(m_model);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(static_cast<int>(KernelsModel::Column::Total), Qt::DescendingOrder);
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
    m_scope->addItem(tr("whole run"), static_cast<int>(Scope::Run));
    m_scope->addItem(tr("this iteration"), static_cast<int>(Scope::Iteration));
    m_scope->addItem(tr("selected range or op"), static_cast<int>(Scope::Selection));
    auto* copy = makeIconButton("copyKernels", Icon::Copy, tr("Copy the table as CSV"), m_theme);
    auto* save = makeIconButton("saveKernels", Icon::Export, tr("Save the table as CSV"), m_theme);
    connect(copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_model->csv()); });
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
    if (iteration == m_iteration)
        return;
    m_iteration = iteration;
    if (m_scope->currentIndex() == static_cast<int>(Scope::Iteration))
        refresh();
}

void KernelPanel::showSelection(const Selection& selection)
{
    m_selection = selection;
    if (m_scope->currentIndex() == static_cast<int>(Scope::Selection))
        refresh();
}

profiler::KernelFilter KernelPanel::filter() const
{
    profiler::KernelFilter filter;
    if (const int kind = m_op->currentData().toInt(); kind >= 0)
        filter.op = static_cast<engine::OpKind>(kind);
    if (const int device = m_device->currentData().toInt(); device >= 0)
        filter.device = engine::DeviceId{device};
    const auto scope = static_cast<Scope>(m_scope->currentIndex());
    using Kind = Selection::Kind;
    if (scope == Scope::Iteration)
        filter.iteration = m_iteration;
    if (scope != Scope::Selection || m_selection.kind == Kind::None)
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
    const std::shared_ptr<const profiler::GpuActivity> activity(m_kernels, &m_kernels->activity());
    m_model->show(*m_run, activity, filter());
    std::int64_t launches = 0, time = 0, busy = 0;
    for (const profiler::OpKindWork& op : m_model->ops()) {
        launches += op.works;
        time += op.time;
        busy += op.busy;
    }
    const Scale scale = timeScale(m_run->info, time);
    m_sum->setText(launches == 0 ? tr("No launches match; select another op type, device or scope")
                                 : tr("%1 launches, busy %2 of %3; gaps are %4 of the ops' time")
                                       .arg(number(static_cast<double>(launches), 0),
                                            scale.text(static_cast<double>(busy)),
                                            scale.withUnit(static_cast<double>(time)),
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
    const auto saved = engine::saveFile(file.toStdString(), m_model->csv().toStdString(),
                                        engine::IfExists::Replace);
    if (!saved)
        QMessageBox::warning(this, tr("Not saved"), fromUtf8(saved.error().message));
}

} // namespace app
