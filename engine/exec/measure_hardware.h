#pragma once

#include "engine/backend/device.h"
#include "engine/backend/kernels.h"
#include "engine/cost/hardware.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Measures the rates of a device for the cost model: matrix products (bf16 on a GPU that has them,
// otherwise fp32), copies in its memory, and small kernels. The link is a copy between two devices:
// two GPUs, two places in the memory of a single GPU, or two threads of the CPU; links between
// nodes are assumed equal. matmulShare, memoryShare and linkShare of the result are 1, because the
// measured rates are attained rates. Takes about two seconds. `progress` is called with the name of
// each step. Fails with Error::Code::Device if there is not enough memory or a device fails, and
// with Error::Code::Cancelled if it is cancelled.
struct MeasureHardware
{
    std::vector<std::shared_ptr<const Device>> devices; // one CPU, or one or two GPUs
    int devicesPerNode = 1;                             // cores or GPUs of this machine
    std::function<void(std::string_view step)> progress = [](std::string_view) {};
};
Result<HardwareSpec> measureHardware(const MeasureHardware& on, const std::atomic<bool>& cancel);

// The measured rate of large matrix products on a device. MFU is relative to this rate, because
// data sheets do not have the rate of one CPU core.
struct GemmPeak
{
    double flops = 0;   // FLOP/s
    std::string source; // "sgemm of 512 x 512 x 512, measured 2026-11-29, kept in FILE"
};

// Returns the peak of machines with this CPU. The first call measures it (0.3 s) and keeps it in
// peaks.toml of dataFolder(), so that the MFU of all runs of a machine has one denominator; to
// measure again, delete the file. If the file cannot be read or written, the peak is measured again
// and the source says why it was not kept. Fails as measureHardware() does, and if a clock of the
// machine does not advance.
Result<GemmPeak> machinePeak(const std::shared_ptr<const Device>& cpu,
                             const std::atomic<bool>& cancel);

} // namespace engine
