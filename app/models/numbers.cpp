#include "app/models/numbers.h"

#include <QCoreApplication>

#include <cmath>

namespace app {
namespace {

constexpr QChar kMinus(0x2212);
constexpr QChar kThinSpace(0x2009);

QString grouped(QString digits)
{
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    const qsizetype whole = point < 0 ? digits.size() : point;
    if (whole <= 4)
        return digits;
    for (qsizetype at = whole - 3; at > 0; at -= 3)
        digits.insert(at, kThinSpace);
    return digits;
}

} // namespace

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
    return number(share * 100, decimals) + kThinSpace + QLatin1Char('%');
}

QString takesText(double seconds)
{
    if (seconds < 10)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 1));
    if (seconds < 100)
        return QCoreApplication::translate("app", "about %1 s").arg(number(seconds, 0));
    return QCoreApplication::translate("app", "about %1 min").arg(number(seconds / 60, 0));
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

QString Scale::withUnit(double value) const
{
    return text(value) + QLatin1Char(' ') + unit;
}

Scale Scale::finer(int moreDecimals) const
{
    return {perUnit, decimals + moreDecimals, unit};
}

Scale timeScale(const engine::RunInfo& info, std::int64_t longest)
{
    if (info.inUnits()) {
        const bool oneDecimalIsExact = 10 % info.ticksPerUnit == 0;
        return {static_cast<double>(info.ticksPerUnit), oneDecimalIsExact ? 1 : 2,
                QStringLiteral("units")};
    }
    const auto ns = static_cast<double>(longest);
    if (ns >= 20e9)
        return {1e9, 1, QStringLiteral("s")};
    if (ns >= 10e6)
        return {1e6, 1, QStringLiteral("ms")};
    return ns >= 1e6 ? Scale{1e6, 2, QStringLiteral("ms")} : Scale{1e3, 1, QStringLiteral("µs")};
}

Scale byteScale(std::int64_t largest)
{
    const auto bytes = static_cast<double>(largest);
    if (bytes >= 0.5 * (1 << 30))
        return {1024.0 * 1024 * 1024, 2, QStringLiteral("GiB")};
    return bytes >= 0.1 * (1 << 20) ? Scale{1024.0 * 1024, 2, QStringLiteral("MiB")}
                                    : Scale{1024.0, 1, QStringLiteral("KiB")};
}

} // namespace app
