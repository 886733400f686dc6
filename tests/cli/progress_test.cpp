#include "app/cli/commands/long_task.h"
#include "tests/cli/bscope.h"

#include <cstdio>
#include <functional>

using namespace cli_test;

namespace {

std::string errorsOf(const std::function<void()>& print)
{
    const Folder folder;
    const int before = dup(STDERR_FILENO);
    const int file = open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, STDERR_FILENO);
    print();
    std::fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(file);
    close(before);
    return readText(folder / "err");
}

} // namespace

// The bar remained in the first iteration, because the iterations of a stream are reported at its
// end.
TEST_CASE("the bar shows the iteration in which a stream is")
{
    const std::string printed = errorsOf([] {
        cli::Progress bar(cli::ProgressKind::Bar);
        engine::RunInfo info;
        info.plannedWarmup = 1;
        info.plannedIterations = 4;
        bar.started("run.sqlite", info);
        bar.ops({2, 5, 10, {}});
    });
    CHECK(contains(printed,
                   '[' + std::string(15, '#') + std::string(15, '.') + "] iteration 3 of 5"));
}
