#pragma once

#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QString>

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

namespace app {

// One facet of a search such as "mb:3 op:B stage:2,4-5 dur>5ms", "1B5" or "B". All facets must
// match. Numbers can be lists of ranges. "kernel:gemm" searches the kernels of the ops that match
// the other facets; durations then refer to kernels.
struct FindFacet
{
    QString text; // the facet as typed
    // A facet has one of these three: a test of an op, a test of its executions, by the number of
    // the iteration and the duration in ns or cost units, or a part of the name of a kernel.
    std::function<bool(const RunView& view, std::uint32_t op)> ofOp = {};
    std::function<bool(int iteration, double duration)> ofExecution = {};
    QString kernel = {};
    std::function<QString(const RunView& view)> values = {}; // "micro-batches are 0 to 7"
    bool namesKind = false;  // names a kind of op, an op or a kernel
    bool isDuration = false; // compared with `time`, which is in ns or cost units
    bool isInTime = false;   // `time` was typed with a unit of time; cost units have none
    double time = 0;
};

// Fails with Error::Code::InvalidArgument; the message names the unknown part and the valid facets.
engine::Result<std::vector<FindFacet>> parseFind(const QString& text);

// The hits of a search: the executions of ops in measured iterations that match all facets; in a
// run without a measured iteration, those of its other iterations. With a kernel facet, the hits
// are the matching kernels and the ops that launched them. Reads the run once, in the constructor;
// several painters share the result. Not thread-safe.
class Found
{
public:
    static constexpr std::size_t kMostHits = 100'000;

    // `kernels` is nullptr if the kernels are not known.
    Found(const RunView& view, const std::vector<FindFacet>& facets,
          const KernelView* kernels = nullptr);

    const std::vector<Selection>& hits() const { return m_hits; } // sorted by start
    bool isCut() const { return m_isCut; }    // whether there are more hits than are kept
    bool has(const engine::Span& span) const; // whether a span matches, of any iteration
    // The first facet without matches and its valid values: "no op matches mb:9; micro-batches are
    // 0 to 7". "" if there are hits.
    const QString& blame() const { return m_blame; }

private:
    void matchOps(const RunView& view, const std::vector<FindFacet>& facets);
    void collect(const RunView& view);
    void collectKernels(const KernelView& kernels);
    std::vector<bool> matchNames(const KernelView& kernels);
    bool holdsSpan(std::uint32_t iteration, engine::Window window) const;
    bool counts(std::uint32_t iteration) const;

    // By op: whether it matches the facets that do not depend on the execution.
    std::vector<bool> m_ops;
    std::vector<FindFacet> m_ofSpans; // facets about executions: iteration and duration
    std::vector<FindFacet> m_ofKernels;
    bool m_isOfOps = false;                    // whether the query has facets about ops
    std::unordered_set<std::uint64_t> m_above; // executions that launched a matching kernel
    // By iteration: the number that a facet uses for it; -1: warm-up, -2: typical ops.
    std::vector<int> m_numbers;
    double m_ticksPerUnit = 1;
    std::vector<Selection> m_hits;
    QString m_blame;
    bool m_isCut = false;
};
using FoundPointer = std::shared_ptr<const Found>;

} // namespace app
