#pragma once

#include "engine/base/field.h"
#include "engine/model/model_spec.h"

namespace engine {

// Returns the fields of a model: the keys of a preset file, and the options that override values of
// a preset.
Fields<ModelSpec> modelFields();

} // namespace engine
