#include "profiler/analysis/nccl_waits.h"

#include "engine/schedule/transfers.h"
#include "engine/timeline/kernel_name.h"

#include <algorithm>
#include <map>

namespace profiler {

using namespace engine;

namespace {

// Identifies the kernels that communicate with each other: those of one message (identified by its
// value) or of one all-reduce (identified by its stage). An op can launch several kernels; `order`
// is the position of a kernel among them.
struct NcclExchange
{
    std::uint32_t iteration = 0;
    bool sums = false, ties = false;
    std::uint32_t what = 0;
    std::size_t order = 0;

    friend auto operator<=>(const NcclExchange&, const NcclExchange&) = default;
};

struct Ranks
{
    std::int64_t lastBegin = 0;
    std::size_t kernels = 0; // number of ops that have such a kernel
};

class Splitter
{
public:
    Splitter(const GpuTrace& trace, const Schedule& schedule)
        : m_trace(trace)
        , m_schedule(schedule)
        , m_index(schedule)
        , m_order(trace.kernels.size(), 0)
    {
        for (const auto& program : schedule.program)
            for (const Op& op : program)
                if (op.kind == OpKind::AllReduce)
                    ++m_members[{0, true, tiesEmbeddings(op), numberOf(op)}];
        for (std::size_t i = 0; i < trace.kernels.size(); ++i)
            if (isSplit(trace.kernels[i])) // the trace is in time order
                m_ofOp[{trace.kernels[i].of.op, trace.kernels[i].of.iteration}].push_back(i);
        for (const auto& [op, kernels] : m_ofOp)
            for (std::size_t order = 0; order < kernels.size(); ++order) {
                m_order[kernels[order]] = order;
                meet(kernels[order], order);
            }
    }

    std::vector<NcclSplit> split(const LinkTime& linkTime) const
    {
        std::vector<NcclSplit> all;
        for (std::size_t i = 0; i < m_trace.kernels.size(); ++i)
            if (isSplit(m_trace.kernels[i]))
                all.push_back(splitOf(i, linkTime));
        return all;
    }

private:
    bool isSplit(const GpuKernel& kernel) const
    {
        return kernel.of.op < m_index.count() && isNcclKernel(m_trace.strings.at(kernel.name))
            && (isTransfer(opOf(kernel).kind) || opOf(kernel).kind == OpKind::AllReduce);
    }
    const Op& opOf(const GpuKernel& kernel) const
    {
        return opAt(m_schedule, m_index, kernel.of.op);
    }
    std::uint32_t numberOf(const Op& op) const
    {
        return op.kind == OpKind::AllReduce
            ? static_cast<std::uint32_t>(allReduceStage(op).value)
            : valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape);
    }
    NcclExchange exchangeOf(const GpuKernel& kernel, std::size_t order) const
    {
        const Op& op = opOf(kernel);
        return {kernel.of.iteration, op.kind == OpKind::AllReduce, tiesEmbeddings(op), numberOf(op),
                order};
    }

    void meet(std::size_t i, std::size_t order)
    {
        const GpuKernel& kernel = m_trace.kernels[i];
        Ranks& ranks = m_ranks[exchangeOf(kernel, order)];
        ranks.lastBegin = std::max(ranks.lastBegin, kernel.window.begin);
        ++ranks.kernels;
    }

    std::size_t membersOf(const NcclExchange& exchange) const
    {
        if (!exchange.sums)
            return 2;
        return m_members.at({0, true, exchange.ties, exchange.what})
            * static_cast<std::size_t>(m_schedule.shape.dataParallel);
    }

    NcclSplit splitOf(std::size_t i, const LinkTime& linkTime) const
    {
        const GpuKernel& kernel = m_trace.kernels[i];
        const NcclExchange exchange = exchangeOf(kernel, m_order[i]);
        const Ranks& ranks = m_ranks.at(exchange);
        const std::int64_t onLink = linkTime ? linkTime(opOf(kernel)) : 0;
        std::int64_t begin = kernel.window.begin; // start of the transfer
        NcclSplit::By by = NcclSplit::By::None;
        if (ranks.kernels == membersOf(exchange)) {
            begin = ranks.lastBegin;
            by = NcclSplit::By::Ranks;
        } else if (onLink > 0) {
            begin = kernel.window.end - onLink;
            by = NcclSplit::By::Link;
        }
        begin = std::clamp(begin, kernel.window.begin, kernel.window.end);
        return {i, {kernel.window.begin, begin}, {begin, kernel.window.end}, by};
    }

    const GpuTrace& m_trace;
    const Schedule& m_schedule;
    OpIndex m_index;
    std::vector<std::size_t> m_order; // position of each kernel among the kernels of its op
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> m_ofOp;
    std::map<NcclExchange, Ranks> m_ranks;
    // Number of ops of the first data-parallel copy that take part in each all-reduce.
    std::map<NcclExchange, std::size_t> m_members;
};

} // namespace

std::vector<NcclSplit> splitNccl(const GpuTrace& trace, const Schedule& schedule,
                                 const LinkTime& linkTime)
{
    return Splitter(trace, schedule).split(linkTime);
}

} // namespace profiler
