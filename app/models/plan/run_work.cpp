#include "app/models/plan/run_work.h"

#include "app/models/plan/run_plan.h"
#include "engine/model/model_spec.h"

namespace app {
namespace {

QString valueOf(const QStringList& options, const char* name, const QString& fallback)
{
    const qsizetype at = options.indexOf(QString::fromLatin1(name));
    return at >= 0 && at + 1 < options.size() ? options[at + 1] : fallback;
}

int numberOf(const QStringList& options, const char* name, int fallback)
{
    return valueOf(options, name, QString::number(fallback)).toInt();
}

} // namespace

double runWork(const QStringList& options)
{
    const RunPlan usual;
    auto model = engine::loadModel(valueOf(options, "--model", usual.model).toStdString());
    if (!model)
        return 0;
    model->layers = numberOf(options, "--layers", model->layers);
    model->width = numberOf(options, "--width", model->width);
    model->heads = numberOf(options, "--heads", model->heads);
    model->sequence = numberOf(options, "--sequence", model->sequence);
    model->microBatchSize = numberOf(options, "--micro-batch-size", model->microBatchSize);
    const int iterations = numberOf(options, "--iterations", usual.iterations)
        + numberOf(options, "--warmup", usual.warmup);
    const int microBatches
        = numberOf(options, "--micro-batches", usual.request.schedule.microBatches);
    return iterations * engine::flopsPerIteration(*model, microBatches);
}

QString runKind(const QStringList& options)
{
    QStringList kind;
    for (const char* name : {"--mode", "--backend", "--precision"})
        kind << valueOf(options, name, {});
    return kind.join(QLatin1Char(' '));
}

} // namespace app
