#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// A library of the CUDA toolkit, as it was found on this machine when it was asked for.
struct CudaLibrary
{
    std::string name;    // "cuBLASLt"
    std::string version; // "13.1.0"; empty: it cannot be used, see reason
    std::string file;    // what was loaded
    std::string reason;  // one sentence when it was not
};

struct CudaDevice
{
    std::string name;
    int major = 0, minor = 0; // compute capability
    int multiprocessors = 0;
    int partition
        = 0; // smallest number of SMs a green context may have; 0: partitions cannot be made
    Bytes memory = 0;
    std::string bus, uuid; // "0000:19:00.0"
    // By the columns of Nsight Systems' TARGET_INFO_GPU (engine/timeline/gpu_facts.h).
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    // What it computes more slowly than other GPUs, and why; empty: nothing.
    // "flash attention of heads of 128 numbers without tensor cores: a block may have ..."
    std::string fallback;
};

// What the CUDA side of this machine can do, and why not more.
struct CudaReport
{
    std::string reason;  // one sentence why no GPU is used; empty when `devices` can be used
    std::string driver;  // highest CUDA version the driver serves, "13.0"; empty: no driver
    std::string runtime; // of the plug-in, "13.0"; empty: it was not loaded
    std::vector<CudaLibrary> libraries;
    std::vector<CudaDevice> devices;
    std::vector<std::vector<bool>> peers; // [from][to]: may copy directly
    std::string moduleLoading;            // "lazy", "eager"; empty: not known
    std::string tf32;                     // "off", or why it is not; empty: no plug-in
};

// Looks for the driver, then for the plug-in (libbubblescope_cuda.so beside the program, in
// ../lib/bubblescope, or in $BUBBLESCOPE_PLUGINS), which looks for the rest. Starts no context on
// any device. Never fails: what is missing is a sentence in the report. Any thread; call it from
// the worker process, since a driver stays loaded.
CudaReport cudaReport();

// The one symbol of the plug-in: fills `report` when both are of the same build, and returns the
// build the plug-in is of (version.h: buildId()).
using CudaReportFunction = const char* (*)(const char* buildId, CudaReport* report);
constexpr const char* kCudaReportSymbol = "bubblescope_cuda_report";

} // namespace engine
