#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "engine/timeline/span_index.h"
#include "profiler/analysis/gpu_activity.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
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

// The kernels of a run, prepared for painting in rows below each device. Each compute stream has a
// row. Streams that move data share the fewest rows without overlaps, because NCCL has a stream per
// pair of devices. Immutable; thread-safe.
class KernelView
{
public:
    struct Row
    {
        engine::DeviceId device;
        profiler::DeviceStream::Role role = profiler::DeviceStream::Role::Compute;
        std::size_t first = 0, count = 0; // range of spans, sorted by start
    };

    KernelView(const engine::Run& run, profiler::GpuActivity activity);
    KernelView(const KernelView&) = delete; // not copyable, because rows point into it
    KernelView& operator=(const KernelView&) = delete;
    ~KernelView() = default;

    const profiler::GpuActivity& activity() const { return m_activity; }
    bool isEmpty() const { return m_activity.isEmpty(); }
    const engine::IdVector<engine::DeviceId, int>& rows() const { return m_rows; }
    const RangeView& ranges() const { return m_ranges; }
    const Row& row(engine::DeviceId device, int row) const { return m_allRows[rowAt(device, row)]; }
    // Returns the spans that touch the window. Their `op` is an index into activity().work().
    std::span<const engine::Span> around(engine::DeviceId device, int row,
                                         engine::Window window) const
    {
        return m_found[rowAt(device, row)].around(window);
    }
    KernelIndex::Sweep busy(engine::DeviceId device, int row) const
    {
        return KernelIndex::Sweep(m_busy[rowAt(device, row)]);
    }
    profiler::KernelKind kindOf(std::uint32_t work) const
    {
        return static_cast<profiler::KernelKind>(m_kinds[work]);
    }
    QString label(std::uint32_t work) const // the short name of its kernel
    {
        return QString::fromStdString(m_activity.nameOf(m_activity.work()[work]).label);
    }
    bool occurs(profiler::KernelKind kind) const { return m_occurs[static_cast<int>(kind)]; }
    // The first part of an NCCL kernel, in which it waits for other ranks; nullopt if unknown.
    std::optional<engine::Window> waitOf(std::uint32_t work) const;
    bool hasWaits() const { return m_hasWaits; } // whether any wait takes time
    Selection select(std::uint32_t work) const;
    // Returns the next (`by` 1) or previous (-1) kernel in the same row.
    std::optional<std::uint32_t> neighbour(std::uint32_t work, int by) const;

private:
    using Rows = std::vector<std::vector<std::uint32_t>>; // per row: indices into work()

    std::size_t rowAt(engine::DeviceId device, int row) const
    {
        return m_first[device] + static_cast<std::size_t>(row);
    }
    std::size_t rowOf(std::uint32_t work) const;
    void findWaits(const engine::Schedule& schedule);
    void arrange(engine::DeviceId device);
    Rows packed(std::span<const profiler::DeviceStream> streams) const;
    void addRow(Row row, const std::vector<std::uint32_t>& works);
    void addParts(const engine::Span& span);
    void indexRows();

    bool m_occurs[profiler::kKernelKinds] = {};
    bool m_hasWaits = false;
    profiler::GpuActivity m_activity;
    RangeView m_ranges;
    engine::IdVector<engine::DeviceId, int> m_rows;
    // index of the device's first row in m_allRows
    engine::IdVector<engine::DeviceId, std::size_t> m_first;
    std::vector<Row> m_allRows; // the rows of all devices
    // kind of each entry of work(), then kWaitShare for each wait in m_parts
    std::vector<std::uint8_t> m_kinds;
    std::vector<std::uint32_t> m_place; // index into m_spans of each entry of work()
    std::vector<engine::Span> m_spans;  // the spans of all rows, row by row
    std::vector<engine::Span> m_parts;  // m_spans with waits as separate spans, for rows with waits
    std::vector<engine::SpanIndex> m_found; // one per row
    std::vector<KernelIndex> m_busy;        // one per row
    // By index into work(): the waiting time in ticks, if known.
    std::unordered_map<std::uint32_t, std::int64_t> m_waits;
};
using KernelViewPointer = std::shared_ptr<const KernelView>;

} // namespace app
