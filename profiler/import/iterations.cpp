#include "engine/base/text.h"
#include "profiler/import/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

bool isNumbered(const Work& work)
{
    return runsMicroBatch(work.op.kind) && work.op.microBatch;
}

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

// Whether a forward follows its backward, or one of a later micro-batch.
bool beginsWithin(std::span<const Numbered> ops)
{
    std::set<NumberedIdentity> ran;   // forwards
    std::set<NumberedIdentity> early; // the forwards of backwards that ran before them
    std::map<Stage, int> most;        // micro-batches
    for (const auto& [op, begin] : ops) {
        if (op.kind == OpKind::Forward && ran.insert(numberedIdentity(op)).second) {
            int& latest = most.emplace(stageOf(op), *op.microBatch).first->second;
            if (early.contains(numberedIdentity(op)) || *op.microBatch < latest)
                return true;
            latest = *op.microBatch;
        } else if (isBackward(op.kind) && !ran.contains(forwardOf(op))) {
            early.insert(forwardOf(op));
        }
    }
    return false;
}

// None occurs twice, the forwards of a stage are in the order of their micro-batches, and every
// forward precedes its backward.
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

// 0 if no iteration is whole.
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

// By rank: the numbered works before the first iteration that all ranks recorded from its begin.
// That is 0 unless the recording began within an iteration, which a backward shows that precedes
// its forward.
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

auto identity(const NamedOp& op)
{
    return std::tuple(op.kind, op.stage, op.microBatch, op.chunk, op.up, op.slice);
}

// The number at the end of a name such as "ProfilerStep#3"; the index of the step if the name has
// no number.
int numberOf(const ClassifiedRank& rank, std::size_t step)
{
    const std::string& name = rank.steps[step].name;
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return parseInteger<int>(std::string_view(name).substr(digits))
        .value_or(static_cast<int>(step));
}

std::vector<int> bySteps(const ClassifiedRank& rank)
{
    std::vector<int> of;
    for (const Work& work : rank.works)
        of.push_back(work.step < 0 ? -1 : numberOf(rank, static_cast<std::size_t>(work.step)));
    return of;
}

// Numbers iterations by the repetitions of each op after the first `before` numbered ops: its k-th
// execution is in iteration k. An op that names no micro-batch belongs to the latest iteration that
// has begun.
std::vector<int> byOps(const ClassifiedRank& rank, std::size_t before)
{
    using Identity = decltype(identity(NamedOp()));
    const auto forwardOf = [](NamedOp op) {
        op.kind = OpKind::Forward;
        return identity(op);
    };
    std::set<Identity> early; // forwards before the first iteration
    std::size_t left = before;
    for (std::size_t i = 0; i < rank.works.size() && left > 0; ++i) {
        const Work& work = rank.works[i];
        if (isNumbered(work) && work.op.kind == OpKind::Forward)
            early.insert(identity(work.op));
        left -= isNumbered(work) ? 1 : 0;
    }
    std::map<Identity, int> seen;
    std::vector<int> of;
    bool hasBegun = before == 0;
    int last = hasBegun ? 0 : -1;
    for (const Work& work : rank.works) {
        if (isNumbered(work) && !hasBegun) {
            hasBegun = before == 0;
            before -= hasBegun ? 0 : 1;
        }
        // A receive may precede the first op of its iteration.
        const bool isEarly = !hasBegun
            && (work.op.kind != OpKind::RecvActivation || early.contains(forwardOf(work.op)));
        if (work.op.microBatch)
            of.push_back(isEarly ? -1 : seen[identity(work.op)]++);
        else
            of.push_back(last);
        if (isNumbered(work))
            last = std::max(last, of.back());
    }
    return of;
}

bool isStep(const Work& work)
{
    return work.op.kind == OpKind::OptimizerStep;
}

std::vector<int> byOptimizerSteps(const ClassifiedRank& rank)
{
    std::vector<int> of;
    int iteration = 0;
    for (const Work& work : rank.works) {
        of.push_back(iteration);
        iteration += isStep(work) ? 1 : 0;
    }
    return of;
}

using Counts = std::map<int, int>; // iteration -> number of pipeline ops

// The complete iterations of a rank have the most frequent number of pipeline ops. If `mustBeEqual`
// is false, the number may vary, and every iteration with a pipeline op is complete.
std::set<int> complete(const Counts& counts, bool mustBeEqual)
{
    std::map<int, int> frequency; // number of ops -> number of iterations that have it
    for (const auto& [iteration, count] : counts)
        ++frequency[count];
    int usual = 0;
    for (const auto& [count, times] : frequency)
        if (usual == 0 || times >= frequency[usual])
            usual = count;
    std::set<int> all;
    for (const auto& [iteration, count] : counts)
        if (mustBeEqual ? count == usual : count > 0)
            all.insert(iteration);
    return all;
}

// Removes the iterations of which the recording may lack a part: the first one, and the one after
// the last of `steps` optimizer steps. They are whole if they have as many pipeline ops as the
// others.
void removeParts(std::set<int>& iterations, const Counts& counts, int steps)
{
    const auto isOuter = [&](int iteration) { return iteration == 0 || iteration == steps; };
    int least = std::numeric_limits<int>::max(), most = 0; // pipeline ops of an iteration
    for (const int iteration : iterations) {
        if (!isOuter(iteration))
            least = std::min(least, counts.at(iteration));
        most = std::max(most, counts.at(iteration));
    }
    std::erase_if(iterations, [&](int iteration) {
        return isOuter(iteration) && counts.at(iteration) < std::min(least, most);
    });
}

// Removes the last iteration if it has no optimizer step and all others have one: the recording
// ended before it.
void removeCut(std::set<int>& iterations, const ClassifiedRank& rank, const std::vector<int>& of)
{
    std::set<int> withStep;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (isStep(rank.works[i]) && iterations.contains(of[i]))
            withStep.insert(of[i]);
    if (iterations.size() > 1 && withStep.size() + 1 == iterations.size()
        && !withStep.contains(*iterations.rbegin()))
        iterations.erase(*iterations.rbegin());
}

// The number of micro-batches by iteration: the most ops of these kinds that a rank has.
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
        extend(rank.works[firstPart[i]].window, rank.works[i].window);
        iterationOf[i] = -1;
    }
    for (std::uint32_t& work : rank.ofKernel)
        work = work == ClassifiedRank::kNoWork ? work : firstPart[work];
}

std::string stepsText(const std::set<int>& steps)
{
    return steps.size() == 1 ? fmt::format("step {}", *steps.begin())
                             : fmt::format("steps {} to {}", *steps.begin(), *steps.rbegin());
}

// Numbers the iterations that are complete on every rank from 0, and leaves out the others.
void keep(const std::set<int>& complete, FoundIterations& found)
{
    std::map<int, int> dense;
    for (const int iteration : complete)
        dense.emplace(iteration, static_cast<int>(dense.size()));
    found.numbers.assign(complete.begin(), complete.end());
    found.count = static_cast<int>(dense.size());
    for (std::vector<int>& of : found.ofWork) {
        int lost = 0;
        for (int& iteration : of) {
            const auto known = dense.find(iteration);
            iteration = known == dense.end() ? -1 : known->second;
            lost += iteration < 0 ? 1 : 0;
        }
        found.incomplete.push_back(lost);
    }
}

} // namespace

FoundIterations findIterations(const Job& job)
{
    const auto every = [&](auto predicate) { return std::ranges::all_of(job.ranks, predicate); };
    const auto any = [&](auto predicate) {
        return std::ranges::any_of(job.ranks, [&](const JobRank& rank) {
            return std::ranges::any_of(rank.work.works, predicate);
        });
    };
    const bool numbered = any(isNumbered);
    FoundIterations found;
    std::vector<std::size_t> early; // by rank: works before the first iteration
    const bool haveSteps = every([](const JobRank& rank) { return !rank.work.steps.empty(); });
    if (haveSteps) {
        found.from = "ranges of iterations";
    } else if (numbered) {
        early = worksBeforeFirstIteration(job);
        found.from = "repeated ops";
    } else if (any(isStep)) {
        found.from = "optimizer steps";
    }
    std::set<int> common;
    bool isFirst = true;
    for (const JobRank& rank : job.ranks) {
        found.ofWork.push_back(haveSteps      ? bySteps(rank.work)
                                   : numbered ? byOps(rank.work, early[found.ofWork.size()])
                                              : byOptimizerSteps(rank.work));
        Counts counts;
        for (std::size_t i = 0; i < rank.work.works.size(); ++i)
            if (found.ofWork.back()[i] >= 0)
                counts[found.ofWork.back()[i]]
                    += runsMicroBatch(rank.work.works[i].op.kind) ? 1 : 0;
        const bool hasOps = std::ranges::any_of(counts, [](const auto& c) { return c.second > 0; });
        if (!hasOps)
            continue; // ignores ranks without pipeline ops
        std::set<int> own = complete(counts, numbered && !rank.work.fromSegments);
        if (haveSteps || numbered)
            removeCut(own, rank.work, found.ofWork.back());
        else
            removeParts(own, counts,
                        static_cast<int>(std::ranges::count_if(rank.work.works, isStep)));
        const std::set<int> before = std::exchange(common, own);
        if (!isFirst)
            std::erase_if(common, [&](int iteration) { return !before.contains(iteration); });
        if (haveSteps && common.empty() && !own.empty() && !before.empty())
            found.apart = fmt::format("rank {} has {}, and the ranks before it have {}, so that no "
                                      "step is complete on every rank",
                                      rank.rank, stepsText(own), stepsText(before));
        isFirst = false;
    }
    keep(common, found);
    if (found.count <= 1)
        found.from = found.count == 1 && haveSteps ? found.from : "";
    return found;
}

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
