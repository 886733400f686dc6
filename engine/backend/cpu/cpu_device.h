#pragma once

#include "engine/backend/device.h"
#include "engine/base/result.h"

#include <memory>

namespace engine {

// The CPU: the specification that other devices are tested against.
class CpuDevice : public Device
{
public:
    virtual const Kernels<double>& doubleKernels() const = 0; // for finite differences
};

// NotFound when OpenBLAS is not installed; the message names the package. `threads` do the matrix
// products of the whole process from now on: one, except where a single device trains alone.
Result<std::shared_ptr<const CpuDevice>> openCpuDevice(int threads = 1);

Bytes availableMemory(); // of the machine, now; 0: not known

} // namespace engine
