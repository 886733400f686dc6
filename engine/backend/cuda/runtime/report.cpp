#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/backend/cuda/runtime/partition.h"
#include "engine/backend/cuda/runtime/tensor_attention.h"
#include "engine/backend/cuda_report.h"
#include "engine/base/toolkit_library.h"
#include "engine/base/version.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

// Fills the report of cuda_report.h. Devices are queried with the static CUDA runtime, libraries
// with dlopen(). Creates no context.
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

// As nvidia-smi writes it, without "GPU-": 8-4-4-4-12 digits.
std::string uuidOf(const cudaDeviceProp& properties)
{
    std::string text;
    for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i)
        text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                            static_cast<unsigned char>(properties.uuid.bytes[i]));
    return text;
}

struct Attribute
{
    const char* column;
    cudaDeviceAttr attribute;
};
constexpr Attribute kAttributes[] = {
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

// Adds bus id, UUID and attributes of a device. Creates no context.
void addFacts(int index, const cudaDeviceProp& properties, CudaDevice& device)
{
    constexpr std::int64_t kKilo = 1000;
    device.bus = busOf(index);
    device.uuid = uuidOf(properties);
    auto& numbers = device.numbers;
    numbers = {{"isDiscrete", properties.integrated == 0 ? 1 : 0},
               {"totalMemory", static_cast<std::int64_t>(properties.totalGlobalMem)},
               {"cuDevice", index}};
    for (const Attribute& asked : kAttributes)
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

// [from][to]: whether GPU `from` can access the memory of GPU `to`.
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

// The plug-in does not request tf32 for fp32 products (blas_lt.cpp), but an environment variable
// can force it.
std::string tf32State()
{
    const char* forced = std::getenv("NVIDIA_TF32_OVERRIDE");
    return forced != nullptr && std::string_view(forced) == "1" ? "on: NVIDIA_TF32_OVERRIDE is 1"
                                                                : "off";
}

std::string dotted(int version) // 13000 -> "13.0"
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// A library and the function that reports its version: `symbol` either returns the version
// (`returnsIt`) or writes it to an int.
struct Asked
{
    const char* name;
    std::vector<std::string> sonames;
    const char* symbol;
    bool returnsIt;
    std::string (*text)(long long version);
};

std::string threePartText(long long v) // 130100 -> 13.1.0
{
    return fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100);
}
std::string plainText(long long v)
{
    return std::to_string(v);
}

const std::vector<Asked>& askedLibraries()
{
    static const std::vector<Asked> kLibraries{
        {"cuBLASLt",
         {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
         "cublasLtGetVersion",
         true,
         threePartText},
        {"NCCL", {"libnccl.so.2", "libnccl.so"}, "ncclGetVersion", false, threePartText},
        {"CUPTI",
         {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
         "cuptiGetVersion",
         false,
         plainText},
    };
    return kLibraries;
}

long long versionOf(const ToolkitLibrary& library, const Asked& asked)
{
    if (asked.returnsIt) {
        const auto ask = library.symbol<std::size_t (*)()>(asked.symbol);
        return ask == nullptr ? 0 : static_cast<long long>(ask());
    }
    const auto ask = library.symbol<int (*)(int*)>(asked.symbol);
    int version = 0;
    return ask != nullptr && ask(&version) == 0 ? version : 0;
}

CudaLibrary lookFor(const Asked& asked)
{
    const ToolkitLibrary library(asked.name, asked.sonames);
    CudaLibrary found{asked.name, {}, library.file(), {}};
    if (!library)
        found.reason = fmt::format("{} was not found: install it with the CUDA toolkit, or set "
                                   "CUDA_HOME",
                                   asked.sonames.front());
    else if (const long long version = versionOf(library, asked); version > 0)
        found.version = asked.text(version);
    else
        found.reason = fmt::format("{} does not report its version: install it again", found.file);
    return found;
}

// Finds NCCL, and checks that it has all functions that the plug-in calls.
CudaLibrary lookForNccl(const Asked& asked)
{
    CudaLibrary found = lookFor(asked);
    if (std::string reason; !found.version.empty() && ncclFunctions(&reason) == nullptr) {
        found.reason = fmt::format("{} was found, but is not used: {}", found.version, reason);
        found.version.clear();
    }
    return found;
}

CudaLibrary lookForNvml()
{
    const ToolkitLibrary library("NVML", {"libnvidia-ml.so.1"});
    CudaLibrary found{library.name(), {}, library.file(), {}};
    const auto start = library.symbol<int (*)()>("nvmlInit_v2");
    const auto version = library.symbol<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    char text[96] = {};
    if (!library)
        found.reason = "libnvidia-ml.so.1 was not found: it comes with the NVIDIA driver";
    else if (start != nullptr && version != nullptr && start() == 0
             && version(text, sizeof text) == 0)
        found.version = text;
    else
        found.reason = "NVML cannot be started: no NVIDIA driver responds";
    return found;
}

CudaDevice describe(int index, const cudaDeviceProp& properties)
{
    CudaDevice device;
    device.name = properties.name;
    device.major = properties.major;
    device.minor = properties.minor;
    device.multiprocessors = properties.multiProcessorCount;
    device.partition = smallestPartition(index);
    device.memory = properties.totalGlobalMem;
    addFacts(index, properties, device);
    device.fallback = lackOfTensorCores(properties.sharedMemPerBlockOptin);
    return device;
}

void fill(CudaReport& report)
{
    if (int version = 0; cudaRuntimeGetVersion(&version) == cudaSuccess)
        report.runtime = dotted(version);
    for (const Asked& asked : askedLibraries())
        report.libraries.push_back(std::string_view(asked.name) == "NCCL" ? lookForNccl(asked)
                                                                          : lookFor(asked));
    report.libraries.push_back(lookForNvml());
    report.tf32 = tf32State();
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
        if (report.reason.empty())
            report.reason = fmt::format("the CUDA runtime {} cannot be started: {}", report.runtime,
                                        cudaGetErrorString(status));
        return;
    }
    for (int i = 0; i < count; ++i)
        if (cudaDeviceProp properties{}; cudaGetDeviceProperties(&properties, i) == cudaSuccess)
            report.devices.push_back(describe(i, properties));
    report.peers = peerAccess(static_cast<int>(report.devices.size()));
    report.moduleLoading = moduleLoading();
}

} // namespace

} // namespace engine::cuda

extern "C" __attribute__((visibility("default"))) const char*
bubblescope_cuda_report(const char* buildId, engine::CudaReport* report) // NOLINT: C symbol
{
    static const std::string kBuild(engine::buildId());
    if (kBuild == buildId)
        engine::cuda::fill(*report);
    return kBuild.c_str();
}
