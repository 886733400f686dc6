#pragma once

#include "engine/sim/placer_run.h"

#include <memory>

namespace engine::sim {

// Places an iteration, told to the recorder that `fresh` makes. What an all-reduce slows down
// depends on when it runs, and that on what is slowed down: the iteration is placed again until the
// all-reduces stand still. Every pass gets at least the earliest right that the one before had
// wrong, so this ends.
template<class Recorder, class Costs, class Fresh>
Result<Window> placeSteadily(Placement<Costs> placement, std::unique_ptr<Recorder>& recorder,
                             Fresh fresh)
{
    const std::size_t devices = placement.schedule.program.size();
    const bool slows = placement.rules.slowDown != Fraction{1};
    SlowWindows slow(devices);
    for (;;) {
        recorder.reset(); // before the next one: it takes back what it has written
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
