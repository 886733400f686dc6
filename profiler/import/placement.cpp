#include "profiler/import/placement.h"

#include "engine/schedule/schedule.h"
#include "profiler/import/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

// A rank that computes its stages together with another rank, which the run shows.
constexpr int kSharesDevice = -1;

// By rank: its data-parallel copy, or kSharesDevice. If ranges name the stages, `ops` has the
// pipeline ops of each rank, and ranks that execute the same ops are copies of each other. Ranks
// with the same stages but different micro-batches are not copies: they belong to the two
// directions of one pipeline.
std::vector<int> findCopies(const Job& job, std::span<const std::set<Op>> ops)
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

bool hasWork(const JobRank& rank, OpKind kind)
{
    return std::ranges::any_of(rank.work.works,
                               [&](const Work& work) { return work.op.kind == kind; });
}

bool namesPeers(const JobRank& rank)
{
    return std::ranges::any_of(rank.trace.nccl, [](const auto& kernel) {
        return kernel.second.source >= 0 && kernel.second.target >= 0;
    });
}

// If the first rank of a pipeline receives activations and sends gradients, these are messages of
// the next chunk of the model, so ranks have several stages.
bool messagesShowChunks(const Job& job)
{
    // Without kernels, the range of a message may send or receive nothing.
    return std::ranges::any_of(job.ranks, [](const JobRank& rank) {
        return rank.position == 0 && !rank.trace.gpu.kernels.empty()
            && hasWork(rank, OpKind::RecvActivation) && hasWork(rank, OpKind::SendGradient);
    });
}

// If a rank sends gradients before its first backward of an iteration, they are activations of a
// V-shaped or a bidirectional schedule, so ranks have several stages.
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
            if (!isBackward(works[i].op.kind))
                continue;
            if (sent[iteration] >= kFewest)
                return true;
            begun.insert(iteration);
        }
    }
    return false;
}

// Whether the messages of the ranks show that every pipeline of the job has one stage per rank, in
// the order of the ranks. A rank that receives no activations is a first stage, and one that sends
// none is a last stage. If other ranks than the first and the last one are such, the ranks form
// several pipelines whose members are unknown, as with tensor parallelism. Without process groups,
// the ranks of all stages but one need a trace.
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
        const auto computes = [](const Work& work) { return runsMicroBatch(work.op.kind); };
        if (std::ranges::none_of(rank.work.works, computes))
            return true;
        // The last rank may send its results to the first one. Without NCCL's arguments, the range
        // of the receive may receive nothing; without gradients, it is a ring of attention.
        if (isFirst && receives(rank) && (!isPeerKnown || !returned))
            return false;
        return (!received || isFirst || receives(rank)) && (!sent || isLast || sends(rank));
    });
}

// The largest number of ranks that can be one pipeline with one stage per rank. More ranks are
// taken to be several copies.
constexpr int kLongestPipeline = 1024;

// Counts micro-batches to number the next one. Each kind has its own count. If I and W (both are
// backwards) shared a count, every second number would be skipped.
using Counter = std::map<std::tuple<int, OpKind, int, int>, int>; // iteration, kind, chunk, replica

template<class Predicate>
bool anyWork(const Job& job, Predicate predicate)
{
    return std::ranges::any_of(job.ranks, [&](const JobRank& rank) {
        return std::ranges::any_of(rank.work.works, [&](const Work& work) {
            return runsMicroBatch(work.op.kind) && predicate(work.op);
        });
    });
}

class Placer
{
public:
    Placer(const Job& job, const FoundIterations& iterations)
        : m_job(job)
        , m_iterations(iterations)
    { }

    Placement run()
    {
        findSource();
        numberMicroBatches();
        for (std::uint32_t rank = 0; rank < m_job.ranks.size(); ++rank)
            resolve(rank);
        m_copy = m_from == StageFrom::Names ? findCopies(m_job, m_ops) : findCopies(m_job, {});
        makeDevices();
        finish();
        return std::move(m_result);
    }

private:
    enum class StageFrom : std::uint8_t { Names, Chunks, Ranks, Unknown };

    void findSource()
    {
        for (const JobRank& rank : m_job.ranks) {
            std::set<int> named;
            for (const Work& work : rank.work.works)
                if (work.op.stage && runsMicroBatch(work.op.kind) && !isOutlier(work.op))
                    named.insert(*work.op.stage);
            m_onlyStage.push_back(named.size() == 1 ? *named.begin() : -1);
        }
        m_hasSlices = anyWork(m_job, [](const NamedOp& op) { return op.slice.value_or(0) > 0; });
        const bool numbered
            = anyWork(m_job, [](const NamedOp& op) { return op.microBatch.has_value(); });
        if (anyWork(m_job, [](const NamedOp& op) { return op.stage.has_value(); })) {
            m_from = StageFrom::Names;
        } else if (anyWork(m_job, [](const NamedOp& op) { return op.chunk.has_value(); })) {
            m_from = StageFrom::Chunks;
            m_isV = isVShaped();
            m_result.warnings.push_back(fmt::format(
                "Stages follow from ranks and chunks, which are placed {}.",
                m_isV ? "in a V, because chunk 1 begins on the last rank" : "in a loop"));
        } else if (depth() > 1 && messagesShowChunks(m_job)) {
            m_result.warnings.emplace_back(
                "Stages are unknown: ranks have several stages, because the first rank of a "
                "pipeline "
                "receives activations and sends gradients, and the traces name no stages.");
        } else if (depth() > 1 && messagesShowDirections(m_job, m_iterations)) {
            m_result.warnings.emplace_back("Stages are unknown: ranks have several stages, because "
                                           "they send activations in both "
                                           "directions, and the traces name no stages.");
        } else if (depth() > 1 && depth() <= kLongestPipeline
                   && (numbered || m_job.namesPipelines || messagesShowPipelines(m_job)
                       || std::ranges::all_of(m_job.ranks, [](const JobRank& rank) {
                              return rank.work.fromStageFrames;
                          }))) {
            m_from = StageFrom::Ranks;
            m_result.warnings.push_back(
                m_job.pipelines.size() == 1
                    ? "The traces name no stages; stages are in the order of ranks, because ranks "
                      "exchange messages, number their micro-batches or have a process group for "
                      "pipelines."
                    : fmt::format(
                        "The traces name no stages; by the process groups of pipelines or "
                        "messages, there are {} pipelines of {} ranks.",
                        m_job.pipelines.size(), depth()));
        }
        m_result.stagesKnown = m_from != StageFrom::Unknown;
        m_result.microBatchesKnown = numbered || m_from == StageFrom::Ranks;
    }
    // Some programs number micro-batches from 1, or through all iterations.
    void numberMicroBatches()
    {
        std::vector<std::set<int>> named(static_cast<std::size_t>(m_iterations.count));
        for (std::size_t rank = 0; rank < m_job.ranks.size(); ++rank)
            for (std::size_t i = 0; i < m_job.ranks[rank].work.works.size(); ++i)
                if (const NamedOp& op = m_job.ranks[rank].work.works[i].op; op.microBatch
                    && runsMicroBatch(op.kind) && !isOutlier(op)
                    && m_iterations.ofWork[rank][i] >= 0)
                    named[static_cast<std::size_t>(m_iterations.ofWork[rank][i])].insert(
                        *op.microBatch);
        std::set<int> all;
        std::size_t most = 0; // in one iteration
        for (const std::set<int>& each : named) {
            all.insert(each.begin(), each.end());
            most = std::max(most, each.size());
        }
        for (const std::set<int>& each : named) {
            const std::set<int>& numbers = all.size() > most ? each : all;
            m_microBatches.emplace_back(numbers.begin(), numbers.end());
        }
    }
    int microBatch(int number, int iteration) const
    {
        const std::vector<int>& numbers = m_microBatches[static_cast<std::size_t>(iteration)];
        return static_cast<int>(std::ranges::lower_bound(numbers, number) - numbers.begin());
    }
    void resolve(std::uint32_t rank)
    {
        Counter counter;
        const ClassifiedRank& from = m_job.ranks[rank].work;
        m_stages.emplace_back();
        m_ops.emplace_back();
        const auto note = [&](const Op& op) {
            if (runsMicroBatch(op.kind)) {
                m_stages.back().insert(op.stage.value);
                m_ops.back().insert(op);
                m_mostMicroBatches = std::max(m_mostMicroBatches, op.microBatch.value + 1);
            }
        };
        int latest = -1; // iteration of the latest compute op
        bool latestIsLost = false;
        for (std::uint32_t i = 0; i < from.works.size(); ++i) {
            const int iteration = m_iterations.ofWork[rank][i];
            if (iteration < 0)
                continue;
            const NamedOp& op = from.works[i].op;
            const auto& second = from.works[i].second;
            const bool toNext
                = op.kind == OpKind::SendActivation || op.kind == OpKind::RecvGradient;
            if (m_from == StageFrom::Names && op.stage && isTransfer(op.kind) && !isOutlier(op)) {
                m_namesMessages = true;
                m_lastStage = std::max(m_lastStage, *op.stage + (toNext ? 1 : 0));
            }
            if (isOutlier(op) || (second && isOutlier(*second))
                || (stageOf(rank, op) < 0 && hasMicroBatch(op.kind))) {
                m_result.damaged.insert(iteration);
                m_lacksOps = m_lacksOps || isCompute(op.kind);
                ++m_result.withoutStage;
                continue;
            }
            PlacedWork placed{rank, i, iteration, resolved(rank, op, iteration, counter),
                              std::nullopt};
            if (second)
                placed.second = resolved(rank, *second, iteration, counter);
            forEachOp(placed, note);
            if (from.works[i].lacksKernels)
                m_result.damaged.insert(iteration);
            const bool isLost = from.works[i].isLost;
            if (isCompute(op.kind)) {
                m_lacksOps = m_lacksOps || isLost;
                if (iteration != latest && (isLost || latestIsLost))
                    m_result.endsKnown = false;
                latestIsLost = isLost;
                latest = iteration;
            }
            if (isLost)
                ++m_result.lost;
            else
                m_result.works.push_back(placed);
        }
        m_result.endsKnown = m_result.endsKnown && !latestIsLost;
    }
    // The largest number that 19 of 20 ops name, or a little more. A larger one is damaged.
    int mostNamed(std::optional<int> NamedOp::*number) const
    {
        std::vector<int> named;
        for (const JobRank& rank : m_job.ranks)
            for (const Work& work : rank.work.works)
                if (const auto& each = work.op.*number; each && runsMicroBatch(work.op.kind))
                    named.push_back(*each);
        if (named.empty())
            return std::numeric_limits<int>::max();
        constexpr std::size_t kRare = 20;
        const auto usual
            = named.begin() + static_cast<std::ptrdiff_t>((named.size() - 1) * (kRare - 1) / kRare);
        std::ranges::nth_element(named, usual);
        constexpr int kMore = 16;
        return *usual > std::numeric_limits<int>::max() / 4 ? *usual : 2 * *usual + kMore;
    }
    bool isOutlier(const NamedOp& op) const
    {
        return op.stage.value_or(0) > m_mostStage || op.microBatch.value_or(0) > m_mostMicroBatch;
    }
    Op resolved(std::uint32_t rank, const NamedOp& named, int iteration, Counter& counter)
    {
        Op op;
        op.kind = named.kind;
        if (isCopy(op.kind) && !named.usesHost)
            op.peer = 0; // setPeer() sets it
        op.replica = named.up ? 1 : 0;
        op.stage = StageId{stageOf(rank, named)};
        if (m_hasSlices && named.slice && *named.slice < Op::kWhole)
            op.slice = static_cast<std::uint16_t>(*named.slice);
        if (!hasMicroBatch(op.kind))
            return op;
        const int ordinal = counter[{iteration, named.kind, op.stage.value, op.replica}]++;
        op.microBatch
            = MicroBatchId{named.microBatch ? microBatch(*named.microBatch, iteration) : ordinal};
        return op;
    }
    int stageOf(std::uint32_t rank, const NamedOp& named) const
    {
        const int ranks = depth(), index = m_job.ranks[rank].position;
        switch (m_from) {
        case StageFrom::Names:
            return named.stage.value_or(m_onlyStage[rank]);
        case StageFrom::Chunks: {
            const std::int64_t chunk = named.chunk.value_or(0);
            const bool isReversed = m_isV && chunk % 2 == 1;
            const std::int64_t stage = chunk * ranks + (isReversed ? ranks - 1 - index : index);
            return stage <= 0xFFFF ? static_cast<int>(stage) : -1; // rules have the same limit
        }
        case StageFrom::Ranks:
            return index;
        case StageFrom::Unknown:
            break;
        }
        return 0;
    }
    // In a V, chunk 1 begins on the last rank and not on the first one.
    bool isVShaped() const
    {
        std::optional<std::int64_t> first, last;
        for (const JobRank& rank : m_job.ranks) {
            if (rank.rank != m_job.pipelines.front().front()
                && rank.rank != m_job.pipelines.front().back())
                continue;
            for (const Work& work : rank.work.works)
                if (work.op.kind == OpKind::Forward && work.op.chunk == 1) {
                    (rank.rank == m_job.pipelines.front().front() ? first : last)
                        = work.window.begin;
                    break;
                }
        }
        return depth() > 1 && first && last && *last < *first;
    }
    void makeDevices()
    {
        const int copies = *std::ranges::max_element(m_copy) + 1;
        std::set<int> held;
        for (const std::set<int>& stages : m_stages)
            held.insert(stages.begin(), stages.end());
        const bool fromPipeline = m_from == StageFrom::Ranks || m_from == StageFrom::Chunks;
        std::vector<int> ranks = fromPipeline ? m_job.pipelines.front() : std::vector<int>();
        for (std::size_t i = 0; i < m_job.ranks.size() && !fromPipeline; ++i)
            if (m_copy[i] == 0)
                ranks.push_back(m_job.ranks[i].rank);
        const int named = held.empty() ? 1 : std::max(1, *held.rbegin() + 1);
        const int stages = m_from == StageFrom::Ranks ? depth() : std::max(named, m_lastStage + 1);
        int lacking = copies == 1 && !fromPipeline ? stages - static_cast<int>(held.size()) : 0;
        for (const int rank : m_job.pipelines.front())
            if (std::ranges::binary_search(m_job.missing, rank) && lacking-- > 0)
                ranks.push_back(rank);
        std::ranges::sort(ranks);
        m_result.ranks = ranks;
        for (std::size_t i = 0; i < m_job.ranks.size(); ++i) {
            const auto at = std::ranges::find(ranks, m_job.ranks[i].rank);
            if (at == ranks.end() && m_copy[i] == 0)
                m_copy[i] = kSharesDevice;
            m_result.deviceOfRank.push_back(
                m_copy[i] == 0 ? DeviceId{static_cast<int>(at - ranks.begin())} : DeviceId{-1});
        }
        m_result.complete = std::cmp_equal(held.size(), stages) && m_result.stagesKnown;
        if (m_result.stagesKnown && !held.contains(stages - 1))
            m_result.lack = fmt::format("stage {} has no trace", stages - 1);
        else if (m_result.stagesKnown && !m_result.complete)
            m_result.lack = fmt::format("stage {} has no trace", firstWithout(held));
        else if (!m_job.missing.empty() && !m_job.knowsPipelines && !m_namesMessages)
            m_result.lack
                = fmt::format("{} of {} ranks have no trace and may be further stages",
                              m_job.missing.size(), m_job.missing.size() + m_job.ranks.size());
        Shape& shape = m_result.shape;
        shape.devices = static_cast<int>(ranks.size());
        shape.dataParallel = copies;
        shape.stages = stages;
    }
    static int firstWithout(const std::set<int>& held)
    {
        int stage = 0;
        while (held.contains(stage))
            ++stage;
        return stage;
    }
    void placeStages()
    {
        Shape& shape = m_result.shape;
        shape.replicas = 1;
        for (const PlacedWork& work : m_result.works)
            shape.replicas = std::max(shape.replicas, work.op.replica + 1);
        std::set<DeviceId> empty; // devices of ranks without a trace
        for (int d = 0; d < shape.devices; ++d)
            empty.insert(DeviceId{d});
        for (const DeviceId d : m_result.deviceOfRank)
            empty.erase(d);
        m_result.deviceOf.assign(static_cast<std::size_t>(shape.replicas), {});
        for (auto& stages : m_result.deviceOf)
            stages.assign(static_cast<std::size_t>(shape.stages), DeviceId{-1});
        for (const PlacedWork& work : m_result.works)
            forEachOp(work, [&](const Op& op) {
                if (runsMicroBatch(op.kind)
                    && m_result.deviceOf[op.replica].has(op.stage)) // not -1 (unknown)
                    m_result.deviceOf[op.replica][op.stage] = m_result.deviceOfRank[work.rank];
            });
        auto next = empty.begin();
        for (auto& stages : m_result.deviceOf)
            for (DeviceId& device : stages)
                if (!device.isValid()) {
                    device = next == empty.end() ? DeviceId{0} : *next;
                    next = next == empty.end() || std::next(next) == empty.end() ? empty.begin()
                                                                                 : std::next(next);
                }
    }
    // Assigns the two directions if ops do not name them. Of the two ranks with a stage, the lower
    // one has the down direction in the first half of the stages, and the up direction in the
    // second half.
    void nameDirections()
    {
        const auto isUp = [](const PlacedWork& work) { return work.op.replica > 0; };
        if (m_from != StageFrom::Names || std::ranges::any_of(m_result.works, isUp))
            return;
        std::map<int, std::set<std::uint32_t>> holders;
        for (const PlacedWork& work : m_result.works)
            if (runsMicroBatch(work.op.kind))
                holders[work.op.stage.value].insert(work.rank);
        for (PlacedWork& work : m_result.works) {
            const std::set<std::uint32_t>& ranks = holders[work.op.stage.value];
            const bool isFirst = !ranks.empty() && *ranks.begin() == work.rank;
            const bool isFirstHalf = 2 * work.op.stage.value < m_result.shape.stages;
            if (ranks.size() == 2)
                forEachOp(work, [&](Op& op) { op.replica = isFirst == isFirstHalf ? 0 : 1; });
        }
    }
    void finish()
    {
        std::erase_if(m_result.works,
                      [&](const PlacedWork& work) { return m_copy[work.rank] != 0; });
        nameDirections();
        placeStages();
        Shape& shape = m_result.shape;
        std::map<DeviceId, StageId> firstStage;
        for (auto& stages : m_result.deviceOf)
            for (const StageId stage : stages.ids())
                firstStage.emplace(stages[stage], stage);
        const bool isUnknown = m_from == StageFrom::Unknown;
        for (PlacedWork& work : m_result.works) {
            if (work.op.stage.value < 0 || (isUnknown && !hasMicroBatch(work.op.kind)))
                work.op.stage = isUnknown
                    ? StageId{0}
                    : firstStage.emplace(m_result.deviceOfRank[work.rank], StageId{0})
                          .first->second;
            if (work.second && work.second->stage.value < 0)
                work.second->stage = work.op.stage;
            setPeer(work.op);
            // If stages are unknown, ranks share no micro-batches, so each rank gets its own
            // numbers.
            const bool isOwn = isUnknown && work.op.microBatch.isValid();
            forEachOp(work, [&](Op& op) {
                op.microBatch.value += isOwn ? static_cast<int>(work.rank) * m_mostMicroBatches : 0;
                shape.microBatches = std::max(shape.microBatches, op.microBatch.value + 1);
            });
        }
        shape.microBatches = std::max(shape.microBatches, 1);
        setSlices();
        m_result.withoutPeer
            = static_cast<std::int64_t>(std::erase_if(m_result.works, [&](const PlacedWork& work) {
                  return isTransfer(work.op.kind)
                      && (work.op.peer == Op::kNoPeer || work.op.stage.value >= shape.stages);
              }));
        splitBackward();
        std::set<std::tuple<std::uint32_t, int, Op>> seen;
        m_result.twice
            = static_cast<std::int64_t>(std::erase_if(m_result.works, [&](const PlacedWork& work) {
                  return runsMicroBatch(work.op.kind)
                      && !seen.emplace(work.rank, work.iteration, work.op).second;
              }));
        compareStages();
        constexpr std::int64_t kFew = 4;
        if (m_result.cut.empty() && kFew * m_result.twice > std::ssize(seen))
            m_result.cut = "ops occur several times in an iteration, as if its range had "
                           "several steps";
    }
    // Every stage executes all micro-batches, forward and, in training, backward: a B, or I and W.
    // Stage 0 needs no I.
    void compareStages()
    {
        std::map<StageId, std::set<MicroBatchId>> forwards, backwards, inputs;
        const auto addTo = [](auto& all, const Op& op, bool isOne) {
            if (auto& of = all[op.stage]; isOne) // a stage without one counts
                of.insert(op.microBatch);
        };
        for (const PlacedWork& work : m_result.works)
            forEachOp(work, [&](const Op& op) {
                if (!isPass(op.kind))
                    return;
                const bool isWhole = op.kind == OpKind::Backward;
                addTo(forwards, op, op.kind == OpKind::Forward);
                addTo(backwards, op, isWhole || op.kind == OpKind::BackwardWeight);
                addTo(inputs, op, isWhole || op.kind == OpKind::BackwardInput);
            });
        if (inputs.contains(StageId{0}))
            inputs[StageId{0}] = backwards[StageId{0}];
        if (!m_result.stagesKnown || m_lacksOps)
            return;
        for (const auto& [of, what] :
             {std::pair(&forwards, "micro-batches"), std::pair(&backwards, "backwards"),
              std::pair(&inputs, "gradients of inputs")}) {
            std::string& lack = of == &inputs ? m_result.lack : m_result.cut;
            if (of->empty() || !lack.empty())
                continue;
            const auto [least, most] = std::ranges::minmax_element(
                *of, {}, [](const auto& each) { return each.second.size(); });
            if (least->second.size() < most->second.size())
                lack = fmt::format("stage {} has {} {} and stage {} has {}", least->first.value,
                                   least->second.size(), what, most->first.value,
                                   most->second.size());
        }
        for (const auto& [stage, own] : forwards)
            if (const std::size_t count = backwards[stage].size();
                count > 0 && !own.empty() && own.size() != count && m_result.cut.empty())
                m_result.cut = fmt::format("stage {} has {} forwards and {} backwards", stage.value,
                                           own.size(), count);
    }
    // Turns B into I if there is a separate W, because such a B computes only the input gradient.
    void splitBackward()
    {
        const auto partOf = [](const PlacedWork& work, const Op& op) {
            return std::tuple(work.rank, work.iteration, op.stage, op.microBatch, op.replica);
        };
        std::set<decltype(partOf(std::declval<PlacedWork>(), Op()))> withWeight;
        for (const PlacedWork& work : m_result.works)
            if (work.op.kind == OpKind::BackwardWeight)
                withWeight.insert(partOf(work, work.op));
        for (PlacedWork& work : m_result.works)
            forEachOp(work, [&](Op& op) {
                if (op.kind == OpKind::Backward && withWeight.contains(partOf(work, op)))
                    op.kind = OpKind::BackwardInput;
            });
    }
    // An op can process a part of a micro-batch. This function decides whether such parts are
    // halves or slices: they are halves if the run also has a forward of a whole micro-batch.
    void setSlices()
    {
        const bool areHalves = std::ranges::any_of(m_result.works, [](const PlacedWork& work) {
            return work.op.kind == OpKind::Forward && work.op.slice == Op::kWhole;
        });
        for (PlacedWork& work : m_result.works)
            forEachOp(work, [&](Op& op) {
                if (op.slice == Op::kWhole)
                    return;
                if (areHalves && isCompute(op.kind)) // transfers of halves have no flag
                    op.flags = OpFlag::Half;
                m_result.shape.slices
                    = std::max(m_result.shape.slices, areHalves ? 2 : op.slice + 1);
            });
    }
    void setPeer(Op& op) const
    {
        const auto& stages = m_result.deviceOf[op.replica];
        if (isCopy(op.kind) && !usesHost(op) && stages.has(op.stage))
            op.peer
                = static_cast<std::uint16_t>(m_result.shape.devices - 1 - stages[op.stage].value);
        const bool toNext = op.kind == OpKind::SendActivation || op.kind == OpKind::RecvGradient;
        const StageId peer{op.stage.value + (toNext ? 1 : -1)};
        if (isTransfer(op.kind) && stages.has(peer))
            op.peer = static_cast<std::uint16_t>(stages[peer].value);
    }
    int depth() const { return static_cast<int>(m_job.pipelines.front().size()); }

    const Job& m_job;
    const FoundIterations& m_iterations;
    Placement m_result;
    const int m_mostStage = mostNamed(&NamedOp::stage); // a larger number is damaged
    const int m_mostMicroBatch = mostNamed(&NamedOp::microBatch);
    StageFrom m_from = StageFrom::Unknown;
    bool m_lacksOps = false;                 // whether a damaged compute op was left out
    bool m_isV = false, m_hasSlices = false; // m_hasSlices: not all ops are of slice 0
    bool m_namesMessages = false;            // whether ranges name messages with their stage
    int m_lastStage = 0;                     // the last stage that these messages name
    std::vector<int> m_onlyStage; // by rank: the stage that its ranges name; -1: none or several
    // By iteration: the numbers that ops name; a micro-batch is its index.
    std::vector<std::vector<int>> m_microBatches;
    int m_mostMicroBatches = 0;          // most micro-batches of any rank
    std::vector<std::set<int>> m_stages; // by rank: its stages
    std::vector<std::set<Op>> m_ops;     // by rank: its pipeline ops
    std::vector<int> m_copy;             // by rank: findCopies()
};

} // namespace

Placement place(const Job& job, const FoundIterations& iterations)
{
    return Placer(job, iterations).run();
}

} // namespace profiler
