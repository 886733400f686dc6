#pragma once

#include "engine/base/result.h"
#include "engine/cost/model_prices.h"

#include <string>

namespace CLI {
class App;
}

namespace cli {

// The options --model NAME --hardware NAME [--micro-batch-size b] ... of commands that compute the
// costs of a model and do not train it.
struct ModelOptions
{
    std::string model, hardware;
    engine::TrainingSetup setup;
};
// Adds the options except --micro-batch-size and --allreduce-precision, which only simulations
// need.
void addModelOptions(CLI::App& app, ModelOptions& options);
// Adds --micro-batch-size and --allreduce-precision.
void addSimulationOptions(CLI::App& app, ModelOptions& options);
// Loads the model and the hardware, each from a preset or from a file. Error messages name the
// preset or the file.
engine::Result<engine::ModelOnHardware> modelOnHardware(const ModelOptions& options);

} // namespace cli
