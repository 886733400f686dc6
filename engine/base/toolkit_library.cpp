#include "engine/base/toolkit_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace engine {
namespace {

namespace fs = std::filesystem;

// PYTHON/site-packages/nvidia/*/lib, where pip puts the toolkit's libraries.
void addWheels(const fs::path& python, std::vector<fs::path>& folders)
{
    std::error_code error;
    for (const char* packages : {"site-packages", "dist-packages"})
        for (fs::directory_iterator each(python / packages / "nvidia", error), end;
             !error && each != end; each.increment(error))
            folders.push_back(each->path() / "lib");
}

std::vector<fs::path> searchFolders()
{
    std::vector<fs::path> folders{""}; // the loader's own order
    if (const char* home = std::getenv("CUDA_HOME"); home != nullptr)
        folders.emplace_back(fs::path(home) / "lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    for (const char* root : {"/usr/lib", "/usr/local/lib"}) {
        std::error_code error;
        for (fs::directory_iterator each(root, error), end; !error && each != end;
             each.increment(error))
            if (each->path().filename().string().starts_with("python3"))
                addWheels(each->path(), folders);
    }
    return folders;
}

} // namespace

ToolkitLibrary::ToolkitLibrary(std::string name, const std::vector<std::string>& sonames)
    : m_name(std::move(name))
{
    static const std::vector<fs::path> kFolders = searchFolders();
    for (const fs::path& folder : kFolders)
        for (const std::string& soname : sonames) {
            m_file = (folder / soname).string();
            m_handle = dlopen(m_file.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (m_handle != nullptr)
                return;
        }
    m_file.clear();
}

void* ToolkitLibrary::find(const char* symbolName) const
{
    return m_handle == nullptr ? nullptr : dlsym(m_handle, symbolName);
}

} // namespace engine
