#pragma once

#include "engine/sim/placer_run.h"

#include <memory>

namespace engine::sim {

// Places an iteration with a recorder made by `fresh`. The slow-down by all-reduces depends on when
// they run, and when they run depends on the slow-down, so the iteration is placed repeatedly until
// the all-reduces no longer move. Every pass corrects at least the earliest wrong all-reduce, so
// this terminates.
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
