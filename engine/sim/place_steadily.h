#pragma once

#include "engine/sim/placer_run.h"

#include <memory>

namespace engine::sim {

// Places an iteration with recorders made by `fresh`. All-reduces slow compute down, which changes
// the times of the all-reduces, so the iteration is placed repeatedly until these times no longer
// change. Every pass corrects at least the earliest all-reduce with a wrong time, so this
// terminates.
template<class Recorder, class Costs, class Fresh>
Result<Window> placeSteadily(Placement<Costs> placement, std::unique_ptr<Recorder>& recorder,
                             Fresh fresh)
{
    const std::size_t devices = placement.schedule.program.size();
    const bool slows = placement.rules.slowDown != Fraction{1};
    SlowWindows slow(devices);
    for (;;) {
        recorder.reset(); // discards the old spans before the next recorder is created
        recorder = fresh();
        placement.slow = slows ? &slow : nullptr;
        auto window = Placer(placement, *recorder).place();
        if (!window || !slows)
            return window;
        auto windows = recorder->allReduceWindows(devices);
        if (windows == slow)
            return window;
        slow = std::move(windows);
    }
}

} // namespace engine::sim
