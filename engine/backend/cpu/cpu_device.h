#pragma once

#include "engine/backend/device.h"
#include "engine/base/result.h"

#include <memory>

namespace engine {

// The CPU device, the specification for all other devices.
class CpuDevice : public Device
{
public:
    virtual const Kernels<double>& doubleKernels() const = 0; // for finite differences
};

// Sets the number of BLAS threads of the whole process: 1, unless a single device trains alone.
// NotFound if OpenBLAS is not installed; the message names the package.
Result<std::shared_ptr<const CpuDevice>> openCpuDevice(int threads = 1);

Bytes availableMemory(); // of the machine, now; 0: unknown

} // namespace engine
