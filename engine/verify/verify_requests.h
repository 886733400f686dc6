#pragma once

#include "engine/verify/verify.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {

// The inputs of verifyEngine().

// Small enough for hundreds of runs, with all features of a GPT.
ModelSpec verifyModel();
// Variants of the model, by their difference.
std::vector<std::pair<std::string, ModelSpec>> verifyVariants();
// The requested schemes in all sizes and options that can be trained.
std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options);

} // namespace engine
