#pragma once

#include "engine/base/field.h"
#include "engine/cost/training_setup.h"

namespace engine {

// The options of `bscope simulate --model --hardware` and of `bscope estimate`, and the fields of
// the set-up page for costs of a model on hardware.
Fields<TrainingSetup> trainingSetupFields();

} // namespace engine
