#include "app/models/format.h"

#include <array>
#include <cmath>

namespace app {
namespace {

constexpr QChar kThinSpace(0x2009);
constexpr QChar kMinus(0x2212);

// At most `decimals`, without zeros at the end where `trim`.
QString number(double value, int decimals, bool trim)
{
    QString text = QString::number(value, 'f', decimals);
    if (trim && text.contains(QLatin1Char('.'))) {
        while (text.endsWith(QLatin1Char('0')))
            text.chop(1);
        if (text.endsWith(QLatin1Char('.')))
            text.chop(1);
    }
    return text.replace(QLatin1Char('-'), kMinus);
}

} // namespace

QString percentText(double ratio)
{
    return number(ratio * 100, 1, false) + kThinSpace + QLatin1Char('%');
}

QString unitsText(double units)
{
    return number(units, 2, true);
}

QString timeText(std::int64_t ticks, const engine::RunInfo& info)
{
    if (info.inUnits()) {
        const double units = static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit);
        return unitsText(units) + QStringLiteral(" units");
    }
    const double ns = static_cast<double>(ticks), size = std::abs(ns);
    if (size >= 10e9)
        return number(ns / 1e9, 1, false) + QStringLiteral(" s");
    if (size >= 1e9)
        return number(ns / 1e9, 2, false) + QStringLiteral(" s");
    if (size >= 1e6)
        return number(ns / 1e6, 1, false) + QStringLiteral(" ms");
    return number(ns / 1e3, size >= 1e4 ? 0 : 1, false) + QStringLiteral(" ") + QChar(0xB5)
        + QLatin1Char('s');
}

QString bytesText(std::int64_t bytes)
{
    constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return number(value,
                  unit >= 3       ? 2
                      : unit == 0 ? 0
                                  : 1,
                  false)
        + QLatin1Char(' ') + QString::fromLatin1(kUnits[unit]);
}

QString countText(std::int64_t count)
{
    QString digits = QString::number(std::abs(count));
    for (qsizetype i = digits.size() - 3; i > 0; i -= 3)
        digits.insert(i, kThinSpace);
    return count < 0 ? kMinus + digits : digits;
}

QString shortTitle(const QString& title)
{
    return title.section(QStringLiteral(" ("), 0, 0);
}

} // namespace app
