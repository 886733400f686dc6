#include "app/cli/cli.h"
#include "engine/base/hidden_file.h"
#include "engine/base/process.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {
// CLI11 looks up options in noexcept functions that allocate, so that a lack of memory does not
// reach the handlers of runBscope().
[[noreturn]] void endAtLimit()
{
    try {
        if (const auto error = std::current_exception())
            std::rethrow_exception(error);
    } catch (const std::exception& error) {
        if (const auto limit = engine::limitReached(error)) {
            std::fprintf(stderr, "bscope: %s\n", limit->c_str());
            engine::removeHiddenFiles();
            std::_Exit(EXIT_FAILURE);
        }
    } catch (...) { }
    std::abort();
}
} // namespace

int main(int argc, char** argv)
{
    engine::prepareProcess();
    std::set_terminate(endAtLimit);
    return cli::runBscope(argc, argv);
}
