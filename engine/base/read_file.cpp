#include "engine/base/read_file.h"

#include "engine/base/try.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace engine {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Descriptor
{
    int number;
    ~Descriptor()
    {
        if (number >= 0)
            close(number);
    }
};

Result<void> checkIsFile(int descriptor, const std::string& path)
{
    struct stat status = {};
    fstat(descriptor, &status);
    if (S_ISDIR(status.st_mode))
        return fail(Error::Code::Io, path + " is a folder; name a file in it");
    if (!S_ISREG(status.st_mode))
        return fail(Error::Code::Io,
                    path + " is a device or a pipe, not a file; save its content in a file");
    return {};
}

} // namespace

Result<std::string> readFile(const std::string& path)
{
    // O_NONBLOCK, because opening a pipe would block until it has a writer.
    const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0)
        return fail(errno == ENOENT ? Error::Code::NotFound : Error::Code::Io,
                    fmt::format("cannot read {}: {}; check the path", path, std::strerror(errno)));
    TRY(checkIsFile(file.number, path));
    std::string text;
    char block[1 << 16];
    while (const ssize_t got = read(file.number, block, sizeof block)) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(Error::Code::Io, "cannot read all of {}: {}", path, std::strerror(errno));
        text.append(block, static_cast<std::size_t>(got));
        if (text.size() > kMostBytes)
            return fail(Error::Code::Io, path + " has more than 1 GiB; use a smaller file");
    }
    return text;
}

} // namespace engine
