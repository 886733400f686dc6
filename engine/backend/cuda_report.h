#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// A library of the CUDA toolkit on this machine.
struct CudaLibrary
{
    std::string name;    // "cuBLASLt"
    std::string version; // "13.1.0"; "" if not usable (see reason)
    std::string file;    // path of the loaded file
    std::string reason;  // why it was not loaded, one sentence
};

struct CudaDevice
{
    std::string name;
    int major = 0, minor = 0; // compute capability
    int multiprocessors = 0;
    int partition = 0; // smallest number of SMs of a partition (green context); 0: not supported
    Bytes memory = 0;
    std::string bus, uuid; // "0000:19:00.0"
    // Columns of Nsight Systems' TARGET_INFO_GPU (engine/timeline/gpu_facts.h).
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    // The slower code path that this GPU uses, with the reason: "flash attention with a head size
    // of 128 does not use tensor cores: ..."; "" if the GPU uses no slower path.
    std::string fallback;
};

// The CUDA support of this machine, and the reason for everything that is missing.
struct CudaReport
{
    std::string reason;  // why no GPU can be used, one sentence; "" if a GPU can be used
    std::string driver;  // highest CUDA version of the driver: "13.0"; "" without a driver
    std::string runtime; // CUDA version of the plug-in: "13.0"; "" if it is not loaded
    std::vector<CudaLibrary> libraries;
    std::vector<CudaDevice> devices;
    std::vector<std::vector<bool>> peers; // [from][to]: peer access is supported
    std::string moduleLoading;            // when kernels are loaded: "lazy", "eager"; "" if unknown
    std::string tf32;                     // "off", or why tf32 is not off; "" without the plug-in
};

// Loads the driver, then the plug-in (cuda_device.h), which finds the libraries and devices.
// Creates no context on a device. Does not fail: the report has the reason for everything missing.
// Thread-safe. Call it in the worker process, because a driver cannot be unloaded.
CudaReport cudaReport();

// A symbol of the plug-in. Fills `report` if `buildId`, the build of the program, equals the build
// of the plug-in. Always returns the build of the plug-in (version.h: buildId()).
using CudaReportFunction = const char* (*)(const char* buildId, CudaReport* report);
constexpr const char* kCudaReportSymbol = "bubblescope_cuda_report";

} // namespace engine
