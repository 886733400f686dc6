#include "app/plan/bpipe_plan.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/experiment/experiment_fields.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace app {
namespace {

constexpr int kMostSequences = 1 << 20, kWhole = 100; // kWhole is in percent

QString inPlan(const char* source)
{
    return QCoreApplication::translate("BpipePlan", source);
}

tl::unexpected<engine::Error> refused(const QString& message)
{
    return engine::fail(engine::Error::Code::InvalidArgument, message.toStdString());
}

QStringList partsOf(const QString& text)
{
    static const QRegularExpression kBetween(QStringLiteral("[,;\\s]+"));
    return text.split(kBetween, Qt::SkipEmptyParts);
}

engine::Result<std::vector<int>> sizesOf(const QString& text)
{
    std::vector<int> sizes;
    for (const QString& part : partsOf(text)) {
        const auto size = engine::parseInteger<int>(part.toStdString());
        if (!size || *size < 1 || *size > kMostSequences)
            return refused(inPlan("Micro-batch sizes: “%1” is not a number of sequences from 1 to "
                                  "%2; type sizes such as 1, 2, 4")
                               .arg(part)
                               .arg(kMostSequences));
        sizes.push_back(*size);
    }
    if (sizes.empty())
        return refused(inPlan("Micro-batch sizes are missing; type sizes such as 1, 2, 4"));
    return sizes;
}

engine::Result<std::vector<double>> mfusOf(const BpipePlan& plan)
{
    std::vector<double> values;
    if (!plan.hasTypedMfu)
        return values;
    for (const QString& part : partsOf(plan.stageMfu)) {
        const auto value = engine::parseNumber(part.toStdString());
        if (!value || *value <= 0 || *value > kWhole)
            return refused(inPlan("Stage MFU: “%1” is not a number from 0 to 100 %; type one value "
                                  "for each micro-batch size, such as 44.3, 59.3")
                               .arg(part));
        values.push_back(*value / kWhole);
    }
    if (values.empty())
        return refused(inPlan("Stage MFU is missing; type one value for each micro-batch size, or "
                              "select the roofline"));
    return values;
}

BpipePlan casePlan(const engine::PublishedGain& gain)
{
    BpipePlan plan;
    plan.model = fromUtf8(gain.model);
    plan.setup.attention = gain.attention;
    plan.sizes = gain.from == 1 ? QStringLiteral("1, 2, 4") : QStringLiteral("2, 4");
    return plan;
}

} // namespace

BpipePlan::BpipePlan()
{
    setup.tensorParallel = 4;
    setup.attention = engine::AttentionMode::Recompute;
}

engine::Result<engine::BpipeQuestion> questionOf(const BpipePlan& plan)
{
    auto sizes = TRY(sizesOf(plan.sizes));
    auto mfus = TRY(mfusOf(plan));
    CostSource source;
    source.model = plan.model;
    source.hardware = plan.hardware;
    source.setup = plan.setup;
    auto on = TRY(modelOnHardware(source, engine::Recompute::None, plan.setup.dataParallel));
    const double memory = on.hardware.memory;
    return engine::BpipeQuestion{{std::move(on), plan.devices, 1, static_cast<double>(plan.batch)},
                                 std::move(sizes),
                                 std::move(mfus),
                                 memory * (1 - plan.reserve / static_cast<double>(kWhole))};
}

engine::Result<engine::BpipeAnswer> answerOf(const engine::BpipeQuestion& question)
{
    auto answer = engine::bpipeGain(question);
    if (answer)
        return answer;
    QString message = fromUtf8(answer.error().message);
    message.replace(QStringLiteral("--stage-mfu"), inPlan("Stage MFU"));
    message.replace(QStringLiteral("--global-batch"), inPlan("Batch"));
    return engine::fail(answer.error().code, message.toStdString());
}

const std::vector<BpipeCase>& bpipeCases()
{
    static const std::vector<BpipeCase> kCases = [] {
        std::vector<BpipeCase> cases;
        for (const engine::PublishedGain& gain : engine::publishedGains()) {
            const bool flash = gain.attention == engine::AttentionMode::Flash;
            cases.push_back(
                {(flash ? inPlan("%1, flash") : inPlan("%1, recompute")).arg(fromUtf8(gain.title)),
                 (flash ? inPlan("b %1 → %2, flash attention")
                        : inPlan("b %1 → %2, attention recomputed"))
                     .arg(gain.from)
                     .arg(gain.to),
                 factorText(gain.speedUp), gain.speedUp, gain.from, gain.to, casePlan(gain)});
        }
        return cases;
    }();
    return kCases;
}

QString estimateCommand(const BpipePlan& plan)
{
    std::vector<std::string> words{"bpipe", "--model", plan.model.toStdString(), "--hardware",
                                   plan.hardware.toStdString()};
    const auto add = [&words](const char* option, const QString& value) {
        words.insert(words.end(), {option, value.toStdString()});
    };
    add("--devices", QString::number(plan.devices));
    if (plan.setup.dataParallel > 1)
        add("--data-parallel", QString::number(plan.setup.dataParallel));
    add("--global-batch", QString::number(plan.batch));
    add("--micro-batch-size", partsOf(plan.sizes).join(QLatin1Char(',')));
    if (plan.hasTypedMfu)
        add("--stage-mfu", partsOf(plan.stageMfu).join(QLatin1Char(',')));
    for (const std::string& word :
         engine::arguments(engine::trainingSetupFields(), plan.setup, engine::TrainingSetup()))
        words.push_back(word);
    add("--reserve", QString::number(plan.reserve));
    return QString::fromStdString(engine::commandText("estimate", words));
}

RunPlan simulationOf(const BpipePlan& plan, const QString& scheme, int size)
{
    RunPlan run;
    engine::ScheduleRequest& schedule = run.experiment.schedule;
    schedule.scheme = scheme.toStdString();
    schedule.devices = plan.devices;
    schedule.dataParallel = plan.setup.dataParallel;
    schedule.microBatches = plan.batch / std::max(1, size * plan.setup.dataParallel);
    run.experiment.mode = engine::Mode::Simulate;
    run.source.kind = CostSource::Kind::Hardware;
    run.source.model = plan.model;
    run.source.hardware = plan.hardware;
    run.source.setup = plan.setup;
    run.source.setup.microBatchSize = size;
    return run;
}

} // namespace app
