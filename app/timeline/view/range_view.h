#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace app {

// An NVTX range on the host, of an op or of a library. The range of an op covers the time in which
// the host launches the op, not the time in which the GPU executes it.
struct HostRange
{
    engine::Window window; // in ns of the timeline
    engine::OpOfIteration of;
    std::string text, domain; // `domain` is "" for an op and for the default domain
};

// The NVTX ranges of a run, in rows below the device of their op; nested ranges are in lower rows.
// Ranges without an op, and ranges nested deeper than kMostRows, are omitted and counted in
// leftOut(). Immutable.
class RangeView
{
public:
    static constexpr int kMostRows = 3;

    RangeView(const engine::Run& run, const engine::GpuTrace& trace);

    const engine::IdVector<engine::DeviceId, int>& rows() const { return m_rows; }
    // The ranges of a row, sorted by start; they do not overlap.
    std::span<const HostRange> on(engine::DeviceId device, int row) const
    {
        return m_ranges[device][static_cast<std::size_t>(row)];
    }
    // The ranges of a row that touch `window`.
    std::span<const HostRange> around(engine::DeviceId device, int row,
                                      engine::Window window) const;
    // Returns the range with exactly this window, the outermost one if there are several; nullptr
    // if there is none.
    const HostRange* at(engine::DeviceId device, engine::Window window) const;
    std::int64_t leftOut() const { return m_leftOut; }

private:
    void add(engine::DeviceId device, HostRange range);

    engine::IdVector<engine::DeviceId, std::vector<std::vector<HostRange>>> m_ranges; // by row
    engine::IdVector<engine::DeviceId, int> m_rows;
    std::int64_t m_leftOut = 0;
};

} // namespace app
