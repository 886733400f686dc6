#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <functional>
#include <string_view>
#include <vector>

namespace profiler {

// A kernel of NCCL runs from when its own rank comes until the data is through, so that its window
// holds the wait for the others and the transfer.
struct NcclSplit
{
    enum class By : std::uint8_t {
        Ranks, // the transfer begins when the last rank's kernel has begun
        Link,  // a rank's kernel is missing; the transfer takes what the link needs for it
        None,  // neither is known: nothing is called waiting
    };

    std::size_t kernel = 0;        // GpuTrace::kernels
    engine::Window wait, transfer; // one behind the other: the kernel's window
    By by = By::None;

    friend bool operator==(const NcclSplit&, const NcclSplit&) = default;
};

// What a message or a sum takes on its link when nobody waits, in ns of the timeline; 0: not known.
using LinkTime = std::function<std::int64_t(const engine::Op&)>;

// Of every kernel of NCCL whose op is known, in the order of the trace. The ranks of a message are
// its two ends, those of a sum all devices that sum the same stage in the same iteration. All times
// are of one clock, and the GPUs' agree to some microseconds: a split is as good as that.
std::vector<NcclSplit> splitNccl(const engine::GpuTrace& trace, const engine::Schedule& schedule,
                                 const LinkTime& linkTime = {});

} // namespace profiler
