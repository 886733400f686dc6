#include "app/documents/run_work.h"

#include "engine/experiment/experiment_fields.h"

namespace app {

RunWork runWork(const QStringList& options)
{
    std::vector<std::string> arguments;
    for (const QString& option : options)
        arguments.push_back(option.toStdString());
    const auto experiment = engine::experimentFromArguments(arguments);
    if (!experiment)
        return {};
    QStringList kind;
    for (const char* flag : {"--mode", "--backend", "--precision"})
        kind << QString::fromStdString(engine::experimentField(flag).get(*experiment));
    return {(experiment->iterations + experiment->warmup)
                * engine::flopsPerIteration(experiment->model, experiment->schedule.microBatches),
            kind.join(QLatin1Char(' '))};
}

} // namespace app
