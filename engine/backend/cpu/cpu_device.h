#pragma once

#include "engine/backend/device.h"
#include "engine/base/result.h"

#include <memory>

namespace engine {

// The CPU device. Its results are the specification for all other devices.
class CpuDevice : public Device
{
public:
    virtual const Kernels<double>& doubleKernels() const = 0; // for finite differences
};

// Opens the CPU device and sets the number of BLAS threads of the whole process to `threads`. Only
// a run with a single device may use more than one. Fails with Error::Code::NotFound if OpenBLAS is
// not installed; the message names the package. Fails with Error::Code::Device if there is no
// memory for its buffers, one for each of `callers`, the threads that will compute at the same
// time.
Result<std::shared_ptr<const CpuDevice>> openCpuDevice(int threads = 1, int callers = 1);

} // namespace engine
