#include "engine/backend/cuda_plugin.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlugin = "libbubblescope_cuda.so";

std::vector<fs::path> pluginFolders()
{
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("BUBBLESCOPE_PLUGINS"); chosen != nullptr)
        folders.emplace_back(chosen);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (!error) {
        folders.push_back(program);
        folders.push_back(program.parent_path() / "lib" / "bubblescope");
    }
    return folders;
}

std::string plugin()
{
    std::error_code ignored;
    for (const fs::path& folder : pluginFolders())
        if (fs::exists(folder / kPlugin, ignored))
            return (folder / kPlugin).string();
    return {};
}

CudaPlugin load()
{
    CudaPlugin found;
    found.file = plugin();
    if (found.file.empty()) {
        found.reason
            = fmt::format("this build has no CUDA plug-in ({}): install the CUDA toolkit 12.4 or "
                          "newer and build again",
                          kPlugin);
        return found;
    }
    found.library = dlopen(found.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found.library == nullptr)
        found.reason = fmt::format("the CUDA plug-in does not load: {}", dlerror());
    return found;
}

} // namespace

const CudaPlugin& cudaPlugin()
{
    static const CudaPlugin kFound = load();
    return kFound;
}

} // namespace engine
