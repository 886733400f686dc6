#include "engine/backend/cuda_report.h"

#include "engine/backend/cuda_device.h"
#include "engine/base/version.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace engine {
namespace {

namespace fs = std::filesystem;

// The driver functions used here are declared by hand, because the toolkit with their header may be
// missing. CUresult is an int; 0 is success.
constexpr int kNoDevice = 100, kMismatch = 803, kNoCompatibility = 804;

struct Driver
{
    int (*init)(unsigned) = nullptr;
    int (*deviceCount)(int*) = nullptr;
    int (*version)(int*) = nullptr;
};

template<class Function>
Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: POSIX defines this cast
}

std::string versionText(int version) // 13000 -> "13.0"
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::optional<Driver> loadDriver()
{
    // Never unloaded, because drivers do not support it.
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr)
        return std::nullopt;
    Driver driver{symbol<int (*)(unsigned)>(library, "cuInit"),
                  symbol<int (*)(int*)>(library, "cuDeviceGetCount"),
                  symbol<int (*)(int*)>(library, "cuDriverGetVersion")};
    const bool whole
        = driver.init != nullptr && driver.deviceCount != nullptr && driver.version != nullptr;
    return whole ? std::optional(driver) : std::nullopt;
}

std::string whyNoDriver()
{
    std::error_code ignored;
    return fs::exists("/dev/nvidia0", ignored)
        ? "an NVIDIA device exists, but libcuda.so.1 was not found: install the driver's package "
          "libcuda1, or start the container with --gpus all"
        : "no NVIDIA driver (libcuda.so.1 was not found)";
}

std::string hiddenDevices()
{
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible == nullptr ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES is set to '{}')", visible);
}

std::string whyNoDevice(int status)
{
    if (status == 0 || status == kNoDevice)
        return "the NVIDIA driver finds no device" + hiddenDevices();
    if (status == kMismatch)
        return "the versions of the NVIDIA driver's library and kernel module differ: reboot, or "
               "reload the module";
    if (status == kNoCompatibility)
        return "the NVIDIA driver is too old for the CUDA compatibility package: remove "
               "cuda-compat, or update the driver";
    return fmt::format("the NVIDIA driver does not start (CUDA error {}): see nvidia-smi", status);
}

// Also sets CudaReport::driver.
std::string askDriver(CudaReport& report)
{
    const auto driver = loadDriver();
    if (!driver)
        return whyNoDriver();
    if (int version = 0; driver->version(&version) == 0)
        report.driver = versionText(version);
    int status = driver->init(0), count = 0;
    if (status == 0)
        status = driver->deviceCount(&count);
    return status == 0 && count > 0 ? "" : whyNoDevice(status);
}

std::string askPlugin(CudaReport& report)
{
    const CudaPlugin& plugin = cudaPlugin();
    if (plugin.library == nullptr)
        return plugin.reason;
    const auto fill = plugin.symbol<CudaReportFunction>(kCudaReportSymbol);
    if (fill == nullptr)
        return plugin.file + " is not a Bubblescope plug-in: remove it";
    const std::string ours(buildId());
    const std::string theirs = fill(ours.c_str(), &report);
    return ours == theirs
        ? ""
        : fmt::format("{} is build {}, but this program is build {}: build both together",
                      plugin.file, theirs, ours);
}

} // namespace

CudaReport cudaReport()
{
    CudaReport report;
    report.reason = askDriver(report);
    const std::string plugin = askPlugin(report);
    if (report.reason.empty())
        report.reason = plugin;
    return report;
}

} // namespace engine
