#pragma once

#include "engine/backend/cuda_report.h"

#include <cstdint>
#include <string>

namespace cli {

// The devices of this machine.
struct Machine
{
    std::string cpu;
    unsigned cores = 0;
    std::int64_t memory = 0;
    std::string arithmetic; // of the CPU: the BLAS library, or why it is missing
    bool computes = false;
    engine::CudaReport cuda;
};

// Output of bscope devices.
std::string devicesText(const Machine& machine);
std::string devicesJson(const Machine& machine);

} // namespace cli
