#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// A library of the CUDA toolkit, as found on this machine.
struct CudaLibrary
{
    std::string name;    // "cuBLASLt"
    std::string version; // "13.1.0"; empty if not usable, see reason
    std::string file;    // path of the loaded file
    std::string reason;  // one sentence if it was not loaded
};

struct CudaDevice
{
    std::string name;
    int major = 0, minor = 0; // compute capability
    int multiprocessors = 0;
    int partition = 0; // smallest number of SMs of a green context; 0: no partitions
    Bytes memory = 0;
    std::string bus, uuid; // "0000:19:00.0"
    // Columns of Nsight Systems' TARGET_INFO_GPU (engine/timeline/gpu_facts.h).
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    // A slower code path used on this GPU, and the reason; empty: none. "flash attention of
    // heads of 128 numbers without tensor cores: the limit of ..."
    std::string fallback;
};

// The CUDA support of this machine, with the reason for anything missing.
struct CudaReport
{
    std::string reason;  // one sentence if no GPU can be used; otherwise empty
    std::string driver;  // highest CUDA version that the driver supports, "13.0"; empty: no driver
    std::string runtime; // of the plug-in, "13.0"; empty: not loaded
    std::vector<CudaLibrary> libraries;
    std::vector<CudaDevice> devices;
    std::vector<std::vector<bool>> peers; // [from][to]: supports peer access
    std::string moduleLoading;            // "lazy", "eager"; empty: unknown
    std::string tf32;                     // "off", or why it is not off; empty: no plug-in
};

// Loads the driver, then the plug-in (cuda_plugin.h), which finds the rest. Creates no context
// on a device. Never fails: the report says what is missing. Thread-safe. Call it from the
// worker process, because a driver stays loaded.
CudaReport cudaReport();

// A symbol of the plug-in: fills `report` if both have the same build, and returns the build of
// the plug-in (version.h: buildId()).
using CudaReportFunction = const char* (*)(const char* buildId, CudaReport* report);
constexpr const char* kCudaReportSymbol = "bubblescope_cuda_report";

} // namespace engine
