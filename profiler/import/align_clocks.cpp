#include "engine/base/median.h"
#include "engine/schedule/transfers.h"
#include "profiler/import/placement.h"
#include "profiler/store/row_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {

// The same moment on the clock of a host and on the common clock.
struct Pair
{
    std::int64_t time = 0;       // time on the common clock
    std::int64_t difference = 0; // the host's time - common time
    bool toHost = false;         // true: the host received the message; false: sent it
};

struct Fit
{
    // `offset` is the difference at the time `from`; `drift` is its change per ns.
    std::int64_t offset = 0, from = 0, spread = 0;
    double drift = 0;

    std::int64_t at(std::int64_t time) const
    {
        return offset + std::llround(drift * static_cast<double>(time - from));
    }
};

std::int64_t medianDifference(const std::vector<Pair>& pairs, bool toHost)
{
    std::vector<std::int64_t> differences;
    for (const Pair& pair : pairs)
        if (pair.toHost == toHost)
            differences.push_back(pair.difference);
    return medianOf(differences);
}

// Fits offset and drift to the differences. The delay of a message is added to the differences in
// one direction and subtracted in the other, so the offset is the mean of the medians of both
// directions.
Fit fitted(const std::vector<Pair>& pairs)
{
    const auto count = std::ranges::count(pairs, true, &Pair::toHost);
    const std::int64_t to = medianDifference(pairs, true), back = medianDifference(pairs, false);
    Fit fit;
    fit.offset = count == 0 ? back : count == std::ssize(pairs) ? to : to / 2 + back / 2;
    const auto residual = [&](const Pair& pair) {
        return static_cast<double>(pair.difference - (pair.toHost ? to : back));
    };
    double mean = 0;
    for (const Pair& pair : pairs)
        mean += static_cast<double>(pair.time - pairs.front().time)
            / static_cast<double>(pairs.size());
    fit.from = pairs.front().time + std::llround(mean);
    double above = 0, below = 0;
    for (const Pair& pair : pairs) {
        const auto time = static_cast<double>(pair.time - fit.from);
        above += time * residual(pair);
        below += time * time;
    }
    constexpr std::size_t kFewest = 16; // with fewer pairs, noise looks like drift
    constexpr double kMostDrift = 0.01; // a clock drifts far less
    const double drift = pairs.size() >= kFewest && below > 0 ? above / below : 0;
    fit.drift = std::abs(drift) <= kMostDrift ? drift : 0;
    std::vector<std::int64_t> distances;
    for (const Pair& pair : pairs)
        distances.push_back(std::llabs(
            std::llround(residual(pair) - fit.drift * static_cast<double>(pair.time - fit.from))));
    fit.spread = medianOf(distances);
    return fit;
}

// Identifies a message by its consumer: the iteration, whether it is a gradient, and the stage,
// micro-batch, replica and slice of the consuming op.
using Consumer = std::tuple<int, bool, int, int, int, int>;

bool isGradient(OpKind kind)
{
    return kind == OpKind::SendGradient || kind == OpKind::RecvGradient || isBackward(kind);
}

Consumer consumerOf(int iteration, const Op& op)
{
    const bool gradient = isGradient(op.kind);
    const int receiver = isSend(op.kind) ? op.stage.value + (gradient ? -1 : 1) : op.stage.value;
    return {iteration, gradient, receiver, op.microBatch.value, op.replica, op.slice};
}

class Aligner
{
public:
    Aligner(Job& job, const Placement& placement)
        : m_job(job)
    {
        for (std::size_t i = 0; i < job.ranks.size(); ++i) {
            const RankTrace& trace = job.ranks[i].trace;
            m_onGpu = m_onGpu || !trace.gpu.kernels.empty();
            if (placement.deviceOfRank[i].isValid())
                m_hosts.push_back(trace.host);
        }
        collect(placement);
    }

    std::vector<ImportReport::Clock> run()
    {
        std::vector<ImportReport::Clock> clocks;
        std::set<std::string> aligned{m_hosts.front()}, others(m_hosts.begin(), m_hosts.end());
        others.erase(m_hosts.front());
        for (bool progress = true; progress && !others.empty();) {
            progress = false;
            for (const std::string& host : std::set(others)) {
                const std::vector<Pair> pairs = pairsOf(host, aligned);
                if (pairs.empty())
                    continue;
                const Fit fit = fitted(pairs);
                move(host, fit);
                constexpr double kMillion = 1e6;
                clocks.push_back({host, fit.offset, kMillion * fit.drift, fit.spread,
                                  static_cast<int>(pairs.size())});
                aligned.insert(host);
                others.erase(host);
                progress = true;
            }
        }
        for (const std::string& host : others)
            m_job.warnings.push_back(fmt::format(
                "The clock of {} cannot be aligned: the traces have no message or collective "
                "between it and another host.",
                host));
        return clocks;
    }

private:
    // One end of a message, or one rank's part in a collective.
    struct End
    {
        std::uint32_t rank = 0, work = 0;
        bool receives = false;
    };

    const std::string& groupOf(const PlacedWork& placed) const
    {
        const JobRank& rank = m_job.ranks[placed.rank];
        return rank.trace.text(rank.work.works[placed.work].group);
    }
    const std::string& hostOf(std::uint32_t rank) const { return m_job.ranks[rank].trace.host; }
    const Window& windowOf(const End& end) const
    {
        return m_job.ranks[end.rank].work.works[end.work].window;
    }

    void collect(const Placement& placement)
    {
        std::map<Consumer, std::vector<End>> messages;
        std::map<std::tuple<int, std::string, int, int>, std::vector<End>> collectives;
        // Number of collectives per rank, iteration and process group. If the trace does not state
        // groups, ranks with different numbers of collectives are taken to be in different groups.
        std::map<std::tuple<std::uint32_t, int, std::string>, int> counts, order;
        for (const PlacedWork& placed : placement.works)
            if (placed.op.kind == OpKind::AllReduce)
                ++counts[{placed.rank, placed.iteration, groupOf(placed)}];
        for (const PlacedWork& placed : placement.works) {
            const Op& op = placed.op;
            if (isTransfer(op.kind))
                messages[consumerOf(placed.iteration, op)].push_back(
                    {placed.rank, placed.work, !isSend(op.kind)});
            else if (op.kind == OpKind::AllReduce) {
                const std::tuple key(placed.rank, placed.iteration, groupOf(placed));
                collectives[{placed.iteration, std::get<2>(key), counts[key], order[key]++}]
                    .push_back({placed.rank, placed.work, false});
            }
        }
        const auto keep = [this](auto& byKey) {
            for (auto& [key, ends] : byKey)
                if (ends.size() > 1)
                    m_exchanges.push_back(std::move(ends));
        };
        keep(messages);
        keep(collectives);
    }

    // Pairs every end on the host with the median end on the aligned hosts. If it were paired with
    // all of them, the pairs of a collective would grow with the square of the ranks.
    std::vector<Pair> pairsOf(const std::string& host, const std::set<std::string>& aligned) const
    {
        std::vector<Pair> pairs;
        for (const std::vector<End>& ends : m_exchanges) {
            std::vector<std::int64_t> moments;
            for (const End& here : ends)
                if (aligned.contains(hostOf(here.rank)))
                    moments.push_back(momentOf(here));
            if (moments.empty())
                continue;
            const std::int64_t time = medianOf(moments);
            for (const End& there : ends)
                if (hostOf(there.rank) == host)
                    pairs.push_back({time, momentOf(there) - time, there.receives});
        }
        return pairs;
    }

    std::int64_t momentOf(const End& end) const
    {
        const Window window = windowOf(end);
        const bool isSend
            = !end.receives && isTransfer(m_job.ranks[end.rank].work.works[end.work].op.kind);
        return isSend && !m_onGpu ? window.begin : window.end;
    }

    static std::int64_t inRange(std::int64_t time)
    {
        static_assert(kMostTime - kLeastTime <= kMostTicks);
        return std::clamp(time, kLeastTime, kMostTime);
    }

    void move(const std::string& host, const Fit& fit)
    {
        const auto moved = [&](Window& window) {
            const std::int64_t by = fit.at(window.begin - fit.offset);
            window = {inRange(window.begin - by), inRange(window.end - by)};
        };
        for (JobRank& rank : m_job.ranks) {
            if (rank.trace.host != host)
                continue;
            for (Work& work : rank.work.works) {
                moved(work.host);
                moved(work.window);
            }
            const auto all = [&](auto& rows) {
                for (auto& row : rows)
                    moved(row.window);
            };
            all(rank.trace.ranges);
            all(rank.trace.gpu.kernels);
            all(rank.trace.gpu.copies);
            all(rank.trace.gpu.memsets);
            all(rank.trace.gpu.calls);
            for (auto& [rule, matches] : rank.work.matches)
                all(matches);
            for (MemoryEvent& memory : rank.trace.memory)
                memory.time = inRange(memory.time - fit.at(memory.time - fit.offset));
        }
    }

    Job& m_job;
    bool m_onGpu = false;
    std::vector<std::string> m_hosts; // by device with a trace
    std::vector<std::vector<End>> m_exchanges;
};

struct Transfer
{
    const PlacedWork *send = nullptr, *receive = nullptr;
};

} // namespace

std::vector<ImportReport::Clock> alignClocks(Job& job, const Placement& placement)
{
    return Aligner(job, placement).run();
}

void alignMessages(Job& job, const Placement& placement)
{
    const auto workOf = [&](const PlacedWork& placed) -> Work& {
        return job.ranks[placed.rank].work.works[placed.work];
    };
    std::map<Consumer, Transfer> messages;
    // Time at which the consumer of each message began to wait.
    std::map<Consumer, std::int64_t> waits;
    for (const PlacedWork& placed : placement.works) {
        const Op& op = placed.op;
        const Consumer consumer = consumerOf(placed.iteration, op);
        if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient)
            messages[consumer].send = &placed;
        else if (isTransfer(op.kind))
            messages[consumer].receive = &placed;
        else if (isPipelineOp(op.kind) && op.kind != OpKind::BackwardWeight)
            waits.emplace(consumer, workOf(placed).host.begin);
    }
    const bool onGpu = std::ranges::any_of(
        job.ranks, [](const JobRank& rank) { return !rank.trace.gpu.kernels.empty(); });
    constexpr std::int64_t kWaited = 100'000; // ns; shorter waits are call overhead
    std::vector<std::int64_t> waited;
    std::vector<Work*> others;
    for (const auto& [consumer, ends] : messages) {
        if (ends.send == nullptr || ends.receive == nullptr)
            continue;
        Work &send = workOf(*ends.send), &receive = workOf(*ends.receive);
        const Window until = receive.window;
        send.window = receive.window
            = {std::clamp(send.window.begin, until.begin, until.end), until.end};
        const auto op = waits.find(consumer);
        const bool rangeWaits = receive.host.end >= until.end || op == waits.end();
        const std::int64_t wait = rangeWaits ? receive.host.begin : op->second;
        if (!onGpu && wait + kWaited > until.end) {
            others.push_back(&send);
            others.push_back(&receive);
        } else {
            waited.push_back(receive.window.duration());
        }
    }
    if (waited.empty())
        return;
    const std::int64_t usual = medianOf(waited);
    for (Work* work : others)
        work->window.end = std::min(work->window.end, work->window.begin + usual);
}

void alignAllReduces(Job& job, const Placement& placement)
{
    std::map<std::pair<int, StageId>, std::map<std::uint32_t, std::vector<Window*>>> calls;
    for (const PlacedWork& placed : placement.works)
        if (placed.op.kind == OpKind::AllReduce)
            calls[{placed.iteration, placed.op.stage}][placed.rank].push_back(
                &job.ranks[placed.rank].work.works[placed.work].window);
    for (const auto& [of, ranks] : calls) {
        const auto isOne = [](const auto& each) { return each.second.size() == 1; };
        if (!std::ranges::all_of(ranks, isOne)) // several calls: the ranges do not name stages
            continue;
        std::int64_t last = ranks.begin()->second.front()->begin;
        for (const auto& [rank, windows] : ranks)
            last = std::max(last, windows.front()->begin);
        for (const auto& [rank, windows] : ranks)
            windows.front()->begin = std::min(last, windows.front()->end);
    }
}

} // namespace profiler
