#include "app/memory/memory_model.h"

#include <algorithm>
#include <iterator>

namespace app {

using engine::DeviceId;
using Column = TableColumn<DeviceId>;

Column MemoryModel::bytesColumn(const QString& title, const Bytes& bytes) const
{
    const auto report = m_report;
    return {title, [report, bytes](DeviceId device) {
                const auto value = bytes(device);
                return value ? report->amount(*value) : QStringLiteral("–");
            }};
}

// Returns columns for the planned arena and the recorded peak.
MemoryModel::Columns MemoryModel::measuredColumns(const Bytes& peak) const
{
    const auto arena
        = [shown = m_report](DeviceId device) { return arenaOf(shown->run->info, device); };
    Columns columns;
    columns.push_back(bytesColumn(tr("Predicted"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? std::optional(use->live) : std::nullopt;
    }));
    columns.push_back(bytesColumn(tr("Measured peak"), peak));
    columns.emplace_back(tr("Difference, bytes"), [arena, peak](DeviceId device) {
        const auto* use = arena(device);
        const auto measured = peak(device);
        return use != nullptr && measured
            ? signedNumber(static_cast<double>(*measured - use->live), 0)
            : QStringLiteral("–");
    });
    columns.push_back(bytesColumn(tr("Touched"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? use->touched : std::nullopt;
    }));
    columns.push_back(bytesColumn(tr("Arena"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? std::optional(use->arena) : std::nullopt;
    }));
    return columns;
}

void MemoryModel::show(std::shared_ptr<const MemoryReport> report)
{
    m_report = std::move(report);
    const auto shown = m_report;
    const Bytes peak = [shown](DeviceId device) {
        const auto& steps = shown->steps[device];
        return steps.empty() ? std::optional<std::int64_t>()
                             : std::optional(profiler::peakOf(steps).total());
    };
    Columns columns{{tr("Device"),
                     [](DeviceId device) { return tr("Device %1").arg(device.value); },
                     Qt::AlignLeft}};
    if (shown->hasPairs())
        columns.emplace_back(
            tr("Role"), [shown](DeviceId device) { return shown->role(device); }, Qt::AlignLeft);
    if (shown->isPredicted())
        columns.push_back(bytesColumn(tr("Predicted"), peak));
    else
        std::ranges::move(measuredColumns(peak), std::back_inserter(columns));
    if (shown->limit) {
        const auto share = [shown, peak](DeviceId device) {
            return static_cast<double>(peak(device).value_or(0))
                / static_cast<double>(*shown->limit);
        };
        columns
            .emplace_back(tr("Of limit, %"),
                          [share](DeviceId device) { return number(100 * share(device), 1); })
            .with(kShareRole, share)
            .onlyIf([peak](DeviceId device) { return peak(device).has_value(); });
    }
    if (shown->hasPairs()) {
        columns.push_back(bytesColumn(tr("Without moves"), [shown](DeviceId device) {
            if (shown->steps[device].empty())
                return std::optional<std::int64_t>();
            std::int64_t highest = 0;
            for (const auto& step : shown->steps[device])
                highest = std::max(highest, step.withoutMoves());
            return std::optional(highest);
        }));
        columns.emplace_back(tr("Moves"), [shown](DeviceId device) {
            const auto& partner = shown->partners[device];
            return partner ? QString::number(partner->moves) : QStringLiteral("–");
        });
        columns.push_back(bytesColumn(tr("Moved"), [shown](DeviceId device) {
            const auto& partner = shown->partners[device];
            return partner && partner->bytes > 0 ? std::optional(partner->bytes) : std::nullopt;
        }));
    }
    std::vector<DeviceId> rows;
    for (const DeviceId device : shown->steps.ids())
        rows.push_back(device);
    reset(std::move(columns), std::move(rows));
}

} // namespace app
