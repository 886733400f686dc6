#pragma once

#include "profiler/report/sheet.h"
#include "profiler/whatif/predict.h"

#include <string>
#include <vector>

namespace cli {

struct WhatIfTable
{
    std::vector<profiler::Prediction> predictions; // sorted by iteration time, shortest first
    struct Refused
    {
        std::string scheme, reason;
    };
    std::vector<Refused> refused;
};

profiler::Sheet whatIfSheet(const engine::Run& run, const profiler::WhatIfPredictor& predictor,
                            const WhatIfTable& table);

} // namespace cli
