#include "profiler/import/classify/autograd_threads.h"

#include <string_view>
#include <utility>

namespace profiler {

using engine::Window;

namespace {
// Whether the engine runs in the op. Old versions of PyTorch record only the functions, such as
// "AddmmBackward" and "MulBackward0".
bool isOfEngine(std::string_view name)
{
    constexpr std::string_view kFunction = "Backward";
    if (name.starts_with("autograd::engine::evaluate_function"))
        return true;
    name = name.substr(0, name.find_last_not_of("0123456789") + 1);
    return name.size() > kFunction.size() && name.ends_with(kFunction) && 'A' <= name.front()
        && name.front() <= 'Z' && name.find_first_of(" :.") == std::string_view::npos;
}
} // namespace

// A thread belongs to the engine if PyTorch named it so, or if most of its ops run within autograd
// functions; its other ops are those of hooks. The main thread also runs a few such functions: the
// roots of a backward, or those of CPU tensors. A thread with ranges of iterations never belongs to
// the engine, because on a CPU the backward runs on the thread that calls it.
AutogradThreads::AutogradThreads(const RankTrace& trace, const MarkedRanges& marks)
{
    std::vector<std::vector<Window>> found(trace.threads.size());
    for (const auto* rows : {&trace.ops, &trace.ranges})
        for (const HostRange& range : *rows)
            if (isOfEngine(trace.text(range.name)))
                found[range.thread].push_back(range.window);
    for (std::vector<Window>& windows : found)
        m_functions.push_back(unite(std::move(windows)));
    std::vector<std::int64_t> within(trace.threads.size(), 0); // ops within functions - others
    for (const auto* rows : {&trace.ops, &trace.ranges})
        for (const HostRange& range : *rows)
            within[range.thread]
                += contains(m_functions[range.thread], range.window.begin) ? 1 : -1;
    // PyTorch 2 names its threads; Kineto writes "thread 1262 (pt_autograd_0)".
    constexpr std::string_view kName = "pt_autograd_";
    for (std::size_t thread = 0; thread < m_functions.size(); ++thread)
        m_isEngine.push_back(trace.threads[thread].find(kName) != std::string::npos
                             || (!m_functions[thread].empty() && within[thread] >= 0));
    for (const Mark& mark : marks.all())
        if (mark.match->purpose == RuleMatch::Purpose::Iteration)
            m_isEngine[mark.range.thread] = false;
}

} // namespace profiler
