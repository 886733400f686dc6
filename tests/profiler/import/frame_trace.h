#pragma once

#include "profiler/import/classify/classify.h"
#include "profiler/import/readers/readers.h"
#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tests {

// Events of a rank whose kernels run 1 us after their launch.
class FrameTrace
{
public:
    void frame(const std::string& name, int ts, int duration)
    {
        add("python_function", name, 1, ts, duration);
    }
    void kernel(const std::string& name, int thread, int ts) { work("kernel", name, thread, ts); }
    // `arguments` follow the others: R"(,"stream":7)".
    void work(const std::string& category, const std::string& name, int thread, int ts,
              const std::string& arguments = "")
    {
        ++m_correlation;
        add("cuda_runtime", "cudaLaunchKernel", thread, ts, 1);
        add(category, name, 7, ts + 1, 2, arguments);
    }
    // From a thread of the autograd engine, 2.
    void backward(int ts)
    {
        add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 2, ts, 9);
        kernel("gemm", 2, ts + 1);
    }
    void add(const std::string& category, const std::string& name, int thread, int ts, int duration,
             const std::string& arguments = "")
    {
        m_events += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},)"
                                R"("dur":{},"args":{{"device":0,"correlation":{}{}}}}})",
                                m_events.empty() ? "" : ",", category, name, thread, ts, duration,
                                m_correlation, arguments);
    }
    std::string text() const { return "[" + m_events + "]"; }

private:
    std::string m_events;
    int m_correlation = 0;
};

inline profiler::RankTrace rankOf(const std::string& text)
{
    std::size_t at = 0;
    const auto bytes = [&](std::span<char> buffer) -> engine::Result<std::size_t> {
        const std::size_t count = std::min(buffer.size(), text.size() - at);
        std::copy_n(text.data() + at, count, buffer.data());
        at += count;
        return count;
    };
    const auto trace = profiler::readKineto("a.json", bytes, [](std::string_view) { return true; });
    REQUIRE(trace);
    REQUIRE(trace->ranks.size() == 1);
    return trace->ranks.front();
}

inline profiler::ClassifiedRank classified(const std::string& text)
{
    const profiler::RankTrace trace = rankOf(text);
    return profiler::classify(trace, profiler::Rules::shipped());
}

inline std::vector<engine::OpKind> kindsOf(const profiler::ClassifiedRank& rank)
{
    std::vector<engine::OpKind> kinds;
    for (const profiler::Work& work : rank.works)
        kinds.push_back(work.op.kind);
    return kinds;
}

} // namespace tests
