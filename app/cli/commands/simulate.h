#pragma once

#include "profiler/predict/predict.h"

#include <string>
#include <vector>

namespace cli {

// Like `bscope simulate ARGUMENTS` with one scheme, but without output. Thread-safe. Fails with
// Error::Code::Unsupported if an option is unknown or has an invalid value.
engine::Result<profiler::PredictedRun> simulateArguments(const std::vector<std::string>& arguments);

} // namespace cli
