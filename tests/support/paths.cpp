#include "tests/support/paths.h"

namespace tests {

std::string sourcePath(const std::string& below)
{
    return BS_SOURCE_DIR "/" + below;
}

std::string buildPath(const std::string& below)
{
    return BS_BUILD_DIR "/" + below;
}

} // namespace tests
