#include "app/plan/run_plan.h"

#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedules/scheme.h"

#include <QDir>
#include <QFileInfo>

#include <array>

namespace app {
namespace {

using engine::Experiment;

QStringList toList(const std::vector<std::string>& arguments)
{
    QStringList list;
    for (const std::string& word : arguments)
        list.append(QString::fromStdString(word));
    return list;
}

} // namespace

PredictionRequest RunPlan::request() const
{
    return {.schedule = experiment.schedule,
            .scheduleFile = experiment.scheduleFile,
            .sync = experiment.sync,
            .costs = costs,
            .recompute = experiment.model.recompute,
            .recomputeAhead = experiment.model.recomputeAhead,
            .offload = experiment.model.offload,
            .evict = evict,
            .source = source};
}

QStringList modelPresets()
{
    return toList(engine::modelNames());
}

void chooseModel(RunPlan& plan, const QString& model)
{
    constexpr std::array<std::string_view, 3> kDecided{"--micro-batch-size", "--sequence",
                                                       "--recompute"};
    const Experiment before = plan.experiment, defaults = engine::defaultExperiment(before);
    Experiment& experiment = plan.experiment;
    const auto& modelField = engine::experimentField("--model");
    if (!modelField.set(experiment, model.toStdString())) {
        experiment.modelFile = model.toStdString(); // planProblem() reports the error
        return;
    }
    for (const auto& field : engine::experimentFields())
        if (field.group == modelField.group && &field != &modelField
            && std::ranges::find(kDecided, field.flag) == kDecided.end()
            && field.get(before) != field.get(defaults))
            static_cast<void>(field.set(experiment, field.get(before)));
}

QStringList runOptions(const RunPlan& plan)
{
    return toList(engine::runArguments(plan.experiment));
}

RunPlan withScheme(RunPlan plan, std::string_view scheme)
{
    plan.experiment.scheduleFile.clear();
    engine::ScheduleRequest& schedule = plan.experiment.schedule;
    schedule.scheme = scheme;
    schedule.chunks = 0;
    schedule.options.clear();
    schedule = withStagesOf(plan.source, schedule);
    return plan;
}

QString commandText(const RunPlan& plan)
{
    return QString::fromStdString(
        plan.experiment.mode == engine::Mode::Simulate
            ? engine::commandText("simulate", profiler::argumentsOf(plan.request()))
            : engine::commandOf(plan.experiment));
}

RunPlan planFromExperiment(const QString& toml)
{
    RunPlan plan;
    if (auto experiment = engine::experimentFromToml(toml.toStdString()))
        plan.experiment = *std::move(experiment);
    return plan;
}

namespace {
QDir schemesFolder()
{
    return QDir(QString::fromStdString((engine::dataFolder() / "schemes").string()));
}
} // namespace

QStringList ownSchemes()
{
    QStringList files;
    for (const QFileInfo& file :
         schemesFolder().entryInfoList({QStringLiteral("*.csv")}, QDir::Files, QDir::Name))
        files.append(file.absoluteFilePath());
    return files;
}

engine::Result<QString> keepScheme(const QString& name, const engine::Schedule& order)
{
    QString base = name;
    base.replace(QLatin1Char('/'), QLatin1Char('-'));
    const QDir folder = schemesFolder();
    folder.mkpath(QStringLiteral("."));
    const QString file = folder.absoluteFilePath(base + QStringLiteral(".csv"));
    TRY(engine::saveFile(file.toStdString(), engine::writeCsv(order), engine::IfExists::Refuse));
    return file;
}

QString planProblem(const RunPlan& plan, const engine::Schedule& lowered)
{
    const Experiment& experiment = plan.experiment;
    if (experiment.mode == engine::Mode::Simulate)
        return {};
    if (const auto runnable = engine::checkRunnable(lowered); !runnable)
        return fromUtf8(runnable.error().message);
    if (plan.evict)
        return fromUtf8(
            "Runs support Evict only with BPipe: choose BPipe, set Evict to none, or simulate.");
    if (!experiment.modelFile.empty())
        if (const auto spec = engine::loadModel(experiment.modelFile); !spec)
            return fromUtf8(spec.error().message);
    const engine::ModelSpec& model = experiment.model;
    if (const auto possible = engine::checkSlices(lowered, model.family, model.recompute);
        !possible)
        return fromUtf8(possible.error().message);
    const int stages = lowered.shape.stages;
    if (model.layout.isDefault() && model.layers < stages)
        return fromUtf8("%1 has %2 layers, too few for %3 stages: use fewer devices, or simulate.")
            .arg(fromUtf8(model.name))
            .arg(model.layers)
            .arg(stages);
    if (const auto possible = engine::checkModel(model, stages); !possible)
        return fromUtf8(possible.error().message);
    if (const auto possible = engine::checkExperiment(experiment); !possible)
        return fromUtf8(possible.error().message);
    if (experiment.textFile.empty() || experiment.textFile == "sample")
        return {};
    const QFileInfo file(QString::fromStdString(experiment.textFile));
    if (!file.isFile() || !file.isReadable())
        return fromUtf8("The text file %1 cannot be read: choose another file, or clear the field.")
            .arg(file.filePath());
    if (file.size() == 0)
        return fromUtf8("The text file %1 is empty: choose another file, or clear the field.")
            .arg(file.filePath());
    return {};
}

QString machineProblem(const RunPlan& plan, const DeviceFacts& here)
{
    if (plan.experiment.mode == engine::Mode::Simulate
        || plan.experiment.backend == engine::Backend::Cpu || here.hasNvidiaDriver)
        return {};
    return fromUtf8(
        "This machine has no NVIDIA driver, so it cannot run on GPUs. Choose the CPU, or "
        "copy the command for a machine that has GPUs.");
}

namespace {

const QString kExperiment = QStringLiteral("experiment"), kCosts = QStringLiteral("costs"),
              kKind = QStringLiteral("kind"), kSource = QStringLiteral("source"),
              kSetup = QStringLiteral("setup"), kUnitCosts = QStringLiteral("units"),
              kEvict = QStringLiteral("evict");

} // namespace

QJsonObject planState(const RunPlan& plan)
{
    const CostSource& source = plan.source;
    QJsonObject costs{{kKind, static_cast<int>(source.kind)},
                      {kSource, fieldTexts(profiler::costSourceFields(), source)},
                      {kSetup, fieldTexts(engine::trainingSetupFields(), source.setup)},
                      {kUnitCosts, fieldTexts(engine::unitCostFields(), plan.costs)}};
    if (plan.evict)
        costs.insert(kEvict, static_cast<int>(*plan.evict));
    return {{kExperiment, QString::fromStdString(engine::toToml(plan.experiment))},
            {kCosts, costs}};
}

RunPlan restoredPlan(const QJsonObject& state)
{
    RunPlan plan = planFromExperiment(state.value(kExperiment).toString());
    const QJsonObject costs = state.value(kCosts).toObject();
    const auto choice = [&costs](const QString& key, auto last) { // -1: none
        const int index = costs.value(key).toInt(-1);
        return index <= static_cast<int>(last) ? index : -1;
    };
    CostSource& source = plan.source;
    setFields(profiler::costSourceFields(), source, costs.value(kSource).toObject());
    // The fields of the source have set another kind.
    const int kind = choice(kKind, CostSource::Kind::Recorded);
    source.kind = kind >= 0 ? static_cast<CostSource::Kind>(kind) : CostSource().kind;
    setFields(engine::trainingSetupFields(), source.setup, costs.value(kSetup).toObject());
    setFields(engine::unitCostFields(), plan.costs, costs.value(kUnitCosts).toObject());
    if (const int evict = choice(kEvict, engine::EvictPolicy::Steady); evict >= 0)
        plan.evict = static_cast<engine::EvictPolicy>(evict);
    return plan;
}

} // namespace app
