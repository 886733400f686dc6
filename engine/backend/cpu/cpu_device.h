#pragma once

#include "engine/backend/device.h"
#include "engine/base/result.h"

#include <memory>

namespace engine {

// One thread of the CPU: the specification that other devices are tested against.
class CpuDevice : public Device
{
public:
    virtual const Kernels<double>& doubleKernels() const = 0; // for finite differences
};

// NotFound when OpenBLAS is not installed; the message names the package.
Result<std::shared_ptr<const CpuDevice>> openCpuDevice();

} // namespace engine
