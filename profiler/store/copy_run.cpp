#include "profiler/store/copy_run.h"

#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/store/open_file.h"

#include <fmt/format.h>

namespace profiler {

using engine::Error;
using engine::fail;
using engine::Result;
namespace fs = std::filesystem;

Result<void> copyRun(const fs::path& from, const fs::path& to)
{
    auto open = TRY(openFile(from));
    auto file = TRY(engine::NewFile::beside(to, engine::IfExists::Replace, {{from}}));
    auto copy = open.database.prepare("VACUUM INTO ?");
    if (!copy || !copy->run(file.path().string()))
        return fail(Error::Code::Io,
                    fmt::format("{} cannot be written ({}): choose another folder", to.string(),
                                open.database.error().message));
    return file.publish();
}

} // namespace profiler
