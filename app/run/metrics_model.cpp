#include "app/run/metrics_model.h"

#include "app/ui/definition_text.h"
#include "app/ui/text.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace app {

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

} // namespace app
