#include "app/models/plan/cost_setting.h"

#include "app/models/text.h"

#include <QCoreApplication>
#include <QRegularExpression>

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

namespace {

std::optional<engine::Fraction> across(int hundredths)
{
    return hundredths == CostSetting::kSame ? std::nullopt : std::optional(fraction(hundredths));
}

engine::Result<engine::UnitCosts::Stage> stageCost(const QString& word)
{
    bool isNumber = false;
    engine::UnitCosts::Stage stage;
    stage.stage = word.section(QLatin1Char('='), 0, 0).toInt(&isNumber);
    const QString costs = word.section(QLatin1Char('='), 1);
    const auto forward = engine::parseFraction(costs.section(QLatin1Char(':'), 0, 0).toStdString());
    const auto backward = engine::parseFraction(costs.section(QLatin1Char(':'), 1).toStdString());
    if (!isNumber || stage.stage < 0 || !forward || !backward)
        return engine::fail(engine::Error::Code::InvalidArgument,
                            "stage costs: \"" + word.toStdString()
                                + "\" is not a stage, its forward and its backward; write 0=1.5:3");
    stage.forward = *forward;
    stage.backward = *backward;
    return stage;
}

QStringList stageWords(const QString& text)
{
    static const QRegularExpression kGap(QStringLiteral("[\\s,;]+"));
    return text.split(kGap, Qt::SkipEmptyParts);
}

engine::Result<void> addStages(const QString& text, engine::UnitCosts& units)
{
    for (const QString& word : stageWords(text)) {
        const auto stage = stageCost(word);
        if (!stage)
            return tl::unexpected(stage.error());
        units.stages.push_back(*stage);
    }
    return {};
}

} // namespace

bool CostSetting::isSimple() const
{
    CostSetting simple;
    simple.forward = forward;
    simple.inputGradient = inputGradient;
    simple.weightGradient = weightGradient;
    simple.p2p = p2p;
    simple.allReduce = allReduce;
    return *this == simple;
}

engine::Result<engine::UnitCosts> unitCosts(const CostSetting& costs)
{
    engine::UnitCosts units;
    units.forward = fraction(costs.forward);
    units.backward = fraction(costs.inputGradient + costs.weightGradient);
    units.inputGradient = fraction(costs.inputGradient);
    units.weightGradient = fraction(costs.weightGradient);
    units.p2p = fraction(costs.p2p);
    units.latency = fraction(costs.latency);
    units.allReduce = fraction(costs.allReduce);
    units.optimizer = fraction(costs.optimizer);
    units.transfer = fraction(costs.transfer);
    if (costs.recompute != CostSetting::kSame)
        units.recompute = fraction(costs.recompute);
    units.devicesPerNode = costs.devicesPerNode;
    units.p2pAcross = across(costs.p2pAcross);
    units.latencyAcross = across(costs.latencyAcross);
    units.transferAcross = across(costs.transferAcross);
    units.rules.joint = fraction(costs.joint);
    units.rules.slowDown = fraction(costs.slowDown);
    units.rules.jitter = engine::reduced(costs.jitter, std::int64_t{kUnit} * kUnit);
    units.rules.seed = static_cast<std::uint64_t>(costs.seed);
    units.rules.blockingSend = costs.blockingSend;
    if (costs.devicesPerNode == 0
        && (units.p2pAcross || units.latencyAcross || units.transferAcross))
        return engine::fail(engine::Error::Code::InvalidArgument,
                            "costs between nodes need devices per node, which says where a node "
                            "ends");
    if (const auto added = addStages(costs.stages, units); !added)
        return tl::unexpected(added.error());
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
    const QString more = costs.isSimple() ? QString() : text(", and more");
    return ops + QStringLiteral("; ") + links + sums + more;
}

QString linkText(const CostSetting& costs)
{
    const auto of = [](int p2p, int latency) {
        if (p2p == 0 && latency == 0)
            return QStringLiteral("free");
        const QString late
            = latency > 0 ? QStringLiteral(", %1 latency").arg(hundredthsText(latency)) : QString();
        return hundredthsText(p2p) + QStringLiteral(" units") + late;
    };
    const auto orSame
        = [](int across, int within) { return across == CostSetting::kSame ? within : across; };
    QString within = of(costs.p2p, costs.latency);
    if (costs.devicesPerNode == 0)
        return within;
    return QStringLiteral("%1; %2 between nodes of %3")
        .arg(within,
             of(orSame(costs.p2pAcross, costs.p2p), orSame(costs.latencyAcross, costs.latency)))
        .arg(costs.devicesPerNode);
}

QStringList costOptions(const CostSetting& costs)
{
    struct Option
    {
        const char* name;
        int CostSetting::*member;
    };
    constexpr Option kOptions[] = {
        {"--forward", &CostSetting::forward},
        {"--input-gradient", &CostSetting::inputGradient},
        {"--weight-gradient", &CostSetting::weightGradient},
        {"--p2p", &CostSetting::p2p},
        {"--latency", &CostSetting::latency},
        {"--allreduce", &CostSetting::allReduce},
        {"--optimizer", &CostSetting::optimizer},
        {"--transfer", &CostSetting::transfer},
        {"--recompute-cost", &CostSetting::recompute},
        {"--p2p-across", &CostSetting::p2pAcross},
        {"--latency-across", &CostSetting::latencyAcross},
        {"--transfer-across", &CostSetting::transferAcross},
        {"--joint", &CostSetting::joint},
        {"--slow-down", &CostSetting::slowDown},
        {"--jitter", &CostSetting::jitter},
    };
    const CostSetting usual;
    QStringList options;
    for (const Option& option : kOptions)
        if (costs.*option.member != usual.*option.member)
            options << QString::fromLatin1(option.name)
                    << QString::number(costs.*option.member / double(kUnit));
    if (costs.devicesPerNode != usual.devicesPerNode)
        options << QStringLiteral("--devices-per-node") << QString::number(costs.devicesPerNode);
    if (costs.seed != usual.seed)
        options << QStringLiteral("--seed") << QString::number(costs.seed);
    if (costs.blockingSend)
        options << QStringLiteral("--blocking");
    for (const QString& stage : stageWords(costs.stages))
        options << QStringLiteral("--stage-cost") << stage;
    return options;
}

} // namespace app
