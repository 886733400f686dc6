#pragma once

#include "engine/timeline/span_index.h"
#include "profiler/analysis/gpu_activity.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace app {

// The parts of a coverage column, from the bottom. The rest of the column is bubble.
enum class Share : std::uint8_t {
    Backward,
    Forward,
    Recompute,
    Weight,
    Communication,
    Optimizer,
};
constexpr int kShares = 6;
using Busy = std::array<double, kShares>; // indexed by Share; in ticks or as shares of a window
// The number of parts of a kernel column: one per KernelKind, and the time that NCCL kernels wait
// for other ranks.
constexpr int kKernelShares = profiler::kKernelKinds + 1;
constexpr std::uint8_t kWaitShare = profiler::kKernelKinds;
using KernelBusy = std::array<double, kKernelShares>;

Share shareOf(engine::OpKind kind);

// Computes the exact busy time per kind before any instant, from cumulative sums for every 16 spans
// (3 bytes per span). A pixel column needs one short search, even in a track of ten million spans.
template<class Kind, std::size_t kCount>
class BusyIndexOf
{
public:
    using Sums = std::array<double, kCount>;

    BusyIndexOf() = default;
    // `spans` must outlive this object. `kinds` has the kind of every op that a span refers to.
    BusyIndexOf(std::span<const engine::Span> spans, std::span<const Kind> kinds);

    // Answers queries at ascending instants; each search starts at the previous result. The index
    // must outlive the sweep.
    class Sweep
    {
    public:
        explicit Sweep(const BusyIndexOf& index)
            : m_index(&index)
        { }
        Sums before(double time); // `time` must not be earlier than in the last call

    private:
        const BusyIndexOf* m_index;
        // Index of the first span that has not ended; earlier ones are in the sums.
        std::size_t m_next = 0;
        Sums m_sum{};
    };

    // Ticks per kind before `time`, which may be a fraction of a tick.
    Sums before(double time) const { return Sweep(*this).before(time); }
    Sums within(double begin, double end) const;
    std::span<const engine::Span> spans() const { return m_index.spans(); }
    std::span<const engine::Span> around(engine::Window window) const
    {
        return m_index.around(window);
    }

private:
    // Adds `duration` to the sum of the span's kind; for a joint op, adds half of it.
    void add(const engine::Span& span, double duration, Sums& sums) const;
    void findJoint();

    static constexpr std::size_t kBlock = engine::SpanIndex::kBlock;
    engine::SpanIndex m_index;
    std::span<const Kind> m_kinds;
    bool m_hasJoint = false;
    std::vector<bool> m_isJoint; // one flag per span; empty: there are no joint ops
    std::vector<Sums> m_sums;    // m_sums[k]: sums over all spans before span k * kBlock
};
using BusyIndex = BusyIndexOf<Share, kShares>;
using KernelIndex = BusyIndexOf<std::uint8_t, kKernelShares>;

} // namespace app
