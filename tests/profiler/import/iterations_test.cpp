#include "tests/profiler/import/frame_trace.h"

#include <algorithm>

using namespace engine;
using namespace tests;

namespace {
// The trace of one of two ranks.
class PartsTrace
{
public:
    explicit PartsTrace(int rank)
        : m_rank(rank)
    { }

    void forward(int ts) { m_trace.kernel("gemm", 1, ts); }
    void backward(int ts) { m_trace.backward(ts); }
    // "send" or "recv"; each part takes 3 us.
    void message(const char* name, int parts, int ts)
    {
        for (int part = 0; part < parts; ++part)
            m_trace.work("kernel", "ncclDevKernel_SendRecv", 1, ts + 3 * part,
                         fmt::format(R"(,"Collective name":"{}","{} Rank":{})", name,
                                     name == std::string("send") ? "Dst" : "Src", 1 - m_rank));
    }
    std::string text() const
    {
        return fmt::format(
            R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":2}},"traceEvents":{}}})",
            m_rank, m_trace.text());
    }

private:
    int m_rank;
    FrameTrace m_trace;
};
} // namespace

// The run had four micro-batches.
TEST_CASE("the kernels of a shape and of its tensor are one message")
{
    PartsTrace first(0), last(1);
    for (const int m : {0, 1}) {
        first.forward(20 * m);
        first.message("send", 2, 20 * m + 10);
        last.message("recv", 2, 60 * m + 10);
        last.forward(60 * m + 20);
        last.backward(60 * m + 30);
        last.message("send", 1, 60 * m + 50);
        first.message("recv", 1, 60 * m + 50);
        first.backward(60 * m + 60);
    }
    const TemporaryFolder folder;
    writeText(folder / "0.json", first.text());
    writeText(folder / "1.json", last.text());
    const profiler::ImportedRun result = tests::imported(folder);
    CHECK(result.run.schedule.shape.microBatches == 2);
    CHECK(orderOf(result.run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0B0", "0B1"},
                                                   {"1F0", "1B0", "1F1", "1B1"}});
    CHECK(std::ranges::count(result.run.schedule.program[DeviceId{0}], OpKind::SendActivation,
                             &Op::kind)
          == 2);
    CHECK(std::ranges::count_if(result.gpu.kernels,
                                [](const GpuKernel& kernel) { return !kernel.of.isKnown(); })
          == 0);
}
