#include "engine/backend/cuda_plugin.h"

#include "engine/base/plugin_file.h"

#include <fmt/format.h>

namespace engine {
namespace {

constexpr const char* kPlugin = "libbubblescope_cuda.so";

CudaPlugin load()
{
    CudaPlugin found;
    found.file = pluginFile(kPlugin);
    if (found.file.empty()) {
        found.reason
            = fmt::format("this build has no CUDA plug-in ({}): install the CUDA toolkit 12.4 or "
                          "newer and build again",
                          kPlugin);
        return found;
    }
    found.library = dlopen(found.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found.library == nullptr)
        found.reason = fmt::format("the CUDA plug-in cannot be loaded: {}", dlerror());
    return found;
}

} // namespace

const CudaPlugin& cudaPlugin()
{
    static const CudaPlugin kFound = load();
    return kFound;
}

} // namespace engine
