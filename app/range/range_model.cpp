#include "app/range/range_model.h"

#include "app/ui/text.h"

#include <algorithm>

namespace app {

using profiler::RangeDevice;

void RangeModel::show(RunPointer run, profiler::RangeMetrics metrics)
{
    m_run = std::move(run);
    m_metrics = std::move(metrics);
    m_time = timeScale(m_run->info, m_metrics.range.duration());
    std::int64_t peak = 0;
    std::vector<const RangeDevice*> rows;
    for (const RangeDevice& device : m_metrics.devices) {
        peak = std::max(peak, device.times.peakBytes.value_or(0));
        rows.push_back(&device);
    }
    m_bytes = byteScale(peak);
    rows.push_back(nullptr);
    reset(columns(), std::move(rows));
}

void RangeModel::clear()
{
    reset({}, {});
    m_run.reset();
    m_metrics = {};
}

double RangeModel::sum(const Count& count) const
{
    double sum = 0;
    for (const RangeDevice& device : m_metrics.devices)
        sum += static_cast<double>(count(device));
    return sum;
}

RangeModel::Column RangeModel::timeColumn(const QString& title, const Ticks& ticks) const
{
    return {{title + QStringLiteral(", %1"), m_time}, [this, ticks](const Device* device) {
                if (device == nullptr)
                    return m_time.text(sum(ticks) / std::max(1, m_metrics.recorded));
                return m_time.text(static_cast<double>(ticks(*device)));
            }};
}

RangeModel::Column RangeModel::bubbleShareColumn() const
{
    const auto share = [this](const Device* device) -> QVariant {
        if (device == nullptr)
            return m_metrics.bubbleRatio;
        if (!device->isRecorded)
            return {};
        return static_cast<double>(device->times.bubble)
            / static_cast<double>(std::max<std::int64_t>(1, m_metrics.range.duration()));
    };
    return Column(
               tr("Bubble, %"),
               [share](const Device* device) { return number(share(device).toDouble() * 100, 1); })
        .with(kShareRole, share);
}

RangeModel::Columns RangeModel::countColumns() const
{
    const auto counted = [this](const QString& title, const Count& count) {
        return Column(title, [this, count](const Device* device) {
            return number(device == nullptr ? sum(count) : static_cast<double>(count(*device)), 0);
        });
    };
    return {
        counted(tr("Ops"), [](const Device& one) { return one.opsWhole; }),
        counted(tr("Cut"), [](const Device& one) { return one.opsCut; }),
        {tr("Sent / received"), [this](const Device* device) {
             return device != nullptr
                 ? tr("%1 / %2").arg(device->times.messagesSent).arg(device->times.messagesReceived)
                 : number(sum([](const Device& one) { return one.times.messagesSent; }), 0);
         }}};
}

RangeModel::Columns RangeModel::memoryColumns() const
{
    const auto largest = [this](const Device* device, auto value) {
        if (device != nullptr)
            return value(*device);
        auto most = value(m_metrics.devices.front());
        for (const Device& one : m_metrics.devices)
            most = std::max(most, value(one));
        return most;
    };
    Columns columns;
    const auto bytes = [](const Device& one) { return one.times.peakBytes.value_or(-1); };
    if (std::ranges::any_of(m_metrics.devices, [&](const Device& one) { return bytes(one) >= 0; }))
        columns.push_back({{tr("Peak, %1"), m_bytes}, [=, this](const Device* device) {
                               const std::int64_t peak = largest(device, bytes);
                               return peak < 0 ? QStringLiteral("–")
                                               : m_bytes.text(static_cast<double>(peak));
                           }});
    if (engine::knowsMicroBatches(m_run->info))
        columns.emplace_back(tr("Stash, Mₐ"), [=](const Device* device) {
            return number(largest(device, [](const Device& one) { return one.times.peakStash; }),
                          1);
        });
    return columns;
}

// Omits the columns of ops that do not run in the range.
RangeModel::Columns RangeModel::columns() const
{
    Columns columns
        = {{tr("Device"),
            [](const Device* device) {
                if (device == nullptr)
                    return tr("All devices");
                const QString name = tr("Device %1").arg(device->times.device.value);
                return device->isRecorded ? name : tr("%1, no trace").arg(name);
            },
            Qt::AlignLeft},
           timeColumn(tr("Compute"), [](const Device& one) { return one.times.compute; })};
    const auto addIfAny = [&](const QString& title, const Ticks& ticks) {
        if (sum(ticks) > 0)
            columns.push_back(timeColumn(title, ticks));
    };
    const auto ofKind = [](engine::OpKind kind) {
        return [kind](const Device& one) { return one.times.byKind[kind]; };
    };
    addIfAny(tr("F"), ofKind(engine::OpKind::Forward));
    addIfAny(tr("B"), ofKind(engine::OpKind::Backward));
    addIfAny(tr("I"), ofKind(engine::OpKind::BackwardInput));
    addIfAny(tr("W"), ofKind(engine::OpKind::BackwardWeight));
    addIfAny(tr("RC"), ofKind(engine::OpKind::Recompute));
    addIfAny(tr("Optimizer"), ofKind(engine::OpKind::OptimizerStep));
    columns.push_back(timeColumn(tr("Exposed comm."),
                                 [](const Device& one) { return one.times.exposedCommunication; }));
    columns.push_back(timeColumn(tr("Bubble"), [](const Device& one) { return one.times.bubble; }));
    columns.push_back(bubbleShareColumn());
    columns.push_back(timeColumn(tr("fill"), [](const Device& one) { return one.times.fill; }));
    columns.push_back(timeColumn(tr("wait"), [](const Device& one) { return one.times.wait; }));
    columns.push_back(timeColumn(tr("drain"), [](const Device& one) { return one.times.drain; }));
    addIfAny(tr("between"), [](const Device& one) { return one.between; });
    for (Columns more : {memoryColumns(), countColumns()})
        columns.insert(columns.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
    // A device without a trace has a name, but no numbers.
    for (auto column = columns.begin() + 1; column != columns.end(); ++column)
        column->onlyIf(
            [](const Device* device) { return device == nullptr || device->isRecorded; });
    for (auto& column : columns)
        column.with(kStrongRole, [](const Device* device) { return device == nullptr; });
    return columns;
}

} // namespace app
