#include "app/run/device_columns.h"

#include "app/memory/memory_report.h"
#include "app/timeline/paint/memory_bar.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace app {
namespace {

using engine::DeviceId;
using profiler::DeviceMetrics;
using profiler::Palette;
using profiler::RunMetrics;

DeviceColumns columnsOf(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns;
    columns.amounts.resize(metrics.devices.size());
    for (const DeviceId device : metrics.devices.ids())
        columns.names.push_back(
            tr("Device %1, %2").arg(QString::number(device.value), deviceText(run, device)));
    return columns;
}

void addPart(DeviceColumns& columns, const RunMetrics& metrics, DeviceColumns::Part part,
             const std::function<double(const DeviceMetrics&)>& amount)
{
    if (std::ranges::none_of(metrics.devices, [&](const auto& one) { return amount(one) > 0; }))
        return;
    columns.parts.push_back(std::move(part));
    for (const DeviceId device : metrics.devices.ids())
        columns.amounts[device].push_back(amount(metrics.devices[device]));
}

} // namespace

double DeviceColumns::total(DeviceId device) const
{
    return std::accumulate(amounts[device].begin(), amounts[device].end(), 0.0);
}

double DeviceColumns::highest() const
{
    double most = 0;
    for (const DeviceId device : amounts.ids())
        most = std::max(most, total(device));
    return most;
}

bool DeviceColumns::isLimitInSight() const
{
    return isInSight(limit, highest());
}

QString DeviceColumns::text(DeviceId device) const
{
    QString text = names[device];
    const auto add = [&](const QString& name, double amount) {
        text += QStringLiteral("\n%1 %2").arg(name, scale.withUnit(amount));
    };
    for (std::size_t part = parts.size(); part-- > 0 && parts.size() > 1;)
        add(parts[part].name, amounts[device][part]);
    add(sum, total(device));
    if (isOver(device))
        text += tr(", %1 over the limit").arg(scale.withUnit(total(device) - *limit));
    else if (limit)
        text += tr(", limit %1").arg(scale.withUnit(*limit));
    return text;
}

DeviceColumns memoryColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.axis = tr("%1 per device");
    if (!run.timeline.memory.empty()) {
        columns.title = tr("Peak memory");
        columns.sum = tr("peak");
        for (const auto& [category, fill] : memoryFills())
            addPart(columns, metrics, {fromUtf8(engine::memoryCategoryName(category)), fill},
                    [category = category](const DeviceMetrics& one) {
                        return static_cast<double>(one.bytesAtPeak[category]);
                    });
        columns.limit = deviceLimit(run);
        const double largest = columns.isLimitInSight()
            ? std::max(columns.highest(), *columns.limit)
            : columns.highest();
        columns.scale = byteScale(static_cast<std::int64_t>(largest));
    } else if (engine::knowsMicroBatches(run.info)) {
        columns.title = tr("Peak stash");
        columns.sum = tr("stash");
        addPart(columns, metrics, {tr("stash"), &Palette::stash}, &DeviceMetrics::peakStash);
        columns.scale = Scale(1, 1, QStringLiteral("Mₐ"));
    }
    return columns;
}

// Paints the three causes in the greys of the palette, which also stand for memory categories.
DeviceColumns bubbleColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.title = tr("Bubble by cause");
    columns.axis = tr("%1 of the iteration");
    columns.sum = tr("bubble");
    columns.scale = Scale(0.01, 1, QStringLiteral("%"));
    const auto add = [&](const QString& name, profiler::Colour Palette::*fill,
                         std::int64_t DeviceMetrics::*ticks) {
        addPart(columns, metrics, {name, fill}, [&metrics, ticks](const DeviceMetrics& one) {
            return static_cast<double>(one.*ticks)
                / static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
        });
    };
    add(tr("fill"), &Palette::optimizerState, &DeviceMetrics::fill);
    add(tr("wait"), &Palette::gradients, &DeviceMetrics::wait);
    add(tr("drain"), &Palette::weights, &DeviceMetrics::drain);
    columns.mean = metrics.bubbleRatio;
    return columns;
}

std::vector<int> labelledDevices(int devices, double step, double width)
{
    int every = 1;
    while (every < devices && every * step < width)
        every *= 2;
    std::vector<int> labelled;
    for (int device = 0; device < devices; device += every)
        labelled.push_back(device);
    if (devices > 0 && (devices - 1 - labelled.back()) * step >= width)
        labelled.push_back(devices - 1);
    return labelled;
}

} // namespace app
