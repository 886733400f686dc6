// A libcuda.so.1 whose answers tests configure (FAKE_CUDA_STATUS, FAKE_CUDA_DEVICES): how
// `bscope devices` speaks of drivers that this machine does not have.
#include <cstdlib>

namespace {
int setting(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? 0 : std::atoi(value);
}
} // namespace

extern "C" {
__attribute__((visibility("default"))) int cuInit(unsigned)
{
    return setting("FAKE_CUDA_STATUS");
}

__attribute__((visibility("default"))) int cuDeviceGetCount(int* count)
{
    *count = setting("FAKE_CUDA_DEVICES");
    return 0;
}

__attribute__((visibility("default"))) int cuDriverGetVersion(int* version)
{
    *version = 12040;
    return 0;
}
}
