#include "app/models/plan/run_plan.h"
#include "app/models/text.h"

#include <QHash>

namespace app {
namespace {

// "table.key" to its value, without the quotes: the plain lines that toToml() of the engine writes.
QHash<QString, QString> readLines(const QString& toml)
{
    QHash<QString, QString> values;
    QString table;
    for (const QString& line : toml.split(QLatin1Char('\n'))) {
        const QString text = line.trimmed();
        if (text.startsWith(QLatin1Char('['))) {
            table = text.mid(1).chopped(1);
            continue;
        }
        QString value = text.section(QLatin1Char('='), 1).trimmed();
        if (value.size() >= 2 && value.startsWith(QLatin1Char('"')))
            value = value.mid(1).chopped(1);
        values.insert(table + QLatin1Char('.') + text.section(QLatin1Char('='), 0, 0).trimmed(),
                      value);
    }
    return values;
}

// What the run says beyond its preset; a size that is the preset's own is left to it.
void readModel(const QHash<QString, QString>& values, RunPlan& plan)
{
    const auto size = [&](const char* key) {
        const QString name = QString::fromLatin1(key);
        const int value = values.value(QStringLiteral("model.") + name).toInt();
        return value == modelNumber(plan.model, name) ? 0 : value;
    };
    plan.layers = size("layers");
    plan.width = size("width");
    plan.heads = size("heads");
    const QString attention = values.value(QStringLiteral("model.attention"));
    if (attention != fromUtf8(engine::kAttentionNames.front()))
        plan.attention = attention;
    const QString precision = values.value(QStringLiteral("model.precision"));
    if (precision != fromUtf8(engine::kPrecisionNames.front()))
        plan.precision = precision;
    plan.request.recompute = modelRecompute(plan.model);
    const QString recompute = values.value(QStringLiteral("model.recompute"));
    for (std::size_t i = 0; i < engine::kRecomputeNames.size(); ++i)
        if (recompute == fromUtf8(engine::kRecomputeNames[i]))
            plan.request.recompute = static_cast<engine::Recompute>(i);
    plan.isExact = values.value(QStringLiteral("run.accumulate")) == QStringLiteral("exact");
    const auto hundredths = [&](const char* key, double perUnit) {
        return qRound(values.value(QString::fromLatin1(key)).toDouble() / perUnit * 100);
    };
    plan.linkBandwidth = hundredths("link.bytes_per_second", 1e9);
    plan.linkLatency = hundredths("link.latency_ns", 1e3);
}

} // namespace

RunPlan planFromExperiment(const QString& toml)
{
    const QHash<QString, QString> values = readLines(toml);
    const auto text = [&](const char* key, const QString& usual) {
        return values.value(QString::fromLatin1(key), usual);
    };
    const auto integer
        = [&](const char* key, int usual) { return text(key, QString::number(usual)).toInt(); };
    RunPlan plan;
    engine::ScheduleRequest& request = plan.request.schedule;
    request.scheme = text("schedule.scheme", QString::fromStdString(request.scheme)).toStdString();
    request.devices = integer("schedule.devices", request.devices);
    request.microBatches = integer("schedule.micro_batches", request.microBatches);
    request.chunks = integer("schedule.chunks", request.chunks);
    const QString options = QStringLiteral("schedule.options.");
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (it.key().startsWith(options) && it.key().size() > options.size())
            request.options[it.key().mid(options.size()).toStdString()] = it.value().toStdString();
    }
    request.dataParallel = integer("schedule.data_parallel", request.dataParallel);
    using engine::SyncPolicy;
    for (const SyncPolicy sync : {SyncPolicy::Late, SyncPolicy::EagerBlocking})
        if (text("run.sync", {}) == fromUtf8(engine::syncName(sync)))
            plan.request.sync = sync;
    if (text("run.mode", {}) == QStringLiteral("simulate"))
        plan.mode = engine::Mode::Simulate;
    if (text("run.mode", {}) == QStringLiteral("live"))
        plan.mode = engine::Mode::Live;
    plan.iterations = integer("run.iterations", plan.iterations);
    plan.warmup = integer("run.warmup", plan.warmup);
    plan.seed = integer("run.seed", plan.seed);
    plan.textFile = text("run.text", {});
    if (text("run.backend", {}) == fromUtf8(engine::backendName(engine::Backend::Cuda)))
        plan.backend = engine::Backend::Cuda;
    if (const auto at = carrierWords().indexOf(text("run.transport", {})); at >= 0)
        plan.transport = static_cast<engine::Carrier>(at);
    if (const auto at = graphsWords().indexOf(text("run.graphs", {})); at >= 0)
        plan.graphs = static_cast<engine::Graphs>(at);
    if (const QString bytes = text("run.device_memory", {}); bytes.toLongLong() > 0)
        plan.deviceMemory = bytes;
    plan.model = text("model.name", plan.model);
    plan.microBatchSize = integer("model.micro_batch_size", plan.microBatchSize);
    plan.sequence = integer("model.sequence", plan.sequence);
    readModel(values, plan);
    return plan;
}

} // namespace app
