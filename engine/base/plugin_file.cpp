#include "engine/base/plugin_file.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace engine {
namespace {

namespace fs = std::filesystem;

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

} // namespace

std::string pluginFile(const std::string& name)
{
    std::error_code ignored;
    for (const fs::path& folder : pluginFolders())
        if (fs::exists(folder / name, ignored))
            return (folder / name).string();
    return {};
}

} // namespace engine
