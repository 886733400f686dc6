#include "app/cli/commands/command.h"

#include <array>

namespace cli {
namespace {

// The commands of bscope_first, with which packaging/quickstart.sh draws its first picture.
constexpr std::array kFirst{
    Command{"run", "Train with a scheme and record the run", prepareRun},
    Command{"compare", "Compare two or more runs in one table", prepareCompare},
};

} // namespace

std::span<const Command> commands()
{
    return kFirst;
}

} // namespace cli
