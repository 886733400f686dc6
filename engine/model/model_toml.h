#pragma once

#include "engine/model/model_spec.h"

#include <toml++/toml.h>

#include <string>

namespace engine {

// Keys of a preset of resources/models and of the [model] table of an experiment. Missing keys
// have defaults; unknown keys and invalid values are errors that name the key.
Result<ModelSpec> modelFromTable(const toml::table& table);
// `prefix`: "" for a preset file, "model" inside an experiment.
std::string modelToToml(const ModelSpec& model, const std::string& prefix);

} // namespace engine
