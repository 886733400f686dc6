#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <vector>

namespace app {

// The memory of a device over time, as steps, in bytes or, if no memory was recorded, in M_a. Each
// step has three levels: the base (weights, gradients, optimizer state, buffers), the base plus the
// device's own stash, and the total, which adds the stashes of a BPipe partner.
class MemorySeries
{
public:
    struct Level
    {
        double base = 0, own = 0, total = 0; // each includes the previous one
    };

    struct Change
    {
        double base = 0, stash = 0, guest = 0;
    };
    void add(std::int64_t time, Change change); // in time order
    void close();                               // call after the last add()

    bool isEmpty() const { return m_times.empty(); }
    // Queries columns with ascending starts and ends; each search starts at the previous result.
    // The series must outlive the sweep.
    class Sweep
    {
    public:
        explicit Sweep(const MemorySeries& series)
            : m_series(&series)
        { }
        // Maximum over [begin, end), including the level at `begin`.
        Level highest(double begin, double end);

    private:
        const MemorySeries* m_series;
        // The numbers of events up to the start and up to the end of the last query.
        std::size_t m_begun = 0, m_ended = 0;
    };

    Level at(double time) const; // level after all events up to `time`
    Level highest(double begin, double end) const { return Sweep(*this).highest(begin, end); }
    double peak() const { return m_peak; }
    // First time at which the total is highest.
    std::int64_t timeOfPeak(engine::Window window) const;

private:
    static constexpr std::size_t kBlock = 64;
    // The number of events up to `time`; `from` is a lower bound.
    std::size_t countUpTo(double time, std::size_t from = 0) const;

    std::vector<std::int64_t> m_times;
    std::vector<Level> m_levels; // m_levels[i]: level from m_times[i] on
    std::vector<Level> m_blocks; // m_blocks[k]: maximum over the kBlock levels from k * kBlock on
    double m_peak = 0;
};

// Whether the run allocated memory of a category.
using RecordedCategories
    = engine::EnumArray<engine::MemoryCategory, bool, engine::kMemoryCategories>;
RecordedCategories recordedCategories(const engine::Run& run);
// Returns the memory of each device, from the memory events of the run.
engine::IdVector<engine::DeviceId, MemorySeries> recordedMemory(const engine::Run& run);
// Returns the stash of each device in M_a (the activations of one micro-batch on a device) from the
// compute spans. An activation counts from the start of its F to the end of its B, or of its W if
// the backward is split; at equal times frees come first.
engine::IdVector<engine::DeviceId, MemorySeries> stashFromSpans(const engine::Run& run);

} // namespace app
