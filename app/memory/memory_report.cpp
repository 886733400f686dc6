#include "app/memory/memory_report.h"

#include "app/figures/device_columns.h"
#include "app/ui/text.h"
#include "profiler/analysis/device_memory.h"

#include <algorithm>
#include <cmath>

namespace app {

using engine::DeviceId;

namespace {

// Rounds up to a number that is suitable for the end of an axis: a multiple of half a power of ten.
// For example, 66.91 becomes 70, because the step is 5.
std::int64_t roundedUp(std::int64_t bytes, double perUnit)
{
    if (bytes <= 0)
        return bytes;
    const double amount = static_cast<double>(bytes) / perUnit;
    const double step = std::pow(10.0, std::floor(std::log10(amount))) / 2;
    return std::llround(std::ceil(amount / step) * step * perUnit);
}

} // namespace

bool MemoryReport::isPredicted() const
{
    return run->info.mode == engine::Mode::Simulate;
}

bool MemoryReport::isEmpty() const
{
    return std::ranges::all_of(steps, [](const auto& one) { return one.empty(); });
}

std::int64_t MemoryReport::stash(DeviceId device) const
{
    using enum profiler::MemoryKind;
    std::int64_t largest = 0;
    for (const profiler::MemoryStep& step : steps[device])
        largest = std::max(largest, step.bytes[Stash] + step.bytes[Guest]);
    return largest;
}

bool MemoryReport::hasPairs() const
{
    return std::ranges::any_of(partners, [](const auto& one) { return one.has_value(); });
}

bool MemoryReport::hasGuests() const
{
    return std::ranges::any_of(partners, [](const auto& one) { return one && one->device; });
}

std::vector<DeviceId> MemoryReport::order(Order order) const
{
    std::vector<DeviceId> all;
    const auto add = [&all](DeviceId device) {
        if (std::ranges::find(all, device) == all.end())
            all.push_back(device);
    };
    for (const DeviceId device : steps.ids()) {
        const auto& partner = partners[device];
        if (order == Order::Pairs && partner && partner->isEvictor) {
            add(device);
            if (partner->device)
                add(*partner->device);
        }
    }
    for (const DeviceId device : steps.ids())
        add(device);
    return all;
}

QString MemoryReport::role(DeviceId device) const
{
    const auto& partner = partners[device];
    if (!partner)
        return {};
    if (!partner->device)
        return QStringLiteral("evicts to the host");
    return (partner->isEvictor ? QStringLiteral("evicts to %1") : QStringLiteral("accepts from %1"))
        .arg(partner->device->value);
}

double MemoryReport::shareOf(std::int64_t when) const
{
    return static_cast<double>(when - window.begin)
        / static_cast<double>(std::max<std::int64_t>(1, window.duration()));
}

std::int64_t MemoryReport::timeAt(double share) const
{
    return window.begin + std::llround(share * static_cast<double>(window.duration()));
}

QString MemoryReport::at(std::int64_t when) const
{
    return time.text(static_cast<double>(when - window.begin));
}

MemoryReport memoryReport(const RunPointer& run, int iteration)
{
    MemoryReport report;
    report.run = run;
    report.iteration = iteration;
    if (iteration >= 0)
        report.window = run->timeline.iterations[static_cast<std::size_t>(iteration)].window;
    report.steps = profiler::memorySteps(*run, iteration);
    report.partners = profiler::memoryPartners(*run, iteration);
    report.memory = profiler::deviceMemory(*run);
    if (report.memory.isKnown())
        report.limit = report.memory.usable();
    for (const profiler::MemorySteps& steps : report.steps)
        for (const profiler::MemoryStep& step : steps)
            report.highest = std::max({report.highest, step.total(), step.withoutMoves()});
    report.time = timeScale(run->info, report.window.duration());
    const bool endsAtLimit = isInSight(report.limit, static_cast<double>(report.highest))
        && *report.limit >= report.highest;
    report.bytes = byteScale(endsAtLimit ? *report.limit : report.highest);
    report.highest
        = endsAtLimit ? *report.limit : roundedUp(report.highest, report.bytes.perUnit());
    return report;
}

MemoryReport stashReport(const RunView& view, int iteration)
{
    constexpr double kParts = 1000; // of M_a
    MemoryReport report = memoryReport(view.shared(), iteration);
    for (const DeviceId device : report.steps.ids()) {
        const MemorySeries& series = view.memory(device);
        const auto add = [&](std::int64_t time) {
            profiler::MemoryStep& step = report.steps[device].emplace_back();
            step.time = time;
            step.bytes[profiler::MemoryKind::Stash]
                = std::llround(kParts * series.at(static_cast<double>(time)).total);
        };
        if (iteration >= 0 && !series.isEmpty())
            add(report.window.begin);
        for (const std::int64_t time : series.times())
            if (time > report.window.begin && time < report.window.end)
                add(time);
    }
    report.bytes = Scale(kParts, 1, QString::fromUtf8("Mₐ"));
    report.highest = roundedUp(std::llround(kParts * view.memoryScale()), kParts);
    return report;
}

QString memoryKindName(profiler::MemoryKind kind)
{
    return kind == profiler::MemoryKind::Guest
        ? QStringLiteral("guest stash")
        : fromUtf8(memoryCategoryName(static_cast<engine::MemoryCategory>(kind)));
}

} // namespace app
