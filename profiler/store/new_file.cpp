#include "profiler/store/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;
namespace fs = std::filesystem;

fs::path folderOf(const fs::path& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

Result<void> checkTarget(const fs::path& target, IfExists ifExists)
{
    const std::string name = target.string();
    const fs::path folder = folderOf(target);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return fail(Error::Code::Io,
                    fmt::format("cannot write {}: the folder {} does not exist; make it first",
                                name, folder.string()));
    if (fs::is_directory(target, ignored))
        return fail(Error::Code::Io,
                    fmt::format("cannot write {}: it is a folder; name a file in it", name));
    if (ifExists == IfExists::Refuse && fs::exists(fs::symlink_status(target, ignored)))
        return fail(
            Error::Code::Io,
            fmt::format("{} exists already: choose another name, or --force to replace it", name));
    if (access(folder.c_str(), W_OK) != 0)
        return fail(Error::Code::Io,
                    fmt::format("cannot write {}: the folder {} is not writable ({})", name,
                                folder.string(), std::generic_category().message(errno)));
    return {};
}

Result<void> sync(const fs::path& path, int flags)
{
    const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
    const bool ok = descriptor >= 0 && fsync(descriptor) == 0;
    const int why = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (!ok)
        return fail(Error::Code::Io,
                    fmt::format("cannot flush {} to disk ({}); check the disk", path.string(),
                                std::generic_category().message(why)));
    return {};
}

} // namespace

Result<NewFile> NewFile::beside(const fs::path& target, IfExists ifExists)
{
    if (auto ok = checkTarget(target, ifExists); !ok)
        return tl::unexpected(ok.error());
    return NewFile(target, ifExists);
}

NewFile::NewFile(fs::path target, IfExists ifExists)
    : m_target(std::move(target))
    , m_path(folderOf(m_target)
             / fmt::format(".{}.{}.part", m_target.filename().string(), getpid()))
    , m_ifExists(ifExists)
{
    std::error_code ignored;
    fs::remove(m_path, ignored); // of a killed process that had our number
}

NewFile::NewFile(NewFile&& other) noexcept
    : m_target(std::move(other.m_target))
    , m_path(std::exchange(other.m_path, {}))
    , m_ifExists(other.m_ifExists)
{ }

NewFile::~NewFile()
{
    if (m_path.empty())
        return;
    std::error_code ignored;
    for (const std::string_view suffix : {"", "-journal", "-wal", "-shm"})
        fs::remove(companion(m_path, suffix), ignored);
}

Result<void> NewFile::publish()
{
    // SQLite would replay what another run left behind into this one.
    std::error_code ignored;
    for (const std::string_view suffix : {"-journal", "-wal", "-shm"})
        fs::remove(companion(m_target, suffix), ignored);
    const unsigned flags = m_ifExists == IfExists::Refuse ? RENAME_NOREPLACE : 0U;
    int failed = renameat2(AT_FDCWD, m_path.c_str(), AT_FDCWD, m_target.c_str(), flags);
    if (failed != 0 && errno == EINVAL) // a file system that cannot refuse in one step
        failed = std::rename(m_path.c_str(), m_target.c_str());
    if (failed != 0)
        return fail(Error::Code::Io,
                    fmt::format("cannot write {} ({})", m_target.string(),
                                std::generic_category().message(errno)));
    m_path.clear();
    return {};
}

fs::path companion(const fs::path& file, std::string_view suffix)
{
    fs::path name = file;
    return name += suffix;
}

Result<void> syncToDisk(const fs::path& file)
{
    return sync(file, O_RDONLY).and_then([&] { return sync(folderOf(file), O_RDONLY); });
}

} // namespace profiler
