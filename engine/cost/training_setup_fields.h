#pragma once

#include "engine/base/field.h"
#include "engine/cost/training_setup.h"

namespace engine {

// How a model on hardware is trained: options of `bscope simulate --model --hardware` and of
// `bscope estimate`, and the set-up's costs from hardware.
Fields<TrainingSetup> trainingSetupFields();

} // namespace engine
