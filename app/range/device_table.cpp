#include "app/range/device_table.h"

#include "app/ui/text.h"

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
    m_bytes = byteScale(peakBytes());
}

std::int64_t DeviceTable::peakBytes() const
{
    std::int64_t peak = 0;
    for (const Device* device : m_devices)
        peak = std::max(peak, device->peakBytes.value_or(0));
    return peak;
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

DeviceTable::Column DeviceTable::timeColumn(const QString& title, const Ticks& ticks) const
{
    return {{title + QStringLiteral(", %1"), m_time}, [this, ticks](const Device* device) {
                if (device != nullptr)
                    return m_time.text(ticks(*device));
                const auto traced = std::ranges::count_if(
                    m_devices, [this](const Device* one) { return hasTrace(*m_run, one->device); });
                return m_time.text(static_cast<double>(sum(ticks))
                                   / static_cast<double>(std::max<std::int64_t>(1, traced)));
            }};
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
    return {{{tr("Peak, %1"), m_bytes}, [this](const Device* device) {
                 const Device& largest = device != nullptr
                     ? *device
                     : **std::ranges::max_element(m_devices, {}, &Device::peakBytes);
                 return largest.peakBytes ? m_bytes.text(*largest.peakBytes) : QStringLiteral("–");
             }}};
}

DeviceTable::Columns DeviceTable::stashColumn() const
{
    if (!engine::knowsMicroBatches(m_run->info))
        return {};
    return {{tr("Stash, Mₐ"), [this](const Device* device) {
                 const Device& largest = device != nullptr
                     ? *device
                     : **std::ranges::max_element(m_devices, {}, &Device::peakStash);
                 return number(largest.peakStash, 1);
             }}};
}

} // namespace app
