#pragma once

#include "engine/base/result.h"
#include "engine/cost/model_prices.h"

#include <string>

namespace CLI {
class App;
}

namespace cli {

// --model NAME --hardware NAME [--micro-batch-size b] ..., for models that are not trained and
// whose costs are computed.
struct ModelOptions
{
    std::string model, hardware;
    engine::TrainingSetup setup;
};
// Omits --micro-batch-size and --allreduce-precision, which only simulations need.
void addModelOptions(CLI::App& app, ModelOptions& options);
void addSimulationOptions(CLI::App& app, ModelOptions& options); // adds these two
// Loads the model and the hardware, each from a preset or a file. Error messages name the preset or
// file.
engine::Result<engine::ModelOnHardware> modelOnHardware(const ModelOptions& options);

} // namespace cli
