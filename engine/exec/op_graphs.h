#pragma once

#include "engine/backend/device_queue.h"
#include "engine/experiment/graphs.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// Queues ops on the stream of a GPU, as CUDA graphs if that is faster. The plan fixes the memory of
// an op, so one capture serves all iterations. OPT is never a graph, because its arguments change
// with every step. Not thread-safe.
class OpGraphs
{
public:
    // `queue` is nullptr on a CPU, where ops are executed at once.
    OpGraphs(Graphs policy, DeviceQueue* queue, std::size_t ops)
        : m_policy(policy)
        , m_queue(queue)
        , m_entries(queue != nullptr ? ops : 0)
    { }

    // Captures the op if it will be launched as a graph. Capturing takes as much host time as many
    // launches, so call it before the start of the op is recorded.
    void prepare(std::size_t op, OpKind kind, const std::function<void()>& work);
    void run(std::size_t op, OpKind kind, const std::function<void()>& work);
    // Chooses how the op is launched in the next iteration. `gpuTime` is the op's GPU time in this
    // iteration, in ns.
    void judge(std::size_t op, std::int64_t gpuTime);

    int captured() const { return m_captured; }

private:
    // If launching an op takes more than this share of its GPU time, gaps appear between its
    // kernels.
    static constexpr double kBound = 0.7;

    struct Entry
    {
        std::unique_ptr<DeviceGraph> graph;
        std::int64_t hostTime = 0; // host time in ns of the last launch without a graph
        int runs = 0;
        bool canBe = true, isSelected = false;
    };
    bool isAsked(OpKind kind) const;
    void capture(Entry& entry, const std::function<void()>& work);

    Graphs m_policy;
    DeviceQueue* m_queue;
    std::vector<Entry> m_entries;
    int m_captured = 0;
};

} // namespace engine
