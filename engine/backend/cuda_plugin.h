#pragma once

#include <dlfcn.h>

#include <string>

namespace engine {

// libbubblescope_cuda.so, looked for when it is first wanted: beside the program, in
// ../lib/bubblescope, or in $BUBBLESCOPE_PLUGINS. It stays loaded.
struct CudaPlugin
{
    void* library = nullptr;
    std::string file;
    std::string reason; // one sentence where there is none

    template<class Function>
    Function symbol(const char* name) const
    {
        return reinterpret_cast<Function>(dlsym(library, name)); // NOLINT: POSIX defines this cast
    }
};
const CudaPlugin& cudaPlugin();

} // namespace engine
