#include "app/timeline/time_format.h"

#include <QLocale>
#include <QStringList>

#include <cmath>
#include <set>

namespace app {
namespace {

int decimalsFor(double unitTicks, double ticks)
{
    const double value = std::abs(ticks) / unitTicks;
    return value >= 10000 ? 0 : value >= 2 ? 1 : value >= 0.2 ? 2 : 3;
}

} // namespace

TimeUnit timeUnit(const engine::RunInfo& info, double ticks)
{
    if (info.inUnits()) {
        const auto per = static_cast<double>(info.ticksPerUnit);
        return {per, QStringLiteral("units"), info.ticksPerUnit % 2 == 0 ? 1 : 2};
    }
    if (ticks >= 10e9)
        return {1e9, QStringLiteral("s"), 2};
    if (ticks >= 0.1e6)
        return {1e6, QStringLiteral("ms"), decimalsFor(1e6, ticks)};
    return {1e3, QString::fromUtf8("µs"), decimalsFor(1e3, ticks)};
}

QString number(double value, int decimals)
{
    QString text = QString::number(std::abs(value), 'f', decimals);
    const bool isZero = text.toDouble() == 0;
    return value < 0 && !isZero ? QChar(0x2212) + text : text;
}

QString inUnit(double ticks, const TimeUnit& unit)
{
    return number(ticks / unit.ticks, unit.decimals);
}

QString withUnit(double ticks, const TimeUnit& unit)
{
    return inUnit(ticks, unit) + QChar(0x00A0) + unit.name;
}

QString percent(double share, int decimals)
{
    return number(100 * share, decimals) + QChar(0x2009) + QLatin1Char('%');
}

QString bytesText(double bytes)
{
    static const char* const kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int power = 0;
    while (std::abs(bytes) >= 1024 && power < 4) {
        bytes /= 1024;
        ++power;
    }
    return number(bytes, power == 0 ? 0 : 1) + QChar(0x00A0) + QLatin1String(kNames[power]);
}

QString range(engine::Window window, double origin, const TimeUnit& unit)
{
    return inUnit(static_cast<double>(window.begin) - origin, unit)
        + QString::fromUtf8(" – ") + inUnit(static_cast<double>(window.end) - origin, unit);
}

QString stagesText(const engine::Schedule& schedule, engine::DeviceId device)
{
    std::set<int> stages;
    for (const auto& replica : schedule.deviceOf) {
        for (std::size_t stage = 0; stage < replica.size(); ++stage) {
            if (replica[stage] == device)
                stages.insert(static_cast<int>(stage));
        }
    }
    QStringList text;
    for (const int stage : stages)
        text << QString::number(stage);
    return text.join(QStringLiteral(", "));
}

QString microBatchText(const engine::Op& op)
{
    const QString whole = QString::number(op.microBatch.value);
    return op.slice == engine::Op::kWhole ? whole
                                          : whole + QLatin1Char('.') + QString::number(op.slice);
}

} // namespace app
