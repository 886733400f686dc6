#include "engine/base/toolkit_library.h"

#include "engine/base/process.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace engine {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 8;

// Adds the folders PYTHON/site-packages/nvidia/*/lib, where pip installs the toolkit's libraries.
void addWheels(const fs::path& python, std::vector<fs::path>& folders)
{
    std::error_code error;
    for (const char* packages : {"site-packages", "dist-packages"})
        for (fs::directory_iterator each(python / packages / "nvidia", error), end;
             !error && each != end; each.increment(error))
            folders.push_back(each->path() / "lib");
}

// Adds the wheel folders of every Python 3 below `root`.
void addWheelsBelow(const fs::path& root, std::vector<fs::path>& folders)
{
    std::error_code error;
    for (fs::directory_iterator each(root, error), end; !error && each != end;
         each.increment(error))
        if (each->path().filename().string().starts_with("python3"))
            addWheels(each->path(), folders);
}

// Adds the wheel folders of each python3 on the PATH. Such a python3 may be a link to the python3
// of a virtual environment, which itself is a link to the system's python3. pip installs into the
// environment, so the folders of every link in the chain are searched.
void addWheelsOnPath(std::vector<fs::path>& folders)
{
    const char* path = std::getenv("PATH");
    std::istringstream all(path == nullptr ? "" : path);
    for (std::string folder; std::getline(all, folder, ':');) {
        std::error_code error;
        fs::path python = fs::path(folder) / "python3";
        if (!python.is_absolute() || !fs::exists(python, error))
            continue; // skips relative folders, which another user may control
        for (int links = 0; links < kMostLinks; ++links) {
            addWheelsBelow(python.parent_path().parent_path() / "lib", folders);
            const fs::path target = fs::read_symlink(python, error);
            if (error)
                break;
            python = python.parent_path() / target; // an absolute target replaces the path
        }
    }
}

std::vector<fs::path> searchFolders()
{
    std::vector<fs::path> folders{""}; // the loader's search path
    if (const char* home = std::getenv("CUDA_HOME");
        home != nullptr && fs::path(home).is_absolute())
        folders.emplace_back(fs::path(home) / "lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    folders.emplace_back("/usr/local/cuda/extras/CUPTI/lib64");
    addWheelsOnPath(folders);
    for (const char* root : {"/usr/lib", "/usr/local/lib"})
        addWheelsBelow(root, folders);
    return folders;
}

namespace fs = std::filesystem;

std::vector<fs::path> pluginFolders()
{
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("BUBBLESCOPE_PLUGINS"); chosen != nullptr)
        folders.emplace_back(chosen);
    if (const fs::path program = programFolder(); !program.empty()) {
        folders.push_back(program);
        folders.push_back(program.parent_path() / "lib" / "bubblescope");
    }
    return folders;
}

} // namespace

ToolkitLibrary::ToolkitLibrary(std::string name, const std::vector<std::string>& sonames)
    : m_name(std::move(name))
{
    for (const fs::path& folder : searchFolders())
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

std::string pluginFile(const std::string& name)
{
    std::error_code ignored;
    for (const fs::path& folder : pluginFolders())
        if (fs::exists(folder / name, ignored))
            return (folder / name).string();
    return {};
}

} // namespace engine
