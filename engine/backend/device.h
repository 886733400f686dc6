#pragma once

#include "engine/backend/kernels.h"
#include "engine/base/units.h"

#include <string>

namespace engine {

struct DeviceInfo
{
    std::string name;    // "AMD EPYC, 1 BLAS thread"
    std::string library; // "OpenBLAS 0.3.21, SkylakeX kernels"
    Bytes memory = 0;    // available now
};

// What ops run on: one accelerator, or one thread of the CPU.
class Device
{
public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    virtual DeviceInfo info() const = 0;
    virtual const Kernels<float>& kernels() const = 0;
};

} // namespace engine
