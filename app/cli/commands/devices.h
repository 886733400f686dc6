#pragma once

#include "engine/backend/cuda_report.h"

#include <cstdint>
#include <string>

namespace cli {

// The facts about this machine that `bscope devices` prints.
struct Machine
{
    std::string cpu;
    unsigned cores = 0;
    std::int64_t memory = 0;
    std::string arithmetic; // BLAS library of the CPU, or why it is missing
    bool computes = false;
    engine::CudaReport cuda;
};

// Returns the output of `bscope devices`.
std::string devicesText(const Machine& machine);
std::string devicesJson(const Machine& machine);

} // namespace cli
