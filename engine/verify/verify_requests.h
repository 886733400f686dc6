#pragma once

#include "engine/verify/verify.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {

// A GPT that is small enough for hundreds of runs and has all features.
ModelSpec verifyModel();
// Variants of verifyModel(), each with the name of its difference.
std::vector<std::pair<std::string, ModelSpec>> verifyVariants();
// The requested schemes, in all sizes and with all options that can be trained.
std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options);

} // namespace engine
