#include "profiler/import/merge_messages.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <numeric>
#include <utility>

namespace profiler {

using namespace engine;

namespace {
// Returns the number of micro-batches by iteration: the most ops of these kinds that a rank has.
std::vector<std::size_t> countOps(const Job& job, const FoundIterations& iterations,
                                  std::initializer_list<OpKind> kinds)
{
    std::vector<std::size_t> most(static_cast<std::size_t>(iterations.count), 0);
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
        const std::vector<Work>& works = job.ranks[rank].work.works;
        std::vector<std::size_t> counts(most.size(), 0);
        for (std::size_t i = 0; i < works.size(); ++i)
            if (const int iteration = iterations.ofWork[rank][i];
                iteration >= 0 && std::ranges::find(kinds, works[i].op.kind) != kinds.end())
                ++counts[static_cast<std::size_t>(iteration)];
        for (std::size_t i = 0; i < most.size(); ++i)
            most[i] = std::max(most[i], counts[i]);
    }
    return most;
}

void mergeParts(ClassifiedRank& rank, const std::vector<std::uint32_t>& firstPart,
                std::vector<int>& iterationOf)
{
    for (std::uint32_t i = 0; i < rank.works.size(); ++i) {
        if (firstPart[i] == i)
            continue;
        const Window part = rank.works[i].window;
        Window& all = rank.works[firstPart[i]].window;
        all = {std::min(all.begin, part.begin), std::max(all.end, part.end)};
        iterationOf[i] = -1;
    }
    for (std::uint32_t& work : rank.ofKernel)
        work = work == ClassifiedRank::kNoWork ? work : firstPart[work];
}
} // namespace

FoundIterations mergeMessages(Job& job, FoundIterations iterations)
{
    const auto forwards = countOps(job, iterations, {OpKind::Forward});
    const auto backwards = countOps(job, iterations, {OpKind::Backward, OpKind::BackwardInput});
    for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
        ClassifiedRank& work = job.ranks[rank].work;
        std::map<std::pair<int, OpKind>, std::vector<std::uint32_t>> messages; // by iteration, kind
        for (std::uint32_t i = 0; i < work.works.size(); ++i)
            if (const NamedOp& op = work.works[i].op;
                isTransfer(op.kind) && !op.microBatch && iterations.ofWork[rank][i] >= 0)
                messages[{iterations.ofWork[rank][i], op.kind}].push_back(i);
        std::vector<std::uint32_t> firstPart(work.works.size()); // by work
        std::iota(firstPart.begin(), firstPart.end(), 0);
        for (const auto& [of, parts] : messages) {
            const auto [iteration, kind] = of;
            const bool isActivation
                = kind == OpKind::SendActivation || kind == OpKind::RecvActivation;
            const auto& counts = isActivation ? forwards : backwards;
            const std::size_t count = counts[static_cast<std::size_t>(iteration)];
            if (count == 0 || parts.size() % count != 0)
                continue;
            const std::size_t size = parts.size() / count;
            for (std::size_t i = 0; i < parts.size(); ++i)
                firstPart[parts[i]] = parts[i - i % size];
        }
        mergeParts(work, firstPart, iterations.ofWork[rank]);
    }
    return iterations;
}

} // namespace profiler
