#pragma once

#include "engine/base/result.h"
#include "engine/cost/model_prices.h"

#include <string>

namespace CLI {
class App;
}

namespace cli {

// --model NAME --hardware NAME [--micro-batch-size b] ... of cli.md, for what is costed and not
// trained.
struct ModelOptions
{
    std::string model, hardware;
    engine::TrainingSetup setup;
};
// Without --micro-batch-size, which some commands vary.
void addModelOptions(CLI::App& app, ModelOptions& options);
void addMicroBatchSizeOption(CLI::App& app, ModelOptions& options);
// The presets or files; the errors name them.
engine::Result<engine::ModelOnHardware> modelOnHardware(const ModelOptions& options);

} // namespace cli
