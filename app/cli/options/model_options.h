#pragma once

#include "engine/base/result.h"
#include "engine/cost/model_prices.h"

#include <string>

namespace CLI {
class App;
}

namespace cli {

// --model NAME --hardware NAME [--micro-batch-size b] ..., for models whose costs are computed but
// that are not trained.
struct ModelOptions
{
    std::string model, hardware;
    engine::TrainingSetup setup;
};
// Omits --micro-batch-size, because some commands vary it.
void addModelOptions(CLI::App& app, ModelOptions& options);
void addMicroBatchSizeOption(CLI::App& app, ModelOptions& options);
// Loads the presets or files; errors name them.
engine::Result<engine::ModelOnHardware> modelOnHardware(const ModelOptions& options);

} // namespace cli
