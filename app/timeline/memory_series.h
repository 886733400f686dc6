#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <vector>

namespace app {

// What a device holds over time, as steps: the base (weights, gradients, optimizer state, buffers)
// and all of it (with the stash). Bytes, or M_a where no memory was recorded.
class MemorySeries
{
public:
    struct Level
    {
        double base = 0, total = 0;
    };

    void add(std::int64_t time, double base, double stash); // changes, in time order
    void close();                                           // no more will come

    bool isEmpty() const { return m_times.empty(); }
    Level at(double time) const;                   // after the events up to `time`
    Level highest(double begin, double end) const; // of a pixel column; with the level at begin
    double peak() const { return m_peak; }
    std::int64_t timeOfPeak(engine::Window window) const; // first time of the highest total in it

private:
    static constexpr std::size_t kBlock = 64;
    std::size_t countUpTo(double time) const;

    std::vector<std::int64_t> m_times;
    std::vector<Level> m_levels; // from m_times[i] on
    std::vector<Level> m_blocks; // highest of 64 levels
    double m_peak = 0;
};

// [device], from the memory events of the run.
std::vector<MemorySeries> recordedMemory(const engine::Run& run);
// [device], the stash in M_a (what one micro-batch leaves on a device) from the compute spans:
// whole from the start of F to the end of its B, or of its W; at equal times frees come first.
std::vector<MemorySeries> stashFromSpans(const engine::Run& run);

} // namespace app
