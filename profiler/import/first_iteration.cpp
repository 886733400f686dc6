#include "profiler/import/first_iteration.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {
struct Numbered
{
    NamedOp op;
    std::int64_t begin = 0; // ns, on the host
};

using Stage = std::tuple<std::optional<int>, std::optional<int>, bool, std::optional<int>>;

Stage stageOf(const NamedOp& op)
{
    return {op.stage, op.chunk, op.up, op.slice};
}

auto numberedIdentity(const NamedOp& op)
{
    return std::tuple(op.kind, stageOf(op), *op.microBatch);
}

using NumberedIdentity = decltype(numberedIdentity(NamedOp()));

NumberedIdentity forwardOf(const NamedOp& op)
{
    return {OpKind::Forward, stageOf(op), *op.microBatch};
}

std::vector<Numbered> numberedOf(const JobRank& rank)
{
    std::vector<Numbered> ops;
    for (const Work& work : rank.work.works)
        if (isNumbered(work))
            ops.push_back({work.op, work.host.begin});
    return ops;
}

bool beginsWithin(std::span<const Numbered> ops)
{
    std::set<NumberedIdentity> ran;   // forwards
    std::set<NumberedIdentity> early; // the forwards of backwards that ran before them
    for (const auto& [op, begin] : ops) {
        if (op.kind == OpKind::Forward && early.contains(numberedIdentity(op)))
            return true;
        if (op.kind == OpKind::Forward)
            ran.insert(numberedIdentity(op));
        else if (isBackward(op.kind) && !ran.contains(forwardOf(op)))
            early.insert(forwardOf(op));
    }
    return false;
}

// Whether ops can be one iteration: none occurs twice, the forwards of a stage are in the order of
// their micro-batches, and every forward precedes its backward.
bool isIteration(std::span<const Numbered> ops)
{
    std::set<NumberedIdentity> ran;
    std::map<Stage, int> latest; // micro-batch of the latest forward
    for (const auto& [op, begin] : ops) {
        const bool isFirst = ran.insert(numberedIdentity(op)).second;
        if (!isFirst || (isBackward(op.kind) && !ran.contains(forwardOf(op))))
            return false;
        if (op.kind != OpKind::Forward)
            continue;
        const auto [last, isNew] = latest.emplace(stageOf(op), *op.microBatch);
        if (!isNew && last->second >= *op.microBatch)
            return false;
        last->second = *op.microBatch;
    }
    return true;
}

std::size_t sizeOfIteration(std::span<const Numbered> ops)
{
    std::set<NumberedIdentity> different;
    for (const auto& [op, begin] : ops)
        different.insert(numberedIdentity(op));
    return different.size();
}

// Returns the index of the first op of the first whole iteration; 0 if there is no whole iteration.
std::size_t firstWhole(std::span<const Numbered> ops)
{
    std::map<Stage, int> least; // lowest micro-batch
    for (const auto& [op, begin] : ops) {
        int& lowest = least.emplace(stageOf(op), *op.microBatch).first->second;
        lowest = std::min(lowest, *op.microBatch);
    }
    const std::size_t size = sizeOfIteration(ops);
    for (std::size_t at = 0; at < size && at + size <= ops.size(); ++at) {
        const NamedOp& op = ops[at].op;
        if (op.kind == OpKind::Forward && least[stageOf(op)] == *op.microBatch
            && isIteration(ops.subspan(at, size)))
            return at;
    }
    return 0;
}
} // namespace

std::vector<std::size_t> worksBeforeFirstIteration(const Job& job)
{
    std::vector<std::vector<Numbered>> all;
    for (const JobRank& rank : job.ranks)
        all.push_back(numberedOf(rank));
    std::vector<std::size_t> before(all.size(), 0);
    if (std::ranges::none_of(all, beginsWithin))
        return before;
    std::optional<std::int64_t> begin; // of the first whole iteration of a rank that lacks a begin
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        before[rank] = firstWhole(all[rank]);
        if (before[rank] > 0 && !begin)
            begin = all[rank][before[rank]].begin;
    }
    // A rank that recorded the iteration from its begin has one more than the others.
    for (std::size_t rank = 0; rank < all.size() && begin; ++rank) {
        const std::size_t next = before[rank] + sizeOfIteration(all[rank]);
        const auto distance
            = [&](std::size_t at) { return std::abs(all[rank][at].begin - *begin); };
        if (next < all[rank].size() && distance(next) < distance(before[rank]))
            before[rank] = next;
    }
    return before;
}

} // namespace profiler
