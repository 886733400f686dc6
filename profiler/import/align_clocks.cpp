#include "engine/base/median.h"
#include "engine/schedule/transfers.h"
#include "profiler/import/placement.h"
#include "profiler/store/row_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

// The same moment on the clock of a host and on the common clock.
struct Pair
{
    std::int64_t time = 0;       // time on the common clock
    std::int64_t difference = 0; // the host's time - common time
    bool toHost = false;         // true: the host received the message; false: sent it
    bool isMessage = false;      // false: a part of a collective
    std::uint32_t kind = 0;      // equal for the same exchange of other iterations
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

constexpr std::int64_t kClockNoise = 50'000; // ns

// No message arrives before it was sent, so the differences in one direction are at least the
// offset and those in the other at most. Sets the offset to the middle of these bounds, which
// rounding and noise may let cross. Leaves it if there is no message in one direction.
void keepOrder(const std::vector<Pair>& pairs, Fit& fit)
{
    std::optional<std::int64_t> least, most;
    for (const Pair& pair : pairs) {
        if (!pair.isMessage)
            continue;
        const std::int64_t difference = pair.difference - (fit.at(pair.time) - fit.offset);
        if (pair.toHost)
            most = std::min(most.value_or(difference), difference);
        else
            least = std::max(least.value_or(difference), difference);
    }
    if (least && most && *least <= *most + kClockNoise)
        fit.offset = *least + (*most - *least) / 2;
}

// The change of the differences per ns, or 0 if the pairs do not show any. Within an iteration the
// waits of a schedule look like drift, so each exchange is compared with itself in the last
// iteration. A clock that drifts changes the differences in both directions alike; messages that
// wait longer and longer do not.
double driftOf(const std::vector<Pair>& pairs)
{
    std::map<std::uint32_t, std::pair<const Pair*, const Pair*>> ends; // first and last, by kind
    for (const Pair& pair : pairs) {
        auto& [first, last] = ends.try_emplace(pair.kind, &pair, &pair).first->second;
        first = pair.time < first->time ? &pair : first;
        last = pair.time > last->time ? &pair : last;
    }
    std::vector<double> all, to, back;
    for (const auto& [kind, of] : ends)
        if (const auto& [first, last] = of; first->time < last->time) {
            all.push_back(static_cast<double>(last->difference - first->difference)
                          / static_cast<double>(last->time - first->time));
            (last->toHost ? to : back).push_back(all.back());
        }
    const double drift = medianOf(all);
    const auto agrees = [drift](const std::vector<double>& slopes) {
        constexpr std::ptrdiff_t kFewest = 8, kRare = 10; // with fewer, noise looks like drift
        return std::ssize(slopes) >= kFewest
            && kRare * std::ranges::count_if(slopes, [=](double one) { return one * drift <= 0; })
            <= std::ssize(slopes);
    };
    const bool isProven
        = agrees(back) && (agrees(to) || std::ranges::none_of(pairs, &Pair::isMessage));
    constexpr double kMost = 5e-4; // NTP corrects a clock by at most 500 ppm
    return isProven && std::abs(drift) <= kMost ? drift : 0;
}

// Fits offset and drift to the differences. The delay of a message is added to the differences in
// one direction and subtracted in the other, so the offset is the mean of the medians of both
// directions, unless the order of messages says more.
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
    fit.drift = driftOf(pairs);
    std::vector<std::int64_t> distances;
    for (const Pair& pair : pairs)
        distances.push_back(std::llabs(
            std::llround(residual(pair) - fit.drift * static_cast<double>(pair.time - fit.from))));
    fit.spread = medianOf(distances);
    keepOrder(pairs, fit);
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

// The host that PyTorch's handler for TensorBoard writes in the names of its files:
// "node3_4711.1790857026000.pt.trace.json". "" for other names.
std::string hostInName(const std::string& file)
{
    const std::string name = file.substr(file.find_last_of('/') + 1);
    const std::size_t point = name.find(".pt.trace.json");
    const std::size_t process = name.find_last_of('_', point);
    const bool isKnown = point != std::string::npos && process != std::string::npos
        && name.substr(process + 1, point - process - 1).find_first_not_of("0123456789.")
            == std::string::npos;
    return isKnown ? name.substr(0, process) : "";
}

class Aligner
{
public:
    Aligner(Job& job, const Placement& placement)
        : m_job(job)
        , m_onGpu(job.onGpu())
    {
        collect(placement);
        collectInputs(placement);
        nameClocks();
        std::set<std::uint32_t> placed;
        for (const PlacedWork& work : placement.works)
            placed.insert(work.rank);
        for (const std::uint32_t rank : placed)
            m_clocks.push_back(m_clockOf[rank]);
    }

    std::vector<ImportReport::Clock> run(const Placement& placement)
    {
        std::vector<ImportReport::Clock> clocks;
        if (m_clocks.empty()) // nothing was placed
            return clocks;
        std::set<std::string> aligned{m_clocks.front()}, others(m_clocks.begin(), m_clocks.end());
        others.erase(m_clocks.front());
        for (bool progress = true; progress && !others.empty();) {
            progress = false;
            for (const std::string& clock : std::set(others)) {
                const std::vector<Pair> pairs = pairsOf(clock, aligned);
                if (pairs.empty())
                    continue;
                const Fit fit = fitted(pairs);
                constexpr std::int64_t kSmall = 50'000; // ns
                const bool isSame = m_unproven.contains(clock)
                    && std::llabs(fit.offset) <= kSmall + 3 * fit.spread;
                if (!isSame) {
                    move(clock, fit);
                    constexpr double kMillion = 1e6;
                    clocks.push_back({clock, fit.offset, kMillion * fit.drift, fit.spread,
                                      static_cast<int>(pairs.size())});
                }
                aligned.insert(clock);
                others.erase(clock);
                progress = true;
            }
        }
        std::erase_if(others, [&](const std::string& clock) {
            const auto known = m_unproven.find(clock);
            return known != m_unproven.end() && (!known->second || agrees(clock, aligned));
        });
        if (!others.empty()) {
            m_job.warnings.push_back(fmt::format(
                "The clock of {}{} cannot be aligned: the traces have no message or collective "
                "between {} and another host.",
                *others.begin(),
                others.size() > 1 ? fmt::format(" and those of {} others", others.size() - 1) : "",
                others.size() > 1 ? "them" : "it"));
            m_job.lacksClock("the clocks of the traces cannot be compared");
        }
        checkOrder(placement, clocks);
        return clocks;
    }

private:
    // Ranks of several jobs, or messages that were paired wrongly, have no common clock.
    void checkOrder(const Placement& placement, const std::vector<ImportReport::Clock>& clocks)
    {
        std::int64_t noise = kClockNoise;
        for (const ImportReport::Clock& clock : clocks)
            noise = std::max(noise, kClockNoise + 2 * clock.spread);
        m_inputs.clear();
        collectInputs(placement);
        // A larger error of the clocks would be a part of the bubbles.
        constexpr std::int64_t kLeastShare = 50; // 2 % of an iteration
        noise = std::clamp(iterationTime(placement) / kLeastShare, kClockNoise, noise);
        if (m_job.clocksKnown && !inOrder([](const Input&) { return true; }, noise))
            m_job.lacksClock(
                "ops begin before their inputs, as if the traces were of several jobs");
    }

    // The usual time from the first to the last op of an iteration of one rank.
    std::int64_t iterationTime(const Placement& placement) const
    {
        std::map<int, Window> windows; // by iteration
        for (const PlacedWork& placed : placement.works)
            if (placed.rank == placement.works.front().rank)
                extend(windows, placed.iteration, windowOf({placed.rank, placed.work}));
        std::vector<std::int64_t> times;
        for (const auto& [iteration, window] : windows)
            times.push_back(window.duration());
        return medianOf(times);
    }

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
    // Names the clock of each rank. The files of a group with one name share a clock, unless that
    // is not proven.
    void nameClocks()
    {
        std::map<std::string, std::set<std::string>> filesOf; // by name of the clock
        const auto nameOf = [](const RankTrace& trace) {
            return trace.host.empty() ? hostInName(trace.file) : trace.host;
        };
        for (const JobRank& rank : m_job.ranks)
            filesOf[nameOf(rank.trace)].insert(rank.trace.file);
        std::set<std::string> contradicted;
        for (const auto& [name, files] : filesOf)
            if (files.size() > 1 && !inOrder([&, host = name](const Input& input) {
                    return nameOf(m_job.ranks[input.from].trace) == host
                        && nameOf(m_job.ranks[input.to].trace) == host;
                }))
                contradicted.insert(name);
        for (const std::string& name : contradicted)
            if (!name.empty())
                m_job.warnings.push_back(
                    fmt::format("All traces of {} name one host, but ops end before their inputs: "
                                "every file has its own clock.",
                                name));
        for (std::size_t i = 0; i < m_job.ranks.size(); ++i) {
            const RankTrace& trace = m_job.ranks[i].trace;
            std::string& clock = m_clockOf.emplace_back(nameOf(trace));
            const bool isSession = trace.program.starts_with("Nsight Systems");
            const bool isUnnamed = clock.empty() || isSession || contradicted.contains(clock);
            const bool isShared = filesOf[clock].size() > 1;
            if (!clock.empty() && !(isShared && (isUnnamed || sharesGpu(i, nameOf))))
                continue;
            clock = trace.file;
            m_unproven.emplace(clock, isUnnamed);
        }
    }
    // Whether another file with the same host has the same GPU.
    bool sharesGpu(std::size_t rank, const auto& nameOf) const
    {
        const RankTrace& own = m_job.ranks[rank].trace;
        return !own.gpu.kernels.empty()
            && std::ranges::any_of(m_job.ranks, [&](const JobRank& each) {
                   const RankTrace& other = each.trace;
                   return other.file != own.file && !other.gpu.kernels.empty()
                       && nameOf(other) == nameOf(own)
                       && other.gpu.kernels.front().place.device
                       == own.gpu.kernels.front().place.device;
               });
    }
    // Whether nearly all ops that `isMeant(input)` names begin after their inputs, for every two
    // ranks in each direction: the order of ops in both directions bounds the difference of two
    // clocks.
    bool inOrder(const auto& isMeant, std::int64_t noise = kClockNoise) const
    {
        struct Count
        {
            std::ptrdiff_t early = 0, all = 0;
        };
        std::map<std::pair<std::uint32_t, std::uint32_t>, Count> counts;
        for (const Input& input : m_inputs)
            if (isMeant(input)) {
                Count& count = counts[{input.from, input.to}];
                ++count.all;
                count.early += input.slack < -noise ? 1 : 0;
            }
        constexpr std::ptrdiff_t kRare = 5;
        return std::ranges::none_of(
            counts, [](const auto& each) { return kRare * each.second.early > each.second.all; });
    }
    // Whether the order of ops allows that the clock equals the aligned ones.
    bool agrees(const std::string& clock, const std::set<std::string>& aligned) const
    {
        const auto isTo = [&](const Input& input) {
            return clockOf(input.to) == clock && aligned.contains(clockOf(input.from));
        };
        const auto isBack = [&](const Input& input) {
            return clockOf(input.from) == clock && aligned.contains(clockOf(input.to));
        };
        return std::ranges::any_of(m_inputs, isTo) && std::ranges::any_of(m_inputs, isBack)
            && inOrder(isTo) && inOrder(isBack);
    }
    const std::string& clockOf(std::uint32_t rank) const { return m_clockOf[rank]; }
    const Window& windowOf(const End& end) const
    {
        return m_job.ranks[end.rank].work.works[end.work].window;
    }

    // An op and its input from another rank.
    struct Input
    {
        std::uint32_t from = 0, to = 0; // ranks
        // From the end of the input to the start of the op or, without kernels, to its end: the
        // range of an op on the host may contain the wait for its input.
        std::int64_t slack = 0;
    };

    void collectInputs(const Placement& placement)
    {
        std::map<std::tuple<int, Op>, const PlacedWork*> producers; // by iteration
        const auto identity = [](Op op) {
            op.kind = isBackward(op.kind) ? OpKind::Backward : op.kind;
            op.flags = OpFlag::None;
            op.peer = Op::kNoPeer;
            op.version = 0;
            return op;
        };
        const auto isStep = [](const Op& op) {
            return op.kind == OpKind::Forward || op.kind == OpKind::Backward
                || op.kind == OpKind::BackwardInput;
        };
        for (const PlacedWork& placed : placement.works)
            forEachOp(placed, [&](const Op& op) {
                if (isStep(op))
                    producers.emplace(std::tuple(placed.iteration, identity(op)), &placed);
            });
        for (const PlacedWork& placed : placement.works)
            forEachOp(placed, [&](const Op& op) {
                if (!isStep(op))
                    return;
                Op input = identity(op);
                input.stage.value += op.kind == OpKind::Forward ? -1 : 1;
                const auto found = producers.find(std::tuple(placed.iteration, input));
                if (found == producers.end() || found->second->rank == placed.rank)
                    return;
                const Window own = windowOf({placed.rank, placed.work});
                const Window before = windowOf({found->second->rank, found->second->work});
                m_inputs.push_back({found->second->rank, placed.rank,
                                    (m_onGpu ? own.begin : own.end) - before.end});
            });
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
        std::uint32_t kinds = 0;
        const auto keep = [&](auto& byKey) {
            auto numbers = std::map<typename std::remove_cvref_t<decltype(byKey)>::key_type,
                                    std::uint32_t>();
            for (auto& [key, ends] : byKey)
                if (ends.size() > 1) {
                    auto inAll = key;
                    std::get<0>(inAll) = 0; // the iteration
                    const auto [number, isNew] = numbers.emplace(inAll, kinds);
                    kinds += isNew ? 1 : 0;
                    m_exchanges.push_back({number->second, std::move(ends)});
                }
        };
        keep(messages);
        keep(collectives);
    }

    // Pairs every end on the host with the median end on the aligned hosts. If it were paired with
    // all of them, the pairs of a collective would grow with the square of the ranks.
    std::vector<Pair> pairsOf(const std::string& clock, const std::set<std::string>& aligned) const
    {
        std::vector<Pair> pairs;
        for (const auto& [kind, ends] : m_exchanges) {
            std::vector<std::int64_t> moments;
            for (const End& here : ends)
                if (aligned.contains(clockOf(here.rank)))
                    moments.push_back(momentOf(here));
            if (moments.empty())
                continue;
            const std::int64_t time = medianOf(moments);
            for (const End& there : ends)
                if (clockOf(there.rank) == clock)
                    pairs.push_back({time, momentOf(there) - time, there.receives,
                                     isTransfer(kindOf(there)), kind});
        }
        return pairs;
    }

    OpKind kindOf(const End& end) const
    {
        return m_job.ranks[end.rank].work.works[end.work].op.kind;
    }

    std::int64_t momentOf(const End& end) const
    {
        const Window window = windowOf(end);
        const bool isSend = !end.receives && isTransfer(kindOf(end));
        return isSend && !m_onGpu ? window.begin : window.end;
    }

    static std::int64_t inRange(std::int64_t time)
    {
        static_assert(kMostTime - kLeastTime <= kMostTicks);
        return std::clamp(time, kLeastTime, kMostTime);
    }

    void move(const std::string& clock, const Fit& fit)
    {
        const auto moved = [&](Window& window) {
            const std::int64_t by = fit.at(window.begin - fit.offset);
            window = {inRange(window.begin - by), inRange(window.end - by)};
        };
        for (std::uint32_t i = 0; i < m_job.ranks.size(); ++i) {
            JobRank& rank = m_job.ranks[i];
            if (clockOf(i) != clock)
                continue;
            for (Work& work : rank.work.works) {
                moved(work.host);
                moved(work.window);
            }
            const auto all = [&](auto& rows) {
                for (auto& row : rows)
                    moved(row.window);
            };
            forAllRows(rank.trace, all);
            for (auto& [rule, matches] : rank.work.matches)
                all(matches);
            for (MemoryEvent& memory : rank.trace.memory)
                memory.time = inRange(memory.time - fit.at(memory.time - fit.offset));
        }
    }

    Job& m_job;
    bool m_onGpu;
    std::vector<std::string> m_clockOf; // by rank: the name of its clock
    std::vector<std::string> m_clocks;  // of the ranks that the run shows
    // Clocks that may be equal to others. False: they are, unless messages show otherwise.
    std::map<std::string, bool> m_unproven;
    std::vector<std::pair<std::uint32_t, std::vector<End>>> m_exchanges; // with Pair::kind
    std::vector<Input> m_inputs;
};

struct Transfer
{
    const PlacedWork *send = nullptr, *receive = nullptr;
};

} // namespace

std::vector<ImportReport::Clock> alignClocks(Job& job, const Placement& placement)
{
    return Aligner(job, placement).run(placement);
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
        else if (runsMicroBatch(op.kind) && op.kind != OpKind::BackwardWeight)
            waits.emplace(consumer, workOf(placed).host.begin);
    }
    const bool onGpu = job.onGpu();
    constexpr std::int64_t kWaited = 100'000; // ns; shorter waits are call overhead
    std::vector<std::int64_t> waited;
    std::vector<Work*> others;
    std::size_t halves = 0;
    for (const auto& [consumer, ends] : messages) {
        if (ends.send == nullptr || ends.receive == nullptr) {
            ++halves;
            continue;
        }
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
    constexpr std::size_t kFew = 20; // one of 20 is 5 %
    if (!onGpu && kFew * halves > messages.size())
        job.lacks(fmt::format("{} of {} messages have only one end, so that the wait for the other "
                              "one may be in them",
                              halves, messages.size()));
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
