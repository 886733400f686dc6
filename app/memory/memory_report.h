#pragma once

#include "app/timeline/view/run_view.h"
#include "app/ui/numbers.h"
#include "profiler/analysis/alive.h"

#include <optional>
#include <vector>

namespace app {

// The memory of all devices during one iteration, as the Memory page shows it.
struct MemoryReport
{
    enum class Order : int { Devices, Pairs };

    RunPointer run;
    int iteration = -1;
    engine::Window window;
    engine::IdVector<engine::DeviceId, profiler::MemorySteps> steps;
    engine::IdVector<engine::DeviceId, std::optional<profiler::MemoryPartner>> partners;
    engine::MemoryCapacity memory;
    std::optional<std::int64_t> limit; // usable part of `memory`, if it is known
    // The end of the memory axis in bytes: `limit` if it exceeds the peaks and isInSight(),
    // otherwise the largest peak, rounded up. The peaks include those that the devices would have
    // if no stash moved between them.
    std::int64_t highest = 0;
    Scale time, bytes;

    bool isEmpty() const;
    bool hasBytes() const { return !run->timeline.memory.empty(); } // otherwise stashReport()
    std::int64_t stash(engine::DeviceId device) const; // the largest, with those of its partner
    bool isLimitInSight() const { return limit && *limit <= highest; } // whether the axis shows it
    // Whether the bytes are computed from a model, because the run is a simulation.
    bool isPredicted() const;
    bool hasPairs() const;  // whether stashes move, between two devices or to the host
    bool hasGuests() const; // whether a device holds stashes of another
    // Returns the devices row by row. Order::Pairs has rows of two columns: evictors on the left,
    // their partners on the right.
    std::vector<engine::DeviceId> order(Order order) const;
    // "evicts to 7", "accepts from 0"; "" if the device has no partner.
    QString role(engine::DeviceId device) const;
    double shareOf(std::int64_t when) const; // share of the iteration: 0 at its start, 1 at its end
    std::int64_t timeAt(double share) const;
    QString at(std::int64_t when) const; // time since the start of the iteration: "44.9"
    QString amount(std::int64_t of) const { return bytes.text(static_cast<double>(of)); }
};
MemoryReport memoryReport(const RunPointer& run, int iteration); // empty without bytes
// The stash of every device in thousandths of M_a, for a run without recorded memory.
MemoryReport stashReport(const RunView& view, int iteration);
QString memoryKindName(profiler::MemoryKind kind); // "optimizer state"

} // namespace app
