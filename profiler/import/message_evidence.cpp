#include "profiler/import/message_evidence.h"

#include <algorithm>
#include <map>
#include <set>

namespace profiler {

using engine::OpKind;

namespace {
bool hasWork(const JobRank& rank, OpKind kind)
{
    return std::ranges::any_of(rank.work.works,
                               [&](const Work& work) { return work.op.kind == kind; });
}

// Whether NCCL kernels state the ranks of their messages.
bool namesPeers(const JobRank& rank)
{
    return std::ranges::any_of(rank.trace.nccl, [](const auto& kernel) {
        return kernel.second.source >= 0 && kernel.second.target >= 0;
    });
}
} // namespace

bool messagesShowChunks(const Job& job)
{
    // Without kernels, the range of a message may send or receive nothing.
    return std::ranges::any_of(job.ranks, [](const JobRank& rank) {
        return rank.position == 0 && !rank.trace.gpu.kernels.empty()
            && hasWork(rank, OpKind::RecvActivation) && hasWork(rank, OpKind::SendGradient);
    });
}

bool messagesShowDirections(const Job& job, const FoundIterations& iterations)
{
    // One gradient may be of a backward before the recording.
    constexpr int kFewest = 2;
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
        const std::vector<Work>& works = job.ranks[rank].work.works;
        std::map<int, int> sent; // iteration -> gradients before its first backward
        std::set<int> begun;     // iterations with a backward
        for (std::size_t i = 0; i < works.size(); ++i) {
            const int iteration = iterations.ofWork[rank][i];
            if (iteration < 0 || begun.contains(iteration))
                continue;
            if (works[i].op.kind == OpKind::SendGradient)
                ++sent[iteration];
            if (!engine::isBackward(works[i].op.kind))
                continue;
            if (sent[iteration] >= kFewest)
                return true;
            begun.insert(iteration);
        }
    }
    return false;
}

bool messagesShowPipelines(const Job& job)
{
    const auto any = [&](auto predicate) { return std::ranges::any_of(job.ranks, predicate); };
    const auto receives = [](const JobRank& rank) { return hasWork(rank, OpKind::RecvActivation); };
    const auto sends = [](const JobRank& rank) { return hasWork(rank, OpKind::SendActivation); };
    const bool isPeerKnown = any(namesPeers);
    const auto returns = [](const JobRank& rank) {
        return hasWork(rank, OpKind::SendGradient) || hasWork(rank, OpKind::RecvGradient);
    };
    const bool received = any(receives), sent = any(sends), returned = any(returns);
    // Without process groups, ranks without a trace may be the ends of further pipelines. One such
    // rank is only one of the two ends, so the other end has a trace.
    const auto lacking = std::ranges::count_if(job.pipelines.front(), [&](int rank) {
        return std::ranges::binary_search(job.missing, rank);
    });
    const bool isUnclear = !job.knowsPipelines && lacking > (received && sent ? 1 : 0);
    if (isUnclear || (!received && !sent))
        return false;
    return std::ranges::all_of(job.ranks, [&](const JobRank& rank) {
        const bool isFirst = rank.position == 0;
        const bool isLast = rank.position + 1 == static_cast<int>(job.pipelines.front().size());
        const auto computes = [](const Work& work) { return isPipelineOp(work.op.kind); };
        if (std::ranges::none_of(rank.work.works, computes))
            return true;
        // The last rank may send its results to the first one. Without NCCL's arguments, the range
        // of the receive may receive nothing; without gradients, it is a ring of attention.
        if (isFirst && receives(rank) && (!isPeerKnown || !returned))
            return false;
        return (!received || isFirst || receives(rank)) && (!sent || isLast || sends(rank));
    });
}

} // namespace profiler
