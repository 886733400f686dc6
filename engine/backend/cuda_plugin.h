#pragma once

#include <dlfcn.h>

#include <string>

namespace engine {

// The plug-in libbubblescope_cuda.so, which pluginFile() finds (plugin_file.h). It is loaded on
// first use and never unloaded.
struct CudaPlugin
{
    void* library = nullptr;
    std::string file;
    std::string reason; // why the plug-in is not available, one sentence

    template<class Function>
    Function symbol(const char* name) const
    {
        return reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: POSIX defines this cast
    }
};
const CudaPlugin& cudaPlugin();

} // namespace engine
