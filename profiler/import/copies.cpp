#include "profiler/import/copies.h"

#include <algorithm>

namespace profiler {

// If ranges name the stages, ranks that execute the same ops are copies of each other. Ranks with
// the same stages but different micro-batches are not copies: they belong to the two directions of
// one pipeline.
std::vector<int> findCopies(const Job& job, std::span<const std::set<engine::Op>> ops)
{
    const std::size_t ranks = job.ranks.size();
    std::vector<int> copies(ranks, kSharesDevice);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!job.ranks[rank].isLead)
            continue;
        copies[rank] = ops.empty() ? job.ranks[rank].pipeline : 0;
        for (std::size_t before = 0; before < rank && !ops.empty(); ++before)
            if (copies[before] != kSharesDevice && ops[rank] == ops[before] && !ops[rank].empty())
                copies[rank] = std::max(copies[rank], copies[before] + 1);
    }
    return copies;
}

} // namespace profiler
