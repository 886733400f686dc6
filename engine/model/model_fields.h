#pragma once

#include "engine/base/field.h"
#include "engine/model/model_spec.h"

namespace engine {

// Every field of a model: the keys of a preset file, and the options that replace a preset's value.
Fields<ModelSpec> modelFields();

} // namespace engine
