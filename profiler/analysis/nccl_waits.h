#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <functional>
#include <string_view>
#include <vector>

namespace profiler {

// The two parts of an NCCL kernel's window: the wait for other ranks, and the transfer. The kernel
// starts when its own rank is ready and ends when the data has arrived.
struct NcclSplit
{
    enum class By : std::uint8_t {
        // The kernels of all ranks are known. The transfer begins when the last of them has
        // started.
        Ranks,
        // The kernel of another rank is unknown. The transfer is assumed to take as long as
        // LinkTime says and to end with the kernel.
        Link,
        None, // neither the kernels nor the time is known; the whole window counts as transfer
    };

    std::size_t kernel = 0;        // index into GpuTrace::kernels
    engine::Window wait, transfer; // consecutive parts of the window
    By by = By::None;

    friend bool operator==(const NcclSplit&, const NcclSplit&) = default;
};

// Returns the time of a message or an all-reduce on its link, without waiting, in ns; 0: unknown.
using LinkTime = std::function<std::int64_t(const engine::Op&)>;

// Splits every NCCL kernel whose op is known, in the order of the trace. The ranks of a message are
// its sender and its receiver. The ranks of an all-reduce are all devices with ops of the same
// stage and iteration, in every data-parallel copy of the pipeline. The clocks of GPUs agree within
// microseconds, which limits the accuracy.
std::vector<NcclSplit> splitNccl(const engine::GpuTrace& trace, const engine::Schedule& schedule,
                                 const LinkTime& linkTime = {});

} // namespace profiler
