// The CUDA plug-in on GPUs that are emulated on the CPU (tests/support/cuda_on_cpu), for the real
// program: tests configure them by environment variables.
//   EMULATED_GPUS    how many there are
//   EMULATED_ABSENT  the GPU whose ranks NCCL never joins
//   EMULATED_HANG    the piece of work, from when devices are opened, that never ends
#include "engine/backend/cuda_report.h"
#include "engine/base/version.h"
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/nccl_on_cpu.h"

#include <cstdlib>
#include <string>

namespace {

int setting(const char* name, int otherwise)
{
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::atoi(value);
}

void start()
{
    cuda_on_cpu::plugIn({.count = setting("EMULATED_GPUS", 1)});
    cuda_on_cpu::emulateNccl({.absentGpu = setting("EMULATED_ABSENT", -1)});
    cuda_on_cpu::hangAt(setting("EMULATED_HANG", 0));
}

} // namespace

// Asked before anything is opened, and again.
extern "C" __attribute__((visibility("default"))) const char*
bubblescope_cuda_report(const char* buildId, engine::CudaReport* report)
{
    static const std::string kOurs(engine::buildId());
    if (kOurs != buildId)
        return kOurs.c_str();
    static const bool kStarted = (start(), true);
    static_cast<void>(kStarted);
    report->runtime = "0.0";
    for (int gpu = 0; gpu < cuda_on_cpu::pluggedIn().count; ++gpu)
        report->devices.emplace_back().name = "emulated GPU " + std::to_string(gpu);
    return kOurs.c_str();
}
