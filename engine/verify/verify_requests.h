#pragma once

#include "engine/verify/verify.h"

#include <string>
#include <utility>
#include <vector>

namespace engine {

// Returns the specification of a GPT that is small enough for hundreds of runs.
ModelSpec verifyModel();
// Returns variants of verifyModel(), each with the name of the changed option: "attention=flash".
std::vector<std::pair<std::string, ModelSpec>> verifyVariants();
// Returns requests for the schemes of `options`: in one or two sizes with default options, or with
// VerifyOptions::full in all sizes and with all scheme options. Omits requests that cannot be
// trained.
std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options);

} // namespace engine
