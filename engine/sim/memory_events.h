#pragma once

#include "engine/cost/model_prices.h"
#include "engine/schedule/check/stash.h"
#include "engine/timeline/timeline.h"

namespace engine {

// Where all-reduces sum: in the gradients, or in a buffer into which a device copies the gradients
// of two consecutive stages, as the code of BitPipe does (SyncPolicy::EagerBlocking).
enum class AllReduceMemory : std::uint8_t { InPlace, Flattened };

// The memory of a simulated run over time, as events like those of emulated runs: the bytes that
// stages hold for the whole run, the older weight versions of an asynchronous schedule, and every
// stash from its F to its B (or W). A stash in transfer counts on both devices. A recomputed stash
// has its reduced size from F to its RECOMPUTE or backward. The events are sorted by time; at equal
// times, frees come first.
std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const IdVector<StageId, StageBytes>& stages,
                                         AllReduceMemory allReduces = AllReduceMemory::InPlace);

// Bytes of one part (stash.h) of a stash of the stage, whole and while it is dropped. Rounded, so
// that the allocations and the frees of a stash have the same sum.
HeldParts partBytes(const StageBytes& stage, const Shape& shape);

} // namespace engine
