#include "app/models/plan/run_work.h"

#include "engine/experiment/experiment_fields.h"

namespace app {
namespace {

std::optional<engine::Experiment> experimentOf(const QStringList& options)
{
    std::vector<std::string> arguments;
    for (const QString& option : options)
        arguments.push_back(option.toStdString());
    auto experiment = engine::experimentFromArguments(arguments);
    return experiment ? std::optional(*std::move(experiment)) : std::nullopt;
}

} // namespace

double runWork(const QStringList& options)
{
    const auto experiment = experimentOf(options);
    if (!experiment)
        return 0;
    return (experiment->iterations + experiment->warmup)
        * engine::flopsPerIteration(experiment->model, experiment->schedule.microBatches);
}

QString runKind(const QStringList& options)
{
    const auto experiment = experimentOf(options);
    QStringList kind;
    if (experiment)
        for (const char* flag : {"--mode", "--backend", "--precision"})
            kind << QString::fromStdString(engine::experimentField(flag).get(*experiment));
    return kind.join(QLatin1Char(' '));
}

} // namespace app
