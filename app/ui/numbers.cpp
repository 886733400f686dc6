#include "app/ui/numbers.h"

#include "profiler/analysis/metrics.h"

#include <QCoreApplication>

#include <atomic>
#include <cmath>

namespace app {
namespace {

constexpr QChar kMinus(0x2212);

QString grouped(QString digits)
{
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    const qsizetype whole = point < 0 ? digits.size() : point;
    if (whole <= 4)
        return digits;
    for (qsizetype at = whole - 3; at > 0; at -= 3)
        digits.insert(at, kNarrowSpace);
    return digits;
}

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

Scale timesBySize(std::int64_t longest)
{
    if (longest >= 20'000'000'000)
        return scaleIn(Unit::Second);
    if (longest >= 10'000'000)
        return scaleIn(Unit::Millisecond);
    return longest >= 1'000'000 ? scaleIn(Unit::Millisecond, 2) : scaleIn(Unit::Microsecond);
}

// Returns the scale in ms. It has at least as many decimals as the scale of timesBySize().
Scale timesInMilliseconds(std::int64_t longest)
{
    if (longest >= 10'000'000)
        return scaleIn(Unit::Millisecond);
    return scaleIn(Unit::Millisecond, longest >= 1'000'000 ? 2 : 4);
}

// Returns the scale in GiB. If `largest` is at least 1.1 kB, at least three digits of it are shown.
Scale memoryInGiB(std::int64_t largest)
{
    if (largest >= kGiB / 2)
        return scaleIn(Unit::GiB, 2);
    int decimals = 3;
    for (std::int64_t least = kGiB / 10; decimals < 8 && largest < least; least /= 10)
        ++decimals;
    return scaleIn(Unit::GiB, decimals);
}

// Atomic as a whole: both enumerators fit in one word, so a thread never reads an old value of one
// and a new value of the other.
std::atomic<Units> chosenUnits = Units{};

} // namespace

Units units()
{
    return chosenUnits;
}

void setUnits(Units units)
{
    chosenUnits = units;
}

QString number(double value, int decimals)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    QString digits = grouped(QString::number(std::abs(value), 'f', decimals));
    const bool isZero = std::abs(value) < 0.5 * std::pow(10.0, -decimals);
    return value < 0 && !isZero ? kMinus + digits : digits;
}

QString signedNumber(double value, int decimals)
{
    if (std::abs(value) < 0.5 * std::pow(10.0, -decimals))
        return QStringLiteral("0");
    return value > 0 ? QLatin1Char('+') + number(value, decimals) : number(value, decimals);
}

QString percent(double share, int decimals)
{
    if (!std::isfinite(share))
        return QStringLiteral("unknown");
    return number(share * 100, decimals) + kNarrowSpace + QLatin1Char('%');
}

QString bubbleText(const profiler::RunMetrics& metrics)
{
    return percent(metrics.bubbleRatio);
}

QString bubbleNumber(const profiler::RunMetrics& metrics)
{
    return number(100 * metrics.bubbleRatio, 1);
}

QString signedPercent(double share, int decimals)
{
    return signedNumber(share * 100, decimals) + kNarrowSpace + QLatin1Char('%');
}

QString factorText(double factor)
{
    return number(factor, 2) + QStringLiteral("×");
}

QString takesText(double seconds)
{
    if (seconds < 10)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 1));
    if (seconds < 100)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 0));
    const double minutes = seconds / 60, hours = minutes / 60;
    if (minutes < 100)
        return QCoreApplication::translate("app", "about %1 min").arg(number(minutes, 0));
    return QCoreApplication::translate("app", "about %1 h").arg(number(hours, hours < 10 ? 1 : 0));
}

QString remainingTime(double seconds)
{
    return QCoreApplication::translate("app", "%1 left").arg(takesText(seconds));
}

QString countOf(std::int64_t count, const char* one)
{
    const QString noun = QString::fromUtf8(one);
    return number(static_cast<double>(count), 0) + QLatin1Char(' ')
        + (count == 1 ? noun : noun + QLatin1Char('s'));
}

std::optional<double> decimal(QString text)
{
    bool isNumber = false;
    const double value
        = text.replace(QLatin1Char(','), QLatin1Char('.')).trimmed().toDouble(&isNumber);
    return isNumber && value >= 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Scale Scale::shown() const
{
    if (m_what == Of::Other)
        return *this;
    const Units chosen = units();
    const Scale scale = m_what == Of::Times
        ? (chosen.times == TimeUnits::BySize ? timesBySize(m_largest)
                                             : timesInMilliseconds(m_largest))
        : (chosen.memory == MemoryUnits::BySize ? dataScale(m_largest) : memoryInGiB(m_largest));
    return scale.finer(m_decimals);
}

QString Scale::text(double value) const
{
    const Scale scale = shown();
    return number(value / scale.m_perUnit, scale.m_decimals);
}

QString Scale::withUnit(double value) const
{
    return text(value) + QLatin1Char(' ') + unit();
}

QString Scale::difference(double value) const
{
    const Scale scale = shown();
    return signedNumber(value / scale.m_perUnit, scale.m_decimals);
}

Scale Scale::finer(int moreDecimals) const
{
    Scale scale = *this;
    scale.m_decimals += moreDecimals;
    return scale;
}

Scale scaleIn(Unit unit, int decimals)
{
    struct Known
    {
        double perUnit;
        const char* name;
    };
    static constexpr Known kKnown[]
        = {{1e3, "µs"},   {1e6, "ms"}, {1e9, "s"},  {kKiB, "KiB"}, {kMiB, "MiB"},
           {kGiB, "GiB"}, {1e6, "MB"}, {1e9, "GB"}, {1e9, "GB/s"}};
    const Known& known = kKnown[static_cast<std::size_t>(unit)];
    return {known.perUnit, decimals, QString::fromUtf8(known.name)};
}

QString labelled(const QString& label, Unit unit)
{
    return label.arg(scaleIn(unit).unit());
}

Scale timeScale(const engine::RunInfo& info, std::int64_t longest)
{
    if (info.inUnits()) {
        const bool oneDecimalIsExact = 10 % info.ticksPerUnit == 0;
        return {static_cast<double>(info.ticksPerUnit), oneDecimalIsExact ? 1 : 2,
                QStringLiteral("units")};
    }
    return timeScale(longest);
}

Scale timeScale(std::int64_t longest)
{
    return {Scale::Of::Times, longest};
}

Scale byteScale(std::int64_t largest)
{
    return {Scale::Of::Memory, largest};
}

Scale dataScale(std::int64_t largest)
{
    if (largest >= kGiB / 2)
        return scaleIn(Unit::GiB, 2);
    return largest >= kMiB / 10 ? scaleIn(Unit::MiB, 2) : scaleIn(Unit::KiB);
}

QString durationText(const engine::RunInfo& info, std::int64_t ticks)
{
    return timeScale(info, ticks).withUnit(ticks);
}

} // namespace app
