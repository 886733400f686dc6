#pragma once

#include "engine/backend/layer_kernels.h"
#include "engine/backend/linear_kernels.h"
#include "engine/backend/memory_operations.h"
#include "engine/backend/optimizer_kernels.h"
#include "engine/backend/token_kernels.h"

namespace engine {

// The arithmetic of a device, one method per operation of the model. Views point into memory of the
// device (Device::allocate()) owned by the caller. On a CPU calls are synchronous and thread-safe.
// On a GPU a call queues the operation on the device's stream, and only one thread at a time may
// call; Device::synchronize() waits for the results. Throws std::runtime_error if the device fails.
//
// Real is the storage type of the training precision. Operations compute in Wide<Real>
// (bfloat16.h), at least float, and round once when they store.
template<class Real>
class Kernels : public MemoryOperations,
                public LinearKernels<Real>,
                public LayerKernels<Real>,
                public TokenKernels<Real>,
                public OptimizerKernels<Real>
{ };

} // namespace engine
