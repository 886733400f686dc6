#include "engine/base/available_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace engine {
namespace {

namespace fs = std::filesystem;

// Files of the memory controller in version 2 and 1 of control groups. The usage of a group
// includes its inactive page cache, which the kernel can reclaim.
struct Hierarchy
{
    std::string_view controller, folder, limit, usage, inactive;
};
constexpr std::array<Hierarchy, 2> kHierarchies{
    {{"", "", "memory.max", "memory.current", "inactive_file "},
     {"memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
      "total_inactive_file "}}};

// The number in the first line that begins with `key`; nullopt if it is no number ("max").
std::optional<Bytes> numberIn(const fs::path& file, std::string_view key = {})
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key)) {
            const auto digits = std::min(line.find_first_of("0123456789", key.size()), line.size());
            Bytes number = 0;
            const auto read
                = std::from_chars(line.data() + digits, line.data() + line.size(), number);
            return read.ec == std::errc() ? std::optional(number) : std::nullopt;
        }
    return std::nullopt;
}

// In a container, `group` may be a path on the host; then only the root exists.
Bytes freeIn(const fs::path& root, const Hierarchy& files, fs::path group)
{
    Bytes least = std::numeric_limits<Bytes>::max();
    for (;; group = group.parent_path()) {
        const fs::path folder = root / files.folder / group.relative_path();
        if (const auto limit = numberIn(folder / files.limit)) {
            const Bytes used = numberIn(folder / files.usage).value_or(0)
                - numberIn(folder / "memory.stat", files.inactive).value_or(0);
            least = std::min(least, *limit - std::max(used, Bytes{0}));
        }
        if (!group.has_relative_path())
            return least;
    }
}

} // namespace

Bytes availableMemory(const fs::path& proc, const fs::path& cgroups)
{
    constexpr Bytes kUnlimited = std::numeric_limits<Bytes>::max();
    const auto kibibytes = numberIn(proc / "meminfo", "MemAvailable:");
    Bytes least = kibibytes ? *kibibytes * 1024 : kUnlimited;
    std::ifstream groups(proc / "self/cgroup"); // NUMBER:CONTROLLER:GROUP
    for (std::string number, controller, group; std::getline(groups, number, ':')
         && std::getline(groups, controller, ':') && std::getline(groups, group);)
        for (const Hierarchy& files : kHierarchies)
            if (controller == files.controller)
                least = std::min(least, freeIn(cgroups, files, group));
    return least == kUnlimited ? 0 : std::max(least, Bytes{1});
}

} // namespace engine
