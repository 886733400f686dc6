#pragma once

#include "engine/model/model_spec.h"

#include <toml++/toml.h>

#include <string>

namespace engine {

// The keys of a preset of resources/models: also the [model] table of an experiment. Missing keys
// are defaults; an unknown key and an impossible value are errors that name it.
Result<ModelSpec> modelFromTable(const toml::table& table);
// Under `prefix`: "" for a preset file, "model" inside an experiment.
std::string modelToToml(const ModelSpec& model, const std::string& prefix);

} // namespace engine
