#pragma once

#include "engine/backend/cuda_report.h"

#include <cstdint>
#include <string>

namespace cli {

// What this machine can compute on.
struct Machine
{
    std::string cpu;
    unsigned cores = 0;
    std::int64_t memory = 0;
    std::string arithmetic; // of the CPU: the library, or why there is none
    bool computes = false;
    engine::CudaReport cuda;
};

// What bscope devices prints.
std::string devicesText(const Machine& machine);
std::string devicesJson(const Machine& machine);

} // namespace cli
