#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "profiler/analysis/tensors/alive.h"

#include <optional>
#include <vector>

namespace app {

// The memory of one iteration, as the Memory page shows it.
struct MemoryReport
{
    enum class Order : int { Devices, Pairs };

    RunPointer run;
    int iteration = -1;
    engine::Window window;
    engine::IdVector<engine::DeviceId, profiler::MemorySteps> steps;
    engine::IdVector<engine::DeviceId, std::optional<profiler::MemoryPartner>> partners;
    std::optional<std::int64_t> limit; // memory limit that the run set for each device
    // The end of the memory axis: the largest of `limit` and all peaks, with and without the moves
    // of stashes. Rounded up if a peak exceeds `limit`.
    std::int64_t highest = 0;
    Scale time, bytes;

    bool isEmpty() const;     // the run has no bytes
    bool isPredicted() const; // the run is a simulation; the bytes are those of a model
    bool hasPairs() const;
    // Returns the devices row by row. Order::Pairs has rows of two columns: evictors on the left,
    // their partners on the right.
    std::vector<engine::DeviceId> order(Order order) const;
    QString role(engine::DeviceId device) const; // "evicts to 7", "guests of 0"; "" without partner
    double shareOf(std::int64_t when) const; // of the iteration, 0 at its start and 1 at its end
    std::int64_t timeAt(double share) const;
    QString at(std::int64_t when) const; // since the start of the iteration: "44.9"
    QString amount(std::int64_t of) const { return bytes.text(static_cast<double>(of)); }
};
MemoryReport memoryReport(const RunPointer& run, int iteration);
// The capacity of a device in bytes: as requested for the run, otherwise of the simulated hardware
// or of the smallest GPU, if every device had its own. nullopt: unknown.
std::optional<std::int64_t> deviceLimit(const engine::Run& run);
QString memoryKindName(profiler::MemoryKind kind); // "optimizer state"

} // namespace app
