#include "app/ui/verdict.h"

#include "app/ui/numbers.h"

#include <QModelIndex>

#include <cmath>

namespace app {

Verdict differenceVerdict(double difference, double baseline, int decimals, Verdict more)
{
    constexpr double kColouredFrom = 0.01; // share of the baseline
    if (std::abs(difference) <= kColouredFrom * std::abs(baseline)
        || signedNumber(difference, decimals) == QStringLiteral("0"))
        return Verdict::Neutral;
    if (difference > 0)
        return more;
    return more == Verdict::Worse ? Verdict::Better : Verdict::Worse;
}

QColor verdictInk(const Chrome& chrome, Verdict verdict, const QColor& neutral)
{
    switch (verdict) {
    case Verdict::Better:
        return chrome.ok;
    case Verdict::Worse:
        return chrome.error;
    case Verdict::Neutral:
        break;
    }
    return neutral;
}

QColor verdictInk(const Chrome& chrome, const QModelIndex& cell, const QColor& neutral)
{
    return verdictInk(chrome, static_cast<Verdict>(cell.data(kVerdictRole).toInt()), neutral);
}

} // namespace app
