#pragma once

#include "app/timeline/busy_index.h"
#include "app/timeline/range_view.h"
#include "app/timeline/selection.h"
#include "profiler/analysis/gpu_activity.h"

#include <memory>
#include <vector>

namespace app {

// What GPUs ran beneath the ops of a run, prepared for painting: one row a stream of a device.
// Immutable; any thread.
class KernelView
{
public:
    KernelView(const engine::Run& run, profiler::GpuActivity activity);
    KernelView(const KernelView&) = delete; // rows point into it
    KernelView& operator=(const KernelView&) = delete;
    ~KernelView() = default;

    const profiler::GpuActivity& activity() const { return m_activity; }
    bool isEmpty() const { return m_activity.isEmpty(); }
    const std::vector<int>& rows() const { return m_rows; } // [device]
    const RangeView& ranges() const { return m_ranges; }
    const profiler::GpuLane& lane(engine::DeviceId device, int row) const;
    // Each span's `op` is its place in activity().work().
    std::span<const engine::Span> around(engine::DeviceId device, int row,
                                         engine::Window window) const;
    KernelBusy busyBefore(engine::DeviceId device, int row, double time) const;
    profiler::KernelKind kindOf(std::uint32_t work) const { return m_kinds[work]; }
    bool occurs(profiler::KernelKind kind) const { return m_occurs[static_cast<int>(kind)]; }
    Selection select(std::uint32_t work) const;

private:
    std::size_t laneAt(engine::DeviceId device, int row) const
    {
        return m_first[static_cast<std::size_t>(device.value)] + static_cast<std::size_t>(row);
    }

    bool m_occurs[profiler::kKernelKinds] = {};
    profiler::GpuActivity m_activity;
    RangeView m_ranges;
    std::vector<int> m_rows;                   // [device]
    std::vector<std::size_t> m_first;          // [device] its first lane
    std::vector<profiler::KernelKind> m_kinds; // [work]
    std::vector<engine::Span> m_spans;         // [work]
    std::vector<KernelIndex> m_index;          // [lane]
};
using KernelViewPointer = std::shared_ptr<const KernelView>;

} // namespace app
