#include "engine/exec/check_runnable.h"

#include "engine/schedule/weight_versions.h"

namespace engine {

Result<void> checkRunnable(const Schedule& lowered)
{
    if (isAsynchronous(lowered))
        return fail(Error::Code::Unsupported,
                    "the schedule is asynchronous: it updates the weights while the pipeline runs, "
                    "and this version trains with one update per iteration; simulate it, or train "
                    "with 1f1b, which has the same order");
    if (lowered.shape.dataParallel > 1)
        return fail(Error::Code::Unsupported,
                    "this version trains with data-parallel width 1: use --data-parallel 1, or "
                    "simulate");
    return {};
}

} // namespace engine
