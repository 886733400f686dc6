#pragma once

#include "engine/exec/accumulate.h"
#include "engine/model/pipeline_model.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <array>

namespace engine {

// What a schedule will need, known before it runs: from the order of the ops alone, never from when
// they run.
struct DeviceMemoryPlan
{
    std::array<Bytes, kMemoryCategories> fixed{}; // for the whole run
    Bytes stashPeak = 0;                          // most that is alive at once
    Bytes stashReserved = 0; // laid out: slots of each stage, whole micro-batches
};

struct MemoryPlan
{
    std::vector<DeviceMemoryPlan> devices;
    std::vector<std::vector<int>> stashSlots; // [replica][stage]: most micro-batches in flight
    Bytes message = 0;                        // one boundary tensor

    double total() const; // bytes of all devices, two messages for each stash slot included
};

struct MemoryPlanInput
{
    const Schedule& lowered;
    const PipelineModel<float>& model;
    Accumulate accumulate = Accumulate::Float;
    Bytes tokenBytes = 0; // of an iteration, on the devices of the first and the last stage
};
MemoryPlan planMemory(const MemoryPlanInput& input);

// What the record of so many iterations keeps in memory while it grows, bytes: of every op its
// span, its measured time and two memory events.
double recordBytes(std::size_t ops, std::int64_t iterations);

constexpr Bytes floatBytes(std::size_t numbers)
{
    return static_cast<Bytes>(numbers * sizeof(float));
}
Bytes stashBytes(const PipelineModel<float>& model, StageId stage);
std::size_t messageNumbers(const PipelineModel<float>& model); // of the largest boundary tensor

} // namespace engine
