#include "app/models/cost_setting.h"

#include "app/models/text.h"

#include <QCoreApplication>

namespace app {
namespace {

constexpr int kUnit = 100;

engine::Fraction fraction(int hundredths)
{
    return engine::reduced(hundredths, kUnit);
}

} // namespace

QString hundredthsText(int hundredths)
{
    return unitsText(static_cast<double>(hundredths) / kUnit);
}

engine::UnitCosts unitCosts(const CostSetting& costs)
{
    engine::UnitCosts units;
    units.forward = fraction(costs.forward);
    units.backward = fraction(costs.inputGradient + costs.weightGradient);
    units.inputGradient = fraction(costs.inputGradient);
    units.weightGradient = fraction(costs.weightGradient);
    units.p2p = fraction(costs.p2p);
    units.allReduce = fraction(costs.allReduce);
    return units;
}

QString costsText(const CostSetting& costs)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Costs", source); };
    QString ops = text("F %1, B %2")
                      .arg(hundredthsText(costs.forward),
                           hundredthsText(costs.inputGradient + costs.weightGradient));
    if (costs.inputGradient != costs.weightGradient)
        ops += text(" (I %1, W %2)")
                   .arg(hundredthsText(costs.inputGradient), hundredthsText(costs.weightGradient));
    const QString links
        = costs.p2p == 0 ? text("free links") : text("P2P %1").arg(hundredthsText(costs.p2p));
    const QString sums = costs.allReduce == 0
        ? QString()
        : text(", all-reduce %1").arg(hundredthsText(costs.allReduce));
    return ops + QStringLiteral("; ") + links + sums;
}

QString linkText(const CostSetting& costs)
{
    return costs.p2p == 0 ? QStringLiteral("free")
                          : hundredthsText(costs.p2p) + QStringLiteral(" units");
}

QStringList costOptions(const CostSetting& costs)
{
    const CostSetting usual;
    QStringList options;
    const auto add = [&](const char* name, int value, int byDefault) {
        if (value != byDefault)
            options << QString::fromLatin1(name) << QString::number(value / double(kUnit));
    };
    add("--forward", costs.forward, usual.forward);
    add("--input-gradient", costs.inputGradient, usual.inputGradient);
    add("--weight-gradient", costs.weightGradient, usual.weightGradient);
    add("--p2p", costs.p2p, usual.p2p);
    add("--allreduce", costs.allReduce, usual.allReduce);
    return options;
}

} // namespace app
