#include "app/run/run_tables.h"

#include "app/documents/iterations_model.h"
#include "app/ui/definition_text.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace app {

namespace {

// Leaves Event::what empty; list() sets it.
Event eventOf(const engine::Span& span, const engine::Track& track)
{
    return {span.window(), span.op, static_cast<int>(span.iteration), track.device, track.kind, {}};
}

} // namespace

EventsModel::EventsModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void EventsModel::show(RunPointer run, int iteration, const Filter& only)
{
    m_run = std::move(run);
    m_isOfAll = false;
    std::vector<Event> events;
    if (!m_run || iteration < 0)
        return list({}, 0);
    const auto wanted = static_cast<std::uint32_t>(iteration);
    // Selects by iteration, because a window does not contain the empty spans at its end.
    for (const engine::Track& track : m_run->timeline.tracks)
        for (const engine::Span& span :
             std::ranges::equal_range(track.spans, wanted, {}, &engine::Span::iteration))
            if (!only || only(span))
                events.push_back(eventOf(span, track));
    list(std::move(events), m_run->timeline.iterations[wanted].window.duration());
}

void EventsModel::showAll(RunPointer run, const Filter& only, std::size_t most)
{
    m_run = std::move(run);
    m_isOfAll = true;
    std::vector<Event> events;
    for (const engine::Track& track : m_run->timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (events.size() < most && only(span))
                events.push_back(eventOf(span, track));
    std::int64_t longest = 0;
    for (const engine::Iteration& iteration : m_run->timeline.iterations)
        longest = std::max(longest, iteration.window.duration());
    list(std::move(events), longest);
}

void EventsModel::list(std::vector<Event> events, std::int64_t longest)
{
    if (m_run) {
        const engine::OpIndex index(m_run->schedule);
        for (Event& event : events)
            event.what = engine::opAt(m_run->schedule, index, event.op);
        m_time = timeScale(m_run->info, longest).finer(2);
    }
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.window.begin, event.device, event.op);
    });
    reset(columns(), std::move(events));
}

int EventsModel::rowOf(std::uint32_t op, engine::Track::Kind lane, int iteration) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).op == op && at(row).lane == lane && at(row).iteration == iteration)
            return row;
    return -1;
}

std::int64_t EventsModel::startOf(const Event& event) const
{
    return m_run->timeline.iterations[static_cast<std::size_t>(event.iteration)].window.begin;
}

EventsModel::Columns EventsModel::columns() const
{
    using Described = TableColumn<Event>;
    const auto sorting = [](auto valueOf) {
        return [valueOf](const Event& event) { return static_cast<double>(valueOf(event)); };
    };
    const auto whole = [=](const QString& title, auto valueOf) {
        return Described(title,
                         [valueOf](const Event& event) { return QString::number(valueOf(event)); })
            .sortedBy(sorting(valueOf));
    };
    const auto time = [=, this](const QString& title, auto ticks) {
        const auto valueOf = sorting(ticks);
        return Described({title, m_time},
                         [=, this](const Event& event) { return m_time.text(valueOf(event)); })
            .sortedBy(valueOf);
    };
    const auto stage = [](const Event& event) { return event.what.stage.value; };
    const auto kind = [](const Event& event) { return event.what.kind; };
    Described microBatch
        = whole(tr("Micro-batch"), [](const Event& event) { return event.what.microBatch.value; });
    microBatch.text = [this](const Event& event) {
        const engine::MicroBatchId id = event.what.microBatch;
        return id.isValid() && engine::knowsMicroBatches(m_run->info) ? QString::number(id.value)
                                                                      : QString();
    };
    Described stages = whole(tr("Stage"), stage);
    stages.text = [this, stage](const Event& event) {
        return engine::knowsStages(m_run->info) ? QString::number(stage(event)) : QString();
    };
    Columns all{
        Described(
            tr("Op"), [this](const Event& event) { return opName(m_run->info, event.what); },
            Qt::AlignLeft)
            .sortedBy(sorting(stage))
            .with(kCodeRole, kAlways),
        Described(
            tr("Operation"),
            [kind](const Event& event) { return fromUtf8(engine::kindTitle(kind(event))); },
            Qt::AlignLeft)
            .sortedBy(sorting(kind)),
        whole(tr("Device"), [](const Event& event) { return event.device.value; }),
        stages,
        microBatch,
        Described(
            tr("Direction"),
            [](const Event& event) { return event.what.replica == 0 ? tr("down") : tr("up"); },
            Qt::AlignLeft)
            .sortedBy(sorting([](const Event& event) { return event.what.replica; }))
            .with(kHintRole, kAlways),
        time(tr("Start, %1"),
             [this](const Event& event) { return event.window.begin - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.begin; })),
        time(tr("Duration, %1"), [](const Event& event) { return event.window.duration(); }),
        time(tr("End, %1"),
             [this](const Event& event) { return event.window.end - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.end; })),
    };
    if (m_isOfAll) {
        const auto iteration = [](const Event& event) { return event.iteration; };
        all.push_back(Described(tr("Iteration"), [this, iteration](const Event& event) {
                          return iterationName(m_run->timeline, iteration(event));
                      }).sortedBy(sorting(iteration)));
    }
    return all;
}

using profiler::DeviceMetrics;

void MetricsModel::show(RunPointer run, profiler::RunMetrics metrics)
{
    m_run = std::move(run);
    m_metrics = std::move(metrics);
    m_time = timeScale(m_run->info, m_metrics.duration);
    std::int64_t peak = 0;
    for (const DeviceMetrics& device : m_metrics.devices)
        peak = std::max(peak, device.peakBytes.value_or(0));
    m_bytes = byteScale(peak);
    reset(columns(), deviceRows());
}

std::vector<const DeviceMetrics*> MetricsModel::deviceRows() const
{
    std::vector<const DeviceMetrics*> rows;
    for (const DeviceMetrics& device : m_metrics.devices)
        rows.push_back(&device);
    if (!rows.empty())
        rows.push_back(nullptr);
    return rows;
}

void MetricsModel::setWorkOnPath(engine::IdVector<engine::DeviceId, std::int64_t> work)
{
    if (work == m_workOnPath)
        return;
    m_workOnPath = std::move(work);
    if (m_run)
        reset(columns(), deviceRows());
}

void MetricsModel::clear()
{
    reset({}, {});
    m_run.reset();
    m_workOnPath.clear();
    m_metrics = {};
}

TableColumn<const DeviceMetrics*> MetricsModel::timeColumn(const QString& title,
                                                           const Ticks& ticks) const
{
    return {{title + QStringLiteral(", %1"), m_time}, [this, ticks](const DeviceMetrics* device) {
                if (device != nullptr)
                    return m_time.text(static_cast<double>(ticks(*device)));
                double sum = 0;
                int traced = 0;
                for (const DeviceMetrics& one : m_metrics.devices) {
                    sum += static_cast<double>(ticks(one));
                    traced += hasTrace(*m_run, one.device) ? 1 : 0;
                }
                return m_time.text(sum / std::max(1, traced));
            }};
}

TableColumn<const DeviceMetrics*> MetricsModel::bubbleShareColumn() const
{
    const auto share = [this](const Device* device) -> QVariant {
        if (device == nullptr)
            return m_metrics.bubbleRatio;
        if (!hasTrace(*m_run, device->device))
            return {};
        return m_metrics.duration > 0
            ? static_cast<double>(device->bubble) / static_cast<double>(m_metrics.duration)
            : 0.0;
    };
    return TableColumn<const Device*>(
               tr("Bubble, %"),
               [share](const Device* device) { return number(share(device).toDouble() * 100, 1); })
        .with(kShareRole, share);
}

// The row of all devices has the sum and not the mean, because all devices share one critical path.
TableColumn<const DeviceMetrics*> MetricsModel::pathColumn() const
{
    return {{tr("On the path, %1"), m_time}, [this](const Device* device) {
                const std::int64_t ticks = device != nullptr
                    ? m_workOnPath[device->device]
                    : std::accumulate(m_workOnPath.begin(), m_workOnPath.end(), std::int64_t{0});
                return m_time.text(static_cast<double>(ticks));
            }};
}

bool MetricsModel::occurs(engine::OpKind kind) const
{
    return std::ranges::any_of(m_metrics.devices,
                               [kind](const Device& device) { return device.byKind[kind] != 0; });
}

std::vector<int> MetricsModel::dispensable() const
{
    int behind = 0; // number of columns after the peak
    if (columnCount() > 0)
        behind = 2 + (occurs(engine::OpKind::AllReduce) ? 1 : 0)
            + (engine::knowsMicroBatches(m_run->info) ? 1 : 0);
    std::vector<int> columns;
    for (int column = columnCount() - 1; behind > 0; --column, --behind)
        columns.push_back(column);
    return columns;
}

TableColumn<const DeviceMetrics*> MetricsModel::peakColumn() const
{
    return {{tr("Peak, %1"), m_bytes}, [this](const Device* device) {
                const auto& largest = device != nullptr
                    ? *device
                    : *std::ranges::max_element(m_metrics.devices, {}, &Device::peakBytes);
                return largest.peakBytes ? m_bytes.text(static_cast<double>(*largest.peakBytes))
                                         : QStringLiteral("–");
            }};
}

TableColumn<const DeviceMetrics*> MetricsModel::stashColumn() const
{
    return {tr("Stash, Mₐ"), [this](const Device* device) {
                const auto& largest = device != nullptr
                    ? *device
                    : *std::ranges::max_element(m_metrics.devices, {}, &Device::peakStash);
                return number(largest.peakStash, 1);
            }};
}

// Omits columns of ops that do not occur in the run.
MetricsModel::Columns MetricsModel::columns() const
{
    const auto& devices = m_metrics.devices;
    Columns columns
        = {{tr("Device"),
            [this](const Device* device) {
                if (device == nullptr)
                    return tr("All devices");
                const QString name = tr("Device %1").arg(device->device.value);
                return hasTrace(*m_run, device->device) ? name : tr("%1, no trace").arg(name);
            },
            Qt::AlignLeft},
           TableColumn<const Device*>(tr("Stages"),
                                      [this](const Device* device) {
                                          return device != nullptr
                                              ? stagesText(*m_run, device->device)
                                              : QString();
                                      })
               .with(kHintRole, kAlways),
           timeColumn(tr("Compute"), &Device::compute)};
    const auto addIfAny = [&](const QString& title, engine::OpKind kind) {
        if (occurs(kind))
            columns.push_back(
                timeColumn(title, [kind](const Device& device) { return device.byKind[kind]; }));
    };
    addIfAny(tr("F"), engine::OpKind::Forward);
    addIfAny(tr("B"), engine::OpKind::Backward);
    addIfAny(tr("I"), engine::OpKind::BackwardInput);
    addIfAny(tr("W"), engine::OpKind::BackwardWeight);
    addIfAny(tr("RC"), engine::OpKind::Recompute);
    addIfAny(tr("Optimizer"), engine::OpKind::OptimizerStep);
    if (m_workOnPath.size() == devices.size())
        columns.push_back(pathColumn());
    columns.push_back(timeColumn(tr("Exposed comm."), &Device::exposedCommunication));
    columns.push_back(timeColumn(tr("Bubble"), &Device::bubble));
    columns.push_back(bubbleShareColumn());
    if (std::ranges::any_of(devices, [](const Device& one) { return one.peakBytes.has_value(); }))
        columns.push_back(peakColumn());
    addIfAny(tr("All-reduce"), engine::OpKind::AllReduce);
    if (engine::knowsMicroBatches(m_run->info))
        columns.push_back(stashColumn());
    columns.emplace_back(tr("Sent / received"), [this](const Device* device) {
        return device != nullptr
            ? tr("%1 / %2").arg(device->messagesSent).arg(device->messagesReceived)
            : number(m_metrics.messages, 0);
    });
    columns.emplace_back(tr("Local"), [this](const Device* device) {
        return number(device != nullptr ? device->localCopies : m_metrics.localCopies, 0);
    });
    // A device without a trace has a name and stages, but no numbers.
    for (auto column = columns.begin() + 2; column != columns.end(); ++column)
        column->onlyIf([this](const Device* device) {
            return device == nullptr || hasTrace(*m_run, device->device);
        });
    for (auto& column : columns)
        column.with(kStrongRole, [](const Device* device) { return device == nullptr; });
    return columns;
}

// Returns the definition of the metric with its value for all devices, taken from the last row.
QVariant MetricsModel::headerToolTip(int section, const QString& title) const
{
    const QString unit = title.section(QLatin1String(", "), 1);
    const QString value = rowCount() == 0
        ? QString()
        : (index(rowCount() - 1, section).data().toString() + QLatin1Char(' ') + unit).trimmed();
    const QString text = definitionText(title, value);
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

QString MetricsModel::keyNumbers() const
{
    if (m_metrics.devices.empty())
        return {};
    const double exposed = m_metrics.mean(&DeviceMetrics::exposedCommunication);
    std::int64_t peak = 0;
    for (const DeviceMetrics& device : m_metrics.devices)
        peak = std::max(peak, device.peakBytes.value_or(0));
    QString text
        = tr("bubble %1, exposed %2").arg(percent(m_metrics.bubbleRatio), m_time.withUnit(exposed));
    if (m_metrics.mfu)
        text += tr(", MFU %1").arg(percent(*m_metrics.mfu));
    if (peak > 0)
        text += tr(", peak %1").arg(m_bytes.withUnit(static_cast<double>(peak)));
    return text;
}

using profiler::KernelRow;

KernelsModel::KernelsModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void KernelsModel::show(const engine::Run& run,
                        std::shared_ptr<const profiler::GpuActivity> activity,
                        const profiler::KernelFilter& filter)
{
    m_activity = std::move(activity);
    auto table
        = m_activity ? profiler::kernelTable(run, *m_activity, filter) : profiler::KernelTable();
    m_ops = std::move(table.ops);
    reset(columns(), std::move(table.rows));
}

QString KernelsModel::csv() const
{
    QStringList lines = {QStringLiteral("op,kernel,kind,count,total_ns,mean_ns,min_ns,max_ns,"
                                        "share_of_op_percent")};
    for (int i = 0; i < rowCount(); ++i) {
        const KernelRow& row = at(i);
        const QStringList cells{fromUtf8(engine::kindShortName(row.op)),
                                quotedCell(QString::fromStdString(nameOf(row).full)),
                                fromUtf8(profiler::kernelKindName(nameOf(row).kind)),
                                QString::number(row.count),
                                QString::number(row.total),
                                QString::number(row.mean(), 'f', 1),
                                QString::number(row.shortest),
                                QString::number(row.longest),
                                QString::number(100 * row.share, 'f', 3)};
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

KernelsModel::Columns KernelsModel::columns() const
{
    using Row = KernelRow;
    using Described = TableColumn<Row>;
    const auto numeric = [](const QString& title, auto valueOf, const Scale& scale) {
        const auto value = [valueOf](const Row& row) { return static_cast<double>(valueOf(row)); };
        return Described(title, [=](const Row& row) { return scale.text(value(row)); })
            .sortedBy(value);
    };
    const Scale time = scaleIn(Unit::Microsecond), count{1, 0, {}}, share{0.01, 1, {}};
    const auto timed = [&](const QString& title, auto nanoseconds) {
        return numeric(title.arg(time.unit()), nanoseconds, time);
    };
    const auto kind = [this](const Row& row) { return nameOf(row).kind; };
    return {
        Described(
            tr("Kernel"), [this](const Row& row) { return fromUtf8(nameOf(row).label); },
            Qt::AlignLeft)
            .with(Qt::ToolTipRole, [this](const Row& row) { return fromUtf8(nameOf(row).full); })
            .with(kCodeRole, kAlways)
            .with(kKernelKindRole, [kind](const Row& row) { return static_cast<int>(kind(row)); }),
        Described(
            tr("Kind"),
            [kind](const Row& row) { return fromUtf8(profiler::kernelKindName(kind(row))); },
            Qt::AlignLeft)
            .sortedBy([kind](const Row& row) { return static_cast<double>(kind(row)); })
            .with(kHintRole, kAlways),
        Described(
            tr("Op type"), [](const Row& row) { return fromUtf8(engine::kindTitle(row.op)); },
            Qt::AlignLeft)
            .sortedBy([](const Row& row) { return static_cast<double>(row.op); })
            .with(kHintRole, kAlways),
        numeric(tr("Count"), std::mem_fn(&Row::count), count),
        timed(tr("Total, %1"), std::mem_fn(&Row::total)),
        timed(tr("Mean, %1"), std::mem_fn(&Row::mean)),
        timed(tr("Min, %1"), std::mem_fn(&Row::shortest)),
        timed(tr("Max, %1"), std::mem_fn(&Row::longest)),
        numeric(tr("Share of the op type's time, %"), std::mem_fn(&Row::share), share)
            .with(kShareRole, [](const Row& row) { return row.share; }),
    };
}

} // namespace app
