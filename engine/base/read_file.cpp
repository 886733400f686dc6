#include "engine/base/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace engine {

Result<std::string> readFile(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return fail(Error::Code::Io, path + " is a folder; name a file in it");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen(path.c_str(), "rb"), [](std::FILE* opened) { return std::fclose(opened); });
    if (!file)
        return fail(errno == ENOENT ? Error::Code::NotFound : Error::Code::Io,
                    fmt::format("cannot read {}: {}; check the path", path, std::strerror(errno)));
    std::string text;
    char block[1 << 16];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file.get()))
        text.append(block, got);
    if (std::ferror(file.get()) != 0)
        return fail(Error::Code::Io, fmt::format("cannot read all of {}; check the disk", path));
    return text;
}

} // namespace engine
