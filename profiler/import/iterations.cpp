#include "profiler/import/iterations.h"

#include "engine/base/text.h"
#include "profiler/import/first_iteration.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {
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

int optimizerSteps(const ClassifiedRank& rank)
{
    return static_cast<int>(std::ranges::count_if(rank.works, isStep));
}

using Counts = std::map<int, int>; // iteration -> number of pipeline ops

// Returns the complete iterations of a rank: those with the most frequent number of pipeline ops.
// If `mustBeEqual` is false, the number of ops may vary, and every iteration with a pipeline op is
// complete.
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
    std::vector<std::size_t> before; // by rank: works before the first iteration
    const bool haveSteps = every([](const JobRank& rank) { return !rank.work.steps.empty(); });
    if (haveSteps) {
        found.from = "ranges of iterations";
    } else if (numbered) {
        before = worksBeforeFirstIteration(job);
        found.from = "repeated ops";
    } else if (any(isStep)) {
        found.from = "optimizer steps";
    }
    std::set<int> common;
    bool isFirst = true;
    for (const JobRank& rank : job.ranks) {
        found.ofWork.push_back(haveSteps      ? bySteps(rank.work)
                                   : numbered ? byOps(rank.work, before[found.ofWork.size()])
                                              : byOptimizerSteps(rank.work));
        Counts counts;
        for (std::size_t i = 0; i < rank.work.works.size(); ++i)
            if (found.ofWork.back()[i] >= 0)
                counts[found.ofWork.back()[i]] += isPipelineOp(rank.work.works[i].op.kind) ? 1 : 0;
        const bool hasOps = std::ranges::any_of(counts, [](const auto& c) { return c.second > 0; });
        if (!hasOps)
            continue; // ignores ranks without pipeline ops
        std::set<int> own = complete(counts, numbered && !rank.work.fromSegments);
        if (!haveSteps && !numbered)
            removeParts(own, counts, optimizerSteps(rank.work));
        if (isFirst)
            common = own;
        else
            std::erase_if(common, [&](int iteration) { return !own.contains(iteration); });
        isFirst = false;
    }
    std::map<int, int> dense;
    for (const int iteration : common)
        dense.emplace(iteration, static_cast<int>(dense.size()));
    found.numbers.assign(common.begin(), common.end());
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
    if (found.count <= 1)
        found.from = found.count == 1 && haveSteps ? found.from : "";
    return found;
}

} // namespace profiler
