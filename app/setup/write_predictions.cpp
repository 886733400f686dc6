#include "app/setup/write_predictions.h"

#include "app/documents/run_library.h"
#include "app/ui/text.h"

namespace app {

WrittenPredictions writePredictions(const std::vector<RunPlan>& plans)
{
    WrittenPredictions written;
    for (const RunPlan& plan : plans) {
        const auto fail = [&](const std::string& message) {
            written.failed.append(QStringLiteral("%1: %2").arg(
                fromUtf8(plan.experiment.schedule.scheme), fromUtf8(message)));
        };
        const auto prediction = predict(plan.request());
        if (!prediction) {
            fail(prediction.error().message);
            continue;
        }
        if (!prediction->isValid()) {
            fail(prediction->violations.front().message);
            continue;
        }
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan).toStdString();
        if (const auto file = writeNewRun(std::move(run)))
            written.files.append(*file);
        else
            fail(file.error().message);
    }
    return written;
}

} // namespace app
