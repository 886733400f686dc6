#include "app/models/plan/run_plan.h"

#include "app/models/text.h"
#include "engine/experiment/check_runnable.h"
#include "resources/resources.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace app {
namespace {

const QString kFolder = QStringLiteral("models/"), kEnding = QStringLiteral(".toml");

QStringList scheduleOptions(const engine::ScheduleRequest& request)
{
    QStringList options
        = {QStringLiteral("--scheme"),        QString::fromStdString(request.scheme),
           QStringLiteral("--devices"),       QString::number(request.devices),
           QStringLiteral("--micro-batches"), QString::number(request.microBatches)};
    if (request.chunks > 0)
        options << QStringLiteral("--chunks") << QString::number(request.chunks);
    for (const auto& [key, value] : request.options)
        options << QStringLiteral("--set")
                << QString::fromStdString(key) + u'=' + QString::fromStdString(value);
    return options;
}

} // namespace

QString shellWord(const QString& word)
{
    const auto isPlain
        = [](QChar c) { return c.isLetterOrNumber() || QStringLiteral("-_./:=,+").contains(c); };
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    QString inside = word;
    return QLatin1Char('\'') + inside.replace(QLatin1Char('\''), QStringLiteral("'\\''"))
        + QLatin1Char('\'');
}

QStringList modelPresets()
{
    QStringList names;
    for (const resources::Resource& resource : resources::all()) {
        const QString path = fromUtf8(resource.path);
        if (path.startsWith(kFolder) && path.endsWith(kEnding))
            names.append(path.mid(kFolder.size()).chopped(kEnding.size()));
    }
    return names;
}

namespace {

// Of a file of the user's: read as the worker will read it. 0 where it cannot be.
int fileNumber(const QString& file, const QString& key)
{
    const auto spec = engine::loadModel(file.toStdString());
    if (!spec)
        return 0;
    const std::pair<const char*, int> numbers[] = {{"layers", spec->layers},
                                                   {"width", spec->width},
                                                   {"heads", spec->heads},
                                                   {"sequence", spec->sequence},
                                                   {"micro_batch_size", spec->microBatchSize}};
    for (const auto& [name, number] : numbers)
        if (key == QLatin1String(name))
            return number;
    return 0;
}

} // namespace

// Plain `key = number` lines of the preset; the engine, which checks every field, lies in the
// worker.
int modelNumber(const QString& model, const QString& key)
{
    if (model.endsWith(kEnding))
        return fileNumber(model, key);
    const QString text = fromUtf8(resources::find((kFolder + model + kEnding).toStdString()));
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        const QString name = line.section(QLatin1Char('='), 0, 0).trimmed();
        if (name == key)
            return line.section(QLatin1Char('='), 1).trimmed().toInt();
    }
    return 0;
}

engine::Recompute modelRecompute(const QString& model)
{
    const auto spec = engine::loadModel(model.toStdString());
    return spec ? spec->recompute : engine::Recompute::None;
}

namespace {

// What of a run follows from the schedule's request beside the scheme.
QStringList passOptions(const PredictionRequest& request, engine::Recompute usual)
{
    QStringList options;
    if (request.sync != engine::SyncPolicy::Eager)
        options << QStringLiteral("--sync") << fromUtf8(engine::syncName(request.sync));
    if (request.recompute != usual)
        options << QStringLiteral("--recompute")
                << fromUtf8(engine::wordOf(engine::kRecomputeNames, request.recompute));
    return options;
}

QString decimal(int hundredths)
{
    return QString::number(hundredths / 100.0);
}

} // namespace

QStringList timingOptions(const PredictionRequest& request)
{
    QStringList options = sourceOptions(request.source)
        + costOptions(countingBeside(request.source, request.costs))
        + passOptions(request, engine::Recompute::None);
    if (request.evict)
        options << QStringLiteral("--evict")
                << (*request.evict == engine::EvictPolicy::Steady ? QStringLiteral("steady")
                                                                  : QStringLiteral("lazy"));
    // What is not said of a schedule is as --calibrate's run has it.
    const bool isRecorded = request.source.kind == CostSource::Kind::Recorded;
    if (request.schedule.dataParallel != 1 || isRecorded)
        options << QStringLiteral("--data-parallel")
                << QString::number(request.schedule.dataParallel);
    return options;
}

QStringList runOptions(const RunPlan& plan)
{
    const RunPlan usual;
    QStringList options = scheduleOptions(plan.request.schedule);
    const auto add = [&](const char* name, const QString& value, bool isUsual) {
        if (!isUsual)
            options << QString::fromLatin1(name) << value;
    };
    add("--model", plan.model, plan.model == usual.model);
    add("--micro-batch-size", QString::number(plan.microBatchSize),
        plan.microBatchSize == modelNumber(plan.model, QStringLiteral("micro_batch_size")));
    add("--sequence", QString::number(plan.sequence),
        plan.sequence == modelNumber(plan.model, QStringLiteral("sequence")));
    add("--mode", fromUtf8(engine::modeName(plan.mode)),
        plan.mode == usual.mode && plan.backend == engine::Backend::Cpu); // GPUs may choose
    add("--iterations", QString::number(plan.iterations), plan.iterations == usual.iterations);
    add("--warmup", QString::number(plan.warmup), plan.warmup == usual.warmup);
    add("--seed", QString::number(plan.seed), plan.seed == usual.seed);
    add("--text", plan.textFile, plan.textFile.isEmpty());
    add("--layers", QString::number(plan.layers), plan.layers == usual.layers);
    add("--width", QString::number(plan.width), plan.width == usual.width);
    add("--heads", QString::number(plan.heads), plan.heads == usual.heads);
    add("--attention", plan.attention, plan.attention.isEmpty());
    add("--precision", plan.precision, plan.precision.isEmpty());
    add("--accumulate", QStringLiteral("exact"), !plan.isExact);
    add("--link-bandwidth", decimal(plan.linkBandwidth), plan.linkBandwidth == 0);
    add("--link-latency", decimal(plan.linkLatency), plan.linkLatency == 0);
    add("--data-parallel", QString::number(plan.request.schedule.dataParallel),
        plan.request.schedule.dataParallel == 1);
    add("--backend", fromUtf8(engine::backendName(plan.backend)), plan.backend == usual.backend);
    add("--transport", carrierWords().at(static_cast<int>(plan.transport)),
        plan.transport == usual.transport);
    add("--graphs", graphsWords().at(static_cast<int>(plan.graphs)), plan.graphs == usual.graphs);
    add("--device-memory", plan.deviceMemory, plan.deviceMemory.isEmpty());
    add("--trace", plan.trace, plan.trace.isEmpty());
    return options + passOptions(plan.request, modelRecompute(plan.model));
}

QStringList carrierWords()
{
    QStringList words;
    for (const auto carrier : {engine::Carrier::Auto, engine::Carrier::Local, engine::Carrier::Peer,
                               engine::Carrier::Nccl})
        words.append(fromUtf8(engine::carrierName(carrier)));
    return words;
}

QStringList graphsWords()
{
    QStringList words;
    for (const auto graphs : {engine::Graphs::Off, engine::Graphs::Auto, engine::Graphs::On})
        words.append(fromUtf8(engine::graphsName(graphs)));
    return words;
}

QString commandText(const RunPlan& plan)
{
    QStringList words = {QStringLiteral("bscope")};
    if (plan.mode == engine::Mode::Simulate)
        words << QStringLiteral("simulate") << scheduleOptions(plan.request.schedule)
              << timingOptions(plan.request);
    else
        words << QStringLiteral("run") << runOptions(plan);
    for (QString& word : words)
        word = shellWord(word);
    return words.join(QLatin1Char(' '));
}

QString planProblem(const RunPlan& plan, const engine::Schedule& lowered)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Plan", source); };
    if (plan.mode == engine::Mode::Simulate)
        return {};
    if (const auto runnable = engine::checkRunnable(lowered); !runnable)
        return fromUtf8(runnable.error().message);
    if (plan.request.evict)
        return text("A run evicts only as the scheme BPipe says; take that scheme, leave Evict at "
                    "none, or simulate.");
    if (plan.model.endsWith(kEnding))
        if (const auto spec = engine::loadModel(plan.model.toStdString()); !spec)
            return fromUtf8(spec.error().message);
    const int stages = lowered.shape.stages;
    const int layers
        = plan.layers > 0 ? plan.layers : modelNumber(plan.model, QStringLiteral("layers"));
    if (layers > 0 && layers < stages)
        return text("%1 has %2 layers, too few for %3 stages; take fewer devices, or simulate.")
            .arg(plan.model)
            .arg(layers)
            .arg(stages);
    if (plan.textFile.isEmpty() || plan.textFile == QStringLiteral("sample"))
        return {};
    const QFileInfo file(plan.textFile);
    if (!file.isFile() || !file.isReadable())
        return text("The text file %1 cannot be read; choose another, or leave it empty.")
            .arg(plan.textFile);
    if (file.size() == 0)
        return text("The text file %1 is empty; choose another, or leave it out.")
            .arg(plan.textFile);
    return {};
}

QString machineProblem(const RunPlan& plan, const DeviceFacts& here)
{
    if (plan.mode == engine::Mode::Simulate || plan.backend == engine::Backend::Cpu
        || here.hasNvidiaDriver)
        return {};
    return QCoreApplication::translate(
        "Plan",
        "This machine has no NVIDIA driver, so nothing runs on GPUs here. Take the CPU, or "
        "copy the command for a machine that has GPUs.");
}

} // namespace app
