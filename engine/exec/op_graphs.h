#pragma once

#include "engine/backend/device_queue.h"
#include "engine/experiment/graphs.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// Queues ops on the lane of a GPU, as graphs where that is worth it: the plan fixes what memory an
// op works on, so that one capture serves all iterations. OPT is never one, since its numbers
// change from step to step. One thread at a time.
class OpGraphs
{
public:
    // `lane` none: a CPU, where ops are just done.
    OpGraphs(Graphs policy, DeviceQueue* lane, std::size_t ops)
        : m_policy(policy)
        , m_lane(lane)
        , m_entries(lane != nullptr ? ops : 0)
    { }

    // Where the op is to become a graph, which takes the host as long as many launches: before its
    // begin is marked.
    void prepare(std::size_t op, OpKind kind, const std::function<void()>& work);
    void run(std::size_t op, OpKind kind, const std::function<void()>& work);
    // What the GPU took for it, ns: once it has ended. Then it is decided how it runs next time.
    void judge(std::size_t op, std::int64_t gpuTime);

    int captured() const { return m_captured; } // ops so far

private:
    // An op whose launches take more than this share of its time leaves gaps between its kernels.
    static constexpr double kBound = 0.7;

    struct Entry
    {
        std::unique_ptr<DeviceGraph> graph;
        std::int64_t hostTime = 0; // ns for queueing it last, without a graph
        int runs = 0;
        bool canBe = true, isSelected = false;
    };
    bool isAsked(OpKind kind) const;
    void capture(Entry& entry, const std::function<void()>& work);

    Graphs m_policy;
    DeviceQueue* m_lane;
    std::vector<Entry> m_entries;
    int m_captured = 0;
};

} // namespace engine
