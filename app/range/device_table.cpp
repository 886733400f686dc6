#include "app/range/device_table.h"

#include "profiler/analysis/run_measures.h"

#include <algorithm>
#include <cmath>

namespace app {

using profiler::DeviceMetrics;

void DeviceTable::setDevices(RunPointer run, std::vector<const Device*> devices,
                             std::int64_t duration, double bubbleRatio)
{
    m_run = std::move(run);
    m_devices = std::move(devices);
    m_duration = duration;
    m_bubbleRatio = bubbleRatio;
    m_time = timeScale(m_run->info, duration);
    std::int64_t peak = 0; // 0: unknown
    for (const Device* device : m_devices)
        peak = std::max(peak, device->peakBytes.value_or(0));
    m_bytes = byteScale(peak);
}

DeviceTable::Column DeviceTable::column(const ColumnTitle& title, const Scale& scale,
                                        const Value& value, Total total) const
{
    return {title, [=, this](const Device* device) {
                std::optional<double> shown = device != nullptr ? value(*device) : std::nullopt;
                int traced = 0;
                for (const Device* one : device == nullptr ? m_devices : decltype(m_devices)()) {
                    traced += hasTrace(*m_run, one->device) ? 1 : 0;
                    const auto its = value(*one);
                    shown = total == Total::Most ? std::max(shown, its)
                                                 : shown.value_or(0) + its.value_or(0);
                }
                if (shown && total == Total::Mean)
                    *shown /= std::max(1, traced);
                return shown ? scale.text(*shown) : kNoValue;
            }};
}

void DeviceTable::show(Columns columns)
{
    for (auto& column : columns)
        column.with(kStrongRole, [](const Device* device) { return device == nullptr; });
    std::vector<const Device*> rows = m_devices;
    if (!rows.empty())
        rows.push_back(nullptr);
    reset(std::move(columns), std::move(rows));
}

std::int64_t DeviceTable::sum(const Ticks& ticks) const
{
    std::int64_t sum = 0;
    for (const Device* device : m_devices)
        sum += ticks(*device);
    return sum;
}

DeviceTable::Ticks DeviceTable::ticksOf(engine::OpKind kind)
{
    return [kind](const Device& device) { return device.byKind[kind]; };
}

DeviceTable::Column DeviceTable::nameColumn() const
{
    return {tr("Device"),
            [this](const Device* device) {
                if (device == nullptr)
                    return tr("All devices");
                const QString name = tr("Device %1").arg(device->device.value);
                return hasTrace(*m_run, device->device) ? name : tr("%1, no trace").arg(name);
            },
            Qt::AlignLeft};
}

std::function<bool(const DeviceTable::Device*)> DeviceTable::messagesAreKnown() const
{
    return [isKnown = !profiler::lacksMessages(*m_run)](const Device*) { return isKnown; };
}

DeviceTable::Column DeviceTable::messagesColumn() const
{
    Column column(tr("Sent / received"), [this](const Device* device) {
        return device != nullptr
            ? tr("%1 / %2").arg(device->messagesSent).arg(device->messagesReceived)
            : number(sum(&Device::messagesSent));
    });
    return column.onlyIf(messagesAreKnown());
}

DeviceTable::Columns DeviceTable::workColumns() const
{
    using enum engine::OpKind;
    if (!profiler::knowsTimes(*m_run))
        return {};
    Columns columns{timeColumn(tr("Compute"), &Device::compute)};
    for (const auto& [title, kind] :
         {std::pair(tr("F"), Forward), std::pair(tr("B"), Backward),
          std::pair(tr("I"), BackwardInput), std::pair(tr("W"), BackwardWeight),
          std::pair(tr("RC"), Recompute), std::pair(tr("Optimizer"), OptimizerStep)})
        if (sum(ticksOf(kind)) > 0)
            columns.push_back(timeColumn(title, ticksOf(kind)));
    return columns;
}

DeviceTable::Columns DeviceTable::bubbleColumns() const
{
    if (!profiler::knowsTimes(*m_run))
        return {};
    return {
        timeColumn(tr("Exposed"), &Device::exposedCommunication).onlyIf(messagesAreKnown()),
        timeColumn(whyUnknown(m_run->info).empty() ? tr("Bubble") : tr("Idle"), &Device::bubble),
        bubbleShareColumn()};
}

DeviceTable::Column DeviceTable::bubbleShareColumn() const
{
    const auto share = [this](const Device* device) -> QVariant {
        if (device == nullptr)
            return m_bubbleRatio;
        if (!hasTrace(*m_run, device->device))
            return {};
        if (!std::isfinite(m_bubbleRatio)) // unknown
            return m_bubbleRatio;
        return static_cast<double>(device->bubble)
            / static_cast<double>(std::max<std::int64_t>(1, m_duration));
    };
    return Column(
               tr("Bubble, %"),
               [share](const Device* device) { return number(share(device).toDouble() * 100, 1); })
        .with(kShareRole, share);
}

DeviceTable::Columns DeviceTable::peakColumn() const
{
    if (std::ranges::none_of(m_devices,
                             [](const Device* one) { return one->peakBytes.has_value(); }))
        return {};
    return {column({tr("Peak, %1"), m_bytes}, m_bytes, &Device::peakBytes, Total::Most)};
}

DeviceTable::Columns DeviceTable::stashColumn() const
{
    if (!engine::knowsMicroBatches(m_run->info))
        return {};
    return {column(tr("Stash, Mₐ"), {1, 1, {}}, &Device::peakStash, Total::Most)};
}

} // namespace app
