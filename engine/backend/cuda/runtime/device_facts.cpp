#include "engine/backend/cuda/runtime/device_facts.h"

#include "engine/backend/cuda/runtime/driver_function.h"

#include <cuda.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace engine::cuda {
namespace {

std::int64_t attribute(int index, cudaDeviceAttr which)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, index) == cudaSuccess ? value : 0;
}

std::string busOf(int index)
{
    std::array<char, 32> text{};
    return cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), index) == cudaSuccess
        ? text.data()
        : "";
}

// Returns the UUID in the format of nvidia-smi without "GPU-": 8-4-4-4-12 digits.
std::string uuidOf(const cudaDeviceProp& properties)
{
    std::string text;
    for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i)
        text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                            static_cast<unsigned char>(properties.uuid.bytes[i]));
    return text;
}

struct Asked
{
    const char* column;
    cudaDeviceAttr attribute;
};
constexpr Asked kAsked[] = {
    {"l2CacheSize", cudaDevAttrL2CacheSize},
    {"smCount", cudaDevAttrMultiProcessorCount},
    {"constantMemory", cudaDevAttrTotalConstantMemory},
    {"maxRegistersPerBlock", cudaDevAttrMaxRegistersPerBlock},
    {"maxShmemPerBlock", cudaDevAttrMaxSharedMemoryPerBlock},
    {"maxShmemPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {"maxShmemPerSm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {"maxRegistersPerSm", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"threadsPerWarp", cudaDevAttrWarpSize},
    {"asyncEngines", cudaDevAttrAsyncEngineCount},
    {"maxBlocksPerSm", cudaDevAttrMaxBlocksPerMultiprocessor},
    {"maxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock},
    {"maxBlockDimX", cudaDevAttrMaxBlockDimX},
    {"maxBlockDimY", cudaDevAttrMaxBlockDimY},
    {"maxBlockDimZ", cudaDevAttrMaxBlockDimZ},
    {"maxGridDimX", cudaDevAttrMaxGridDimX},
    {"maxGridDimY", cudaDevAttrMaxGridDimY},
    {"maxGridDimZ", cudaDevAttrMaxGridDimZ},
    {"computeMajor", cudaDevAttrComputeCapabilityMajor},
    {"computeMinor", cudaDevAttrComputeCapabilityMinor},
    {"smMajor", cudaDevAttrComputeCapabilityMajor},
    {"smMinor", cudaDevAttrComputeCapabilityMinor},
};

} // namespace

void addFacts(int index, const cudaDeviceProp& properties, CudaDevice& device)
{
    constexpr std::int64_t kKilo = 1000;
    device.bus = busOf(index);
    device.uuid = uuidOf(properties);
    auto& numbers = device.numbers;
    numbers = {{"isDiscrete", properties.integrated == 0 ? 1 : 0},
               {"totalMemory", static_cast<std::int64_t>(properties.totalGlobalMem)},
               {"cuDevice", index}};
    for (const Asked& asked : kAsked)
        numbers.emplace_back(asked.column, attribute(index, asked.attribute));
    const std::int64_t warp = attribute(index, cudaDevAttrWarpSize);
    if (warp > 0)
        numbers.emplace_back("maxWarpsPerSm",
                             attribute(index, cudaDevAttrMaxThreadsPerMultiProcessor) / warp);
    // Clocks are in kHz; memory transfers two words per cycle (double data rate).
    numbers.emplace_back("clockRate", attribute(index, cudaDevAttrClockRate) * kKilo);
    numbers.emplace_back("memoryBandwidth",
                         2 * attribute(index, cudaDevAttrMemoryClockRate) * kKilo
                             * attribute(index, cudaDevAttrGlobalMemoryBusWidth) / 8);
}

std::vector<std::vector<bool>> peerAccess(int devices)
{
    const std::size_t count = devices;
    std::vector<std::vector<bool>> access(count, std::vector<bool>(count));
    for (int from = 0; from < devices; ++from)
        for (int to = 0; to < devices; ++to)
            if (int can = 0;
                from != to && cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess && can != 0)
                access[from][to] = true;
    return access;
}

std::string moduleLoading()
{
    constexpr unsigned kSince = 11070;
    const auto ask
        = driverFunction<CUresult (*)(CUmoduleLoadingMode*)>("cuModuleGetLoadingMode", kSince);
    CUmoduleLoadingMode mode{};
    if (ask == nullptr || ask(&mode) != CUDA_SUCCESS)
        return {};
    return mode == CU_MODULE_LAZY_LOADING ? "lazy" : "eager";
}

std::string tf32State()
{
    const char* forced = std::getenv("NVIDIA_TF32_OVERRIDE");
    return forced != nullptr && std::string_view(forced) == "1" ? "on: NVIDIA_TF32_OVERRIDE is 1"
                                                                : "off";
}

} // namespace engine::cuda
