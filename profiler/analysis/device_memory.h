#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/measure.h"

#include <optional>
#include <string>

namespace profiler {

// The memory of a device of the run: that of the assumed hardware, the one requested with
// --device-memory or, if every device had a separate GPU, of the smallest GPU. Unknown otherwise.
engine::MemoryCapacity deviceMemory(const engine::Run& run);

// Whether the largest peak memory of a device fits in the memory of one.
struct DeviceFit
{
    engine::MemoryCapacity memory;
    std::optional<engine::Bytes> peak;

    bool isKnown() const { return memory.isKnown() && peak.has_value(); }
    engine::Bytes left() const { return memory.left(static_cast<double>(*peak)); }
    bool fits() const { return !isKnown() || left() >= 0; } // also if it is not known
    std::string text() const;                               // "fits", "3.0 GiB too much", "-"
    Reading reading() const { return isKnown() ? Reading(fits()) : Reading(); }
};

// The memory of a device, its usable part and the reserve, for JSON.
Reading::Fields memoryData(const engine::MemoryCapacity& memory);

} // namespace profiler
