#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// A transformer and how it is trained. `tiny` is the default (cli.md, MODEL).
struct ModelSpec
{
    std::string name = "tiny";
    int layers = 16, width = 64, heads = 4, sequence = 64, microBatchSize = 2, vocabulary = 256;
    bool tied = false;
    double learningRate = 1e-3, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0.1,
           initStd = 0.02;

    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

// A preset of resources/models or a .toml file; NotFound names the presets. Every field is checked.
Result<ModelSpec> loadModel(std::string_view nameOrFile);
std::vector<std::string> modelNames();

// Stage s of S holds blocks firstLayer(s) .. firstLayer(s + 1) - 1. Error when layers < stages:
// names the smallest --layers.
int firstLayer(const ModelSpec& model, int stages, int stage);
Result<void> checkModel(const ModelSpec& model, int stages);
// Every field within its range; part of checkModel() and loadModel().
Result<void> checkFields(const ModelSpec& model);

std::int64_t parameterCount(const ModelSpec& model);
double flopsPerIteration(const ModelSpec& model,
                         int microBatches); // forward + backward, full attention

} // namespace engine
