#pragma once

#include "engine/cost/toml_fields.h"
#include "engine/model/model_spec.h"

namespace engine {

// Reads the keys of a preset of resources/models, or of the [model] table of an experiment. Missing
// keys keep their defaults. Fails if a key is unknown or a value is invalid; the message names the
// key.
Result<ModelSpec> modelFromTable(const toml::table& table);
toml::table tableOf(const ModelSpec& model); // the inverse of modelFromTable()

} // namespace engine
