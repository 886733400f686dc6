#include "engine/exec/check_runnable.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {
namespace {

// What this version cannot train with; nothing where it can.
std::string_view obstacle(const Op& op)
{
    if (op.version != 0)
        return "uses a weight version of its own";
    return {};
}

} // namespace

Result<void> checkRunnable(const Schedule& lowered)
{
    if (lowered.shape.dataParallel > 1)
        return fail(Error::Code::Unsupported,
                    "this version trains with data-parallel width 1: use --data-parallel 1, or "
                    "simulate");
    for (std::size_t d = 0; d < lowered.program.size(); ++d)
        for (std::size_t i = 0; i < lowered.program[d].size(); ++i) {
            const Op& op = lowered.program[d][i];
            if (const std::string_view why = obstacle(op); !why.empty())
                return fail(Error::Code::Unsupported,
                            fmt::format("device {}, index {}: {} {}, which this version cannot "
                                        "train with; simulate the schedule instead",
                                        d, i, toString(op), why));
        }
    return {};
}

} // namespace engine
