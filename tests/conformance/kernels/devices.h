#pragma once

#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/result.h"

#include <memory>

namespace kernel_test {

std::shared_ptr<const engine::CpuDevice> cpu();
// The kernels of engine/backend/cuda, emulated on the CPU, over a cuBLASLt of plain loops.
std::shared_ptr<const engine::Device> emulatedCuda();

// Whether the kernels are emulated on the CPU: not under TSan, and not where KERNEL_DEVICES=gpu
// says that only a GPU's time counts.
bool isEmulated();
// The first GPU, or the reason why it is not available. Opened once.
const engine::Result<std::shared_ptr<const engine::Device>>& gpu();

} // namespace kernel_test
