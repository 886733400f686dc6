#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <functional>
#include <string_view>
#include <vector>

namespace profiler {

// An NCCL kernel starts when its own rank is ready and ends when the data has arrived, so its
// window includes waiting for other ranks.
struct NcclSplit
{
    enum class By : std::uint8_t {
        Ranks, // the transfer begins when the last rank's kernel has started
        Link,  // the kernel of a rank is missing; the transfer takes the time of the link
        None,  // unknown: nothing counts as waiting
    };

    std::size_t kernel = 0;        // GpuTrace::kernels
    engine::Window wait, transfer; // consecutive parts of the kernel's window
    By by = By::None;

    friend bool operator==(const NcclSplit&, const NcclSplit&) = default;
};

// Time of a message or an all-reduce on its link without waiting, in ns of the timeline; 0:
// unknown.
using LinkTime = std::function<std::int64_t(const engine::Op&)>;

// Splits every NCCL kernel of a known op, in the order of the trace. The ranks of a message are
// its two ends, those of an all-reduce all devices of the same stage and iteration. GPU clocks
// agree within microseconds, which limits the accuracy.
std::vector<NcclSplit> splitNccl(const engine::GpuTrace& trace, const engine::Schedule& schedule,
                                 const LinkTime& linkTime = {});

} // namespace profiler
