#pragma once

#include "engine/verify/verify.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {

// What verifyEngine() trains.

// Small enough for hundreds of trainings, with everything that a GPT has.
ModelSpec verifyModel();
// Models beside it, by what is different.
std::vector<std::pair<std::string, ModelSpec>> verifyVariants();
// Every scheme that was asked for, in the sizes and options that can be trained.
std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options);

} // namespace engine
