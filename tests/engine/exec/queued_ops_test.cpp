// When ops of a GPU become graphs, and that making one is no part of the op.
#include "engine/exec/queued_ops.h"
#include "tests/catch.h"

#include <stdexcept>
#include <string>

using namespace engine;

namespace {

class Graph final : public DeviceGraph
{ };

// Notes what it is asked for.
class NotingQueue final : public DeviceQueue
{
public:
    void record(DeviceEvent&) override { }
    void wait(const DeviceEvent&) override { }
    void copy(const DeviceCopy&) override { }
    void add(std::span<const float>, std::span<float>) override { }
    void add(std::span<const std::int64_t>, std::span<std::int64_t>) override { }
    std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override
    {
        notes += "capture(";
        work();
        notes += ")";
        if (refuses)
            throw std::runtime_error("it waits");
        return std::make_unique<Graph>();
    }
    void launch(const DeviceGraph&) override { notes += "launch"; }

    std::string notes;
    bool refuses = false;
};

// One op, once: what was asked for before its begin would be marked, a bar, and behind it.
std::string once(OpGraphs& graphs, NotingQueue& queue, OpKind kind, std::int64_t gpuTime)
{
    const auto work = [&] { queue.notes += "work"; };
    queue.notes.clear();
    graphs.prepare(0, kind, work);
    queue.notes += "|";
    graphs.run(0, kind, work);
    graphs.judge(0, gpuTime);
    return queue.notes;
}

constexpr std::int64_t kInstant = 0, kForever = 1'000'000'000'000; // ns that the GPU took

} // namespace

TEST_CASE("a graph is captured before the op begins, and is all that the op then launches")
{
    NotingQueue queue;
    OpGraphs graphs(Graphs::On, &queue, 1);
    CHECK(once(graphs, queue, OpKind::Forward, kForever) == "|work");
    CHECK(once(graphs, queue, OpKind::Forward, kForever) == "capture(work)|launch");
    CHECK(once(graphs, queue, OpKind::Forward, kForever) == "|launch");
    CHECK(graphs.captured() == 1);
}

TEST_CASE("of themselves, ops become graphs that the host launches hardly faster than they run")
{
    NotingQueue queue;
    OpGraphs slow(Graphs::Auto, &queue, 1), fast(Graphs::Auto, &queue, 1);
    for (int i = 0; i < 3; ++i)
        CHECK(once(slow, queue, OpKind::Forward, kForever) == "|work");
    // The first time says nothing: kernels are loaded.
    CHECK(once(fast, queue, OpKind::Forward, kInstant) == "|work");
    CHECK(once(fast, queue, OpKind::Forward, kInstant) == "|work");
    CHECK(once(fast, queue, OpKind::Forward, kInstant) == "capture(work)|launch");
}

TEST_CASE(
    "OPT is never a graph, nor an op that cannot be captured, nor anything when graphs are off")
{
    NotingQueue queue;
    OpGraphs on(Graphs::On, &queue, 1), refused(Graphs::On, &queue, 1), off(Graphs::Off, &queue, 1);
    for (int i = 0; i < 3; ++i) {
        CHECK(once(on, queue, OpKind::OptimizerStep, kInstant) == "|work");
        CHECK(once(off, queue, OpKind::Forward, kInstant) == "|work");
    }
    queue.refuses = true;
    CHECK(once(refused, queue, OpKind::Forward, kInstant) == "|work");
    CHECK(once(refused, queue, OpKind::Forward, kInstant) == "capture(work)|work");
    CHECK(once(refused, queue, OpKind::Forward, kInstant) == "|work");
    CHECK(refused.captured() == 0);
}
