#include "profiler/search/search.h"

#include "engine/base/clock.h"
#include "engine/base/parallel.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/memory_events.h"
#include "engine/sim/placer.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/metrics.h"
#include "profiler/search/annealing.h"
#include "profiler/search/order_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace profiler {

using namespace engine;

namespace {

constexpr std::size_t kMostOps = 200'000; // of a schedule whose order is changed
constexpr double kMaParts = 1e6;          // memory units of a part of an activation
constexpr int kSamples = kJitteredIterations;

OrderGraph::Memory memoryOf(const Schedule& lowered, const PredictionCosts& costs,
                            const MemoryLimit& limit)
{
    OrderGraph::Memory memory;
    const Shape& shape = lowered.shape;
    if (!limit.isInBytes) {
        const auto kept = std::llround(kMaParts * costs.recomputeKeeps);
        memory.ofPart.resize(static_cast<std::size_t>(shape.stages),
                             {std::llround(kMaParts), kept});
        return memory;
    }
    const auto stages
        = stageBytes(*costs.model, shape.stages, rebuiltBy(lowered, costs.model->setup));
    memory.held.resize(lowered.program.size());
    for (const StageBytes& stage : stages) {
        memory.ofPart.push_back(partBytes(stage, shape));
        memory.backwardRebuilds = memory.backwardRebuilds || stage.kept < stage.stash;
    }
    for (const auto& deviceOf : lowered.deviceOf)
        for (const StageId stage : deviceOf.ids())
            for (const double bytes :
                 {stages[stage].weights, stages[stage].gradients, stages[stage].optimizer})
                memory.held[deviceOf[stage].value] += std::llround(bytes);
    return memory;
}

std::vector<std::int64_t> limitsOf(const MemoryLimit& limit, double factor, const Shape& shape)
{
    std::vector<std::int64_t> limits;
    if (limit.of.empty())
        return limits;
    const double unit = factor
        * (limit.isInBytes ? 1 : kMaParts * static_cast<double>(stashPartsPerActivation(shape)));
    for (int d = 0; d < shape.devices; ++d)
        limits.push_back(std::llround(limit.on(static_cast<std::size_t>(d)) * unit));
    return limits;
}

// [sample][item] durations with the jitter of the rules; empty without jitter.
std::vector<std::vector<std::int64_t>> samplesOf(const OrderGraph& graph, const TimingRules& rules)
{
    std::vector<std::vector<std::int64_t>> samples;
    if (rules.jitter == Fraction{0})
        return samples;
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
        const sim::Jitter jitter(rules, sample);
        auto& durations = samples.emplace_back();
        for (OrderGraph::Id item = 0; item < graph.size(); ++item)
            durations.push_back(jitter(graph.items[item].duration, graph.ops(item).front()));
    }
    return samples;
}

// The schedule with the micro-batches of each direction numbered in the order in which stage 0
// starts them: they are equal, and boxes read better in this order.
Schedule inOrderOfStart(Schedule schedule)
{
    for (int replica = 0; replica < schedule.shape.replicas; ++replica) {
        std::vector<int> started;
        for (const Op& op : schedule.on(schedule.device(replica, StageId{0})))
            if (op.kind == OpKind::Forward && op.replica == replica && op.stage.value == 0
                && std::ranges::count(started, op.microBatch.value) == 0)
                started.push_back(op.microBatch.value);
        std::vector<int> numbers = started;
        std::ranges::sort(numbers);
        std::map<int, int> renumbered;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            renumbered[started[i]] = numbers[i];
        for (auto& program : schedule.program)
            for (Op& op : program)
                if (op.replica == replica && op.microBatch.isValid())
                    op.microBatch.value = renumbered.at(op.microBatch.value);
    }
    return schedule;
}

struct Placed
{
    DeviceId device;
    std::int64_t begin = 0; // from the start of the iteration
    Window window;          // on the timeline
};
using Starts = std::map<Op, Placed>;

// [micro-batch] its number in the order in which stage 0 starts the micro-batches of a direction.
std::map<std::pair<int, int>, int> numbers(const Schedule& schedule)
{
    std::map<std::pair<int, int>, int> numbers;
    for (int replica = 0; replica < schedule.shape.replicas; ++replica) {
        int next = 0;
        for (const Op& op : schedule.on(schedule.device(replica, StageId{0})))
            if (op.kind == OpKind::Forward && op.replica == replica && op.stage.value == 0
                && numbers.try_emplace({replica, op.microBatch.value}, next).second)
                ++next;
    }
    return numbers;
}

// When every compute op of the reported iteration starts, with renumbered micro-batches.
Starts startsOf(const Run& run)
{
    Starts starts;
    const auto number = numbers(run.schedule);
    const OpIndex index(run.schedule);
    const auto reported = static_cast<std::uint32_t>(reportedIteration(run.timeline));
    const std::int64_t zero = run.timeline.iterations[reported].window.begin;
    for (const Track& track : run.timeline.tracks) {
        if (track.kind != Track::Kind::Compute)
            continue;
        for (const Span& span : track.spans) {
            Op op = opAt(run.schedule, index, span.op);
            if (!op.microBatch.isValid() || span.iteration != reported)
                continue;
            op.flags = OpFlag::None;
            op.microBatch = MicroBatchId{number.at({op.replica, op.microBatch.value})};
            starts[op] = {track.device, span.begin - zero, span.window()};
        }
    }
    return starts;
}

std::string stagesOf(const Schedule& schedule, DeviceId device)
{
    std::string stages;
    for (const auto& deviceOf : schedule.deviceOf)
        for (const StageId stage : deviceOf.ids())
            if (deviceOf[stage] == device)
                stages += fmt::format("{}{}", stages.empty() ? "" : ", ", stage.value);
    return stages;
}

// A difference, and the ticks of the found schedule by which it changes a time.
struct Effect
{
    double ticks = 0;
    SearchResult::Difference difference;
};

// The device whose idle time changes most.
Effect idleEffect(const Run& published, const Run& found)
{
    Effect effect;
    const auto before = metrics(published), after = metrics(found);
    if (!before || !after)
        return effect;
    const double scale = ratio(found.info.ticksPerUnit, published.info.ticksPerUnit);
    for (const DeviceId d : after->devices.ids()) {
        const double was = scale * static_cast<double>(before->devices[d].bubble);
        const auto is = after->devices[d].bubble;
        const double ticks = std::abs(static_cast<double>(is) - was);
        if (ticks > effect.ticks)
            effect = {ticks,
                      {fmt::format("device {} is idle for {} instead of {}", d.value,
                                   timeText(is, found.info.ticksPerUnit),
                                   timeText(std::llround(was), found.info.ticksPerUnit))}};
    }
    return effect;
}

// What makes the schedule of `found` differ from that of `published`: the op that starts earlier by
// most, the op that starts later by most, and the idle time. Both are simulated runs, of which the
// reported iterations are compared. Micro-batches are equal in theory, so they are first numbered
// in the order in which stage 0 starts them.
void addDifferences(const Run& published, const Run& found, SearchResult& result)
{
    std::array<Effect, 3> effects{idleEffect(published, found)}; // then earlier, later
    const Starts before = startsOf(published), after = startsOf(found);
    const double scale = ratio(found.info.ticksPerUnit, published.info.ticksPerUnit);
    std::size_t moved = 0;
    bool onlyWeights = true;
    if (published.schedule.deviceOf != found.schedule.deviceOf) {
        const DeviceId first{0};
        effects[1]
            = {std::numeric_limits<double>::infinity(),
               {fmt::format("the stages are placed differently: device 0 has {} instead of "
                            "{}",
                            stagesOf(found.schedule, first), stagesOf(published.schedule, first))}};
    } else {
        for (const auto& [op, placed] : after) {
            const auto was = before.find(op);
            if (was == before.end())
                continue;
            const auto begin = std::llround(scale * static_cast<double>(was->second.begin));
            const auto by = placed.begin - begin;
            if (by == 0)
                continue;
            ++moved;
            onlyWeights = onlyWeights && op.kind == OpKind::BackwardWeight;
            Effect& effect = effects[by < 0 ? 1 : 2];
            const double ticks = std::abs(static_cast<double>(by));
            if (ticks <= effect.ticks)
                continue;
            const std::int64_t unit = found.info.ticksPerUnit;
            effect = {ticks,
                      {fmt::format("{} on device {} starts at {} instead of {}, {} {}",
                                   toString(op), placed.device.value,
                                   timeNumber(placed.begin, unit), timeText(begin, unit),
                                   timeText(std::abs(by), unit), by < 0 ? "earlier" : "later"),
                       SearchResult::Moved{toString(op), placed.device, was->second.window,
                                           placed.window}}};
        }
    }
    std::ranges::stable_sort(effects, std::ranges::greater(), &Effect::ticks);
    for (Effect& effect : effects)
        if (effect.ticks > 0)
            result.differences.push_back(std::move(effect.difference));
    if (moved > 0)
        result.moves = fmt::format("{} of {} ops start at another time{}", moved, after.size(),
                                   onlyWeights ? ", all of them W" : "");
}

// Evicts as few stashes to host memory as the limit needs; the result may not fit even so. Fails as
// addOffload() does.
Result<Schedule> offloadedToFit(const Schedule& order, const MemoryLimit& limit,
                                const PredictionCosts& costs, const PredictOptions& options)
{
    if (!limit.isInBytes)
        return addOffload(order, std::ranges::min(limit.of));
    // In bytes, a device also has weights and buffers: tries numbers of stashes.
    const int chunks = order.shape.chunks();
    std::optional<Schedule> best;
    Result<Schedule> last = order;
    for (int fits = 0, exceeds = chunks * order.shape.microBatches + 1; exceeds - fits > 1;) {
        const int tried = (fits + exceeds) / 2;
        last = addOffload(order, ratio(tried, chunks));
        const auto one = last ? predict(*last, costs, options) : tl::unexpected(last.error());
        if (last && !one)
            return tl::unexpected(one.error());
        const bool isEnough = one && limit.admits(one->metrics);
        if (isEnough)
            best = *std::move(last);
        (isEnough || !last ? fits : exceeds) = tried;
    }
    return best ? *std::move(best) : std::move(last);
}

// Whose order is changed: a published scheme, or a file.
struct Start
{
    std::string name;
    OrderGraph graph;
    std::vector<std::int64_t> limits;
    std::vector<std::vector<std::int64_t>> samples;
    std::int64_t ticksPerUnit = 1;
    Fraction jitter{0};

    // No op is shorter than its duration less the jitter, and neither is any order.
    double bound(std::span<const std::int64_t> memory) const
    {
        return (1 - jitter.value()) * static_cast<double>(lowerBound(graph, memory))
            / static_cast<double>(ticksPerUnit);
    }
};

// An order of a start, and what has become of it.
struct Chain
{
    Chain(std::shared_ptr<const Start> from, std::vector<OrderGraph::Id> order, std::uint64_t drawn)
        : start(std::move(from))
        , seed(drawn)
    {
        restart(std::move(order));
    }

    std::shared_ptr<const Start> start;
    std::uint64_t seed = 0;
    std::unique_ptr<Annealing> annealing = {};

    double length() const { return ratio(annealing->best(), start->ticksPerUnit); }
    void restart(std::vector<OrderGraph::Id> order)
    {
        annealing
            = std::make_unique<Annealing>(start->graph, std::move(order),
                                          Annealing::Options{start->limits, seed, start->samples});
    }
};

class Search
{
public:
    Search(const SearchRequest& request, const PredictionCosts& costs,
           const std::function<void(const SearchProgress&)>& progress,
           const std::atomic<bool>& stop)
        : m_request(request)
        , m_costs(costs)
        , m_progress(progress)
        , m_stop(stop)
    {
        m_options.sync = request.prediction.sync;
        m_options.mapping = request.prediction.schedule.mapping;
        m_options.needsLoads = false;
        if (request.prediction.costs.rules.jitter != Fraction{0})
            m_options.iterations = kSamples;
    }

    Result<SearchResult> run()
    {
        TRY(addPublished());
        TRY(addStarts());
        if (m_chains.empty() && m_stop)
            return fail(Error::Code::Cancelled, "the search was stopped before it had an order");
        if (m_chains.empty())
            return tl::unexpected(nothingFits());
        m_result.bound = bound();
        const Chain& shortest = *std::ranges::min_element(m_chains, {}, &Chain::length);
        m_best = shortest.length();
        m_bestOrder = shortest.annealing->bestOrder();
        m_bestStart = shortest.start;
        anneal();
        TRY(choose());
        return std::move(m_result);
    }

private:
    Result<void> addPublished()
    {
        std::optional<Error> refusal; // of the first scheme
        PredictionRequest plain = m_request.prediction;
        plain.evict.reset();
        for (const Scheme& scheme : schemes()) {
            if (scheme.asynchronous || m_stop)
                continue;
            ScheduleRequest request = m_request.prediction.schedule;
            request.scheme = scheme.name;
            request.options.clear();
            if (scheme.chunksFixed && request.chunks != scheme.defaultChunks && request.chunks != 0)
                continue;
            if (!checkRequest(request))
                continue;
            auto schedule = buildSchedule(request);
            if (!schedule)
                continue;
            schedule->shape.dataParallel = request.dataParallel;
            auto order = withPasses(*std::move(schedule), plain);
            if (!order || !isWithinStages(order->shape))
                continue;
            auto one = predict(*order, m_costs, m_options);
            if (!one) {
                refusal = refusal ? refusal : one.error();
                continue;
            }
            const bool fits = m_request.limit.admits(one->metrics);
            m_orders.push_back({std::string(scheme.name), *std::move(order)});
            m_result.published.push_back(
                {std::string(scheme.name), one->length(), one->metrics, fits});
        }
        if (m_orders.empty())
            m_refusal = refusal;
        std::ranges::stable_sort(m_result.published, {}, &PublishedSchedule::length);
        return {};
    }
    // A recorded run has the times of its own stages only.
    bool isWithinStages(const Shape& shape) const
    {
        return !m_costs.recorded.run || m_costs.recorded.run->schedule.shape.stages == shape.stages;
    }

    Result<void> addStarts()
    {
        const std::string& file = m_request.prediction.scheduleFile;
        if (!file.empty()) {
            auto order = TRY(orderOf(m_request.prediction));
            return addStart(file, order);
        }
        if (m_refusal)
            return tl::unexpected(*m_refusal);
        for (const auto& [name, order] : m_orders)
            if (isStart(name, order) && !m_stop) {
                const auto added = addStart(name, order);
                if (!added && !m_request.schemes.empty())
                    return tl::unexpected(added.error());
                if (!added)
                    m_refusal = added.error();
            }
        for (const std::string& name : m_request.schemes)
            if (std::ranges::find(m_orders, name, &Named::name) == m_orders.end())
                return invalid("{} is no start for this search: bscope simulate --scheme "
                               "{} with the same options says why",
                               name, name);
        return {};
    }
    // Without other placements, only schemes that place the stages as the best published one does.
    bool isStart(const std::string& name, const Schedule& order) const
    {
        if (!m_request.schemes.empty())
            return std::ranges::count(m_request.schemes, name) > 0;
        const PublishedSchedule* best = m_result.bestPublished();
        return m_request.variesPlacement || best == nullptr
            || order.deviceOf
            == std::ranges::find(m_orders, best->scheme, &Named::name)->order.deviceOf;
    }
    Result<void> addStart(const std::string& name, const Schedule& order)
    {
        if (opCount(order) > kMostOps)
            return fail(Error::Code::Unsupported, "{} has {} ops; a search handles up to {}", name,
                        opCount(order), kMostOps);
        const Schedule lowered = lower(order, m_options.sync);
        const auto costs = TRY(opCosts(lowered, m_costs, m_options));
        auto graph
            = TRY(OrderGraph::of(lowered, costs, memoryOf(lowered, m_costs, m_request.limit)));
        auto samples = samplesOf(graph, costs.rules);
        m_starts.push_back(std::make_shared<const Start>(Start{
            name, std::move(graph), limitsOf(m_request.limit, m_request.offloadFrom, order.shape),
            std::move(samples), costs.ticksPerUnit, costs.rules.jitter}));
        addChains(m_starts.back(), costs.rules.seed * 1000 + m_chains.size());
        return {};
    }
    // From the order of the start, and from the best list schedule of its ops.
    void addChains(const std::shared_ptr<const Start>& start, std::uint64_t seed)
    {
        const int microBatches = m_request.prediction.schedule.microBatches;
        std::vector<OrderGraph::Id> list;
        Placing placing(start->graph, {}, start->limits);
        std::int64_t length = OrderGraph::kNever;
        for (int inFlight = 1; inFlight <= microBatches && !m_stop; inFlight += 1 + inFlight / 4) {
            auto order = listOrder(start->graph, start->limits, inFlight);
            if (order.empty())
                continue;
            const std::int64_t own = placing.place(order, 0, OrderGraph::kNever - 1);
            if (own < length) {
                length = own;
                list = std::move(order);
            }
        }
        for (const auto& order : {start->graph.start(), list})
            if (!order.empty() && !m_stop) {
                Chain chain(start, order, seed);
                if (chain.annealing->best() < OrderGraph::kNever)
                    m_chains.push_back(std::move(chain));
            }
    }

    double bound() const
    {
        double bound = std::numeric_limits<double>::infinity();
        for (const Chain& chain : m_chains) {
            const auto& limits = chain.start->limits;
            bound = std::min(bound,
                             chain.start->bound(offloads() ? std::span<const std::int64_t>()
                                                           : std::span(limits)));
        }
        return bound;
    }

    struct Round
    {
        double share;     // of all orders
        std::size_t most; // chains
        double begin;     // how cool it starts
    };
    static constexpr std::array kRounds{Round{0.25, 1000, 0}, Round{0.25, 8, 0.1},
                                        Round{0.25, 4, 0.2}, Round{0.25, 2, 0.3}};

    // Every round anneals the chains, and the best of them go on: many starts are tried, and most
    // of the time goes to the best. We fix the number of orders in advance, also for a time, so
    // that a search can be repeated by its number.
    void anneal()
    {
        m_begin = now();
        draw();
        m_progress(state());
        m_all = m_request.orders > 0 ? m_request.orders : ordersIn(m_request.seconds);
        for (const Round& round : kRounds) {
            std::ranges::stable_sort(m_chains, {}, &Chain::length);
            if (m_chains.size() > round.most)
                m_chains.erase(m_chains.begin() + round.most, m_chains.end());
            for (Chain& chain : m_chains)
                chain.restart(chain.annealing->bestOrder());
            runRound(static_cast<std::int64_t>(round.share * static_cast<double>(m_all)),
                     round.begin);
        }
        m_result.seconds = now() - m_begin;
        m_result.isComplete = !isOver();
        if (m_result.isComplete)
            m_result.orders = m_all;
    }
    std::size_t threads(std::size_t chains) const
    {
        return threadsFor(chains, static_cast<unsigned>(m_request.threads));
    }
    // From the speed of copies of the chains.
    std::int64_t ordersIn(double seconds) const
    {
        const double most = 0.03 * seconds / static_cast<double>(m_chains.size());
        const double begin = now();
        double tried = 0, timePerOrder = 0;
        for (std::size_t i = 0; i < m_chains.size() && !m_stop; ++i) {
            Annealing copy = *m_chains[i].annealing;
            const double start = now();
            do {
                copy.run(ordersPerLook(m_chains[i]), 0.3, 0.5);
                tried += static_cast<double>(ordersPerLook(m_chains[i]));
            } while (now() - start < most && !m_stop);
        }
        for (const Round& round : kRounds)
            timePerOrder += round.share * (now() - begin) / std::max(tried, 1.0)
                / static_cast<double>(threads(std::min(round.most, m_chains.size())));
        return std::max<std::int64_t>(1, std::llround(seconds / timePerOrder));
    }
    // Orders between two looks at the clock and at m_stop: at most 0.2 s.
    static std::int64_t ordersPerLook(const Chain& chain)
    {
        return std::clamp<std::int64_t>(
            1'000'000 / static_cast<std::int64_t>(chain.start->graph.size()), 20, 500);
    }
    // A machine that became slower does not keep the caller waiting for long.
    bool isOver() const
    {
        constexpr double kMostOver = 1.5;
        return m_stop || (m_request.orders == 0 && now() - m_begin > kMostOver * m_request.seconds);
    }
    void runRound(std::int64_t orders, double begin)
    {
        const auto each = orders / static_cast<std::int64_t>(m_chains.size());
        inParallel(m_chains.size(), threads(m_chains.size()),
                   [&](std::size_t i) { runChain(m_chains[i], each, begin); });
    }
    void runChain(Chain& chain, std::int64_t orders, double begin)
    {
        const auto heat
            = [&](std::int64_t done) { return begin + (1 - begin) * ratio(done, orders); };
        for (std::int64_t done = 0; done < orders && !isOver();) {
            const std::int64_t slice = std::min(ordersPerLook(chain), orders - done);
            chain.annealing->run(slice, heat(done), heat(done + slice));
            done += slice;
            report(chain, slice);
        }
    }
    void report(const Chain& chain, std::int64_t orders)
    {
        const std::scoped_lock lock(m_mutex);
        m_result.orders += orders;
        if (chain.length() < m_best) {
            m_best = chain.length();
            m_bestOrder = chain.annealing->bestOrder();
            m_bestStart = chain.start;
        }
        m_result.seconds = now() - m_begin;
        if (m_result.seconds - m_reported < 0.1)
            return;
        m_reported = m_result.seconds;
        if (m_bestStart != nullptr && m_reported - m_drawn > 0.5)
            draw();
        m_progress(state());
    }
    // Predicts the best order so far, for display.
    void draw()
    {
        constexpr std::size_t kMostDrawn = 20'000; // ops
        if (m_bestStart != nullptr && !offloads() && m_bestOrder.size() <= kMostDrawn) {
            Schedule order = inOrderOfStart(m_bestStart->graph.scheduleOf(m_bestOrder));
            order.scheme = "found";
            if (auto one = predict(std::move(order), m_costs, withSpans()))
                m_drawnRun = std::make_shared<const PredictedRun>(*std::move(one));
        }
        m_bestStart.reset();
        m_drawn = m_reported;
    }
    SearchProgress state() const
    {
        SearchProgress now = m_result.numbers();
        now.share = m_all > 0 ? ratio(now.orders, m_all) : 0;
        now.best = m_best;
        now.found = m_drawnRun;
        now.inUnits = !m_costs.model && !m_costs.recorded.run;
        return now;
    }

    bool offloads() const { return m_request.offloadFrom > 1; }

    // Keeps an order if it is valid, fits and is the shortest so far.
    bool offer(Schedule order, const std::string& start)
    {
        if (offloads()) {
            auto evicted = offloadedToFit(order, m_request.limit, m_costs, m_options);
            if (!evicted) {
                m_refusal = evicted.error();
                return false;
            }
            order = *std::move(evicted);
        }
        order.scheme = "found";
        // Jitter and measured times may differ between micro-batches.
        if (m_options.iterations <= 1 && !m_costs.recorded.run)
            order = inOrderOfStart(std::move(order));
        if (!validate(order).empty())
            return false;
        auto one = predict(order, m_costs, withSpans());
        if (!one || !m_request.limit.admits(one->metrics)
            || (!m_result.start.empty() && one->length() >= m_result.length()))
            return false;
        m_result.found = *std::move(one);
        m_result.order = std::move(order);
        m_result.start = start;
        return true;
    }

    // The shortest of the orders by the simulator, which also knows shared links.
    Result<void> choose()
    {
        std::ranges::stable_sort(m_chains, {}, &Chain::length);
        for (const Chain& chain : m_chains) {
            const bool isExact
                = chain.start->graph.isExact() && m_options.sync == SyncPolicy::Eager;
            if (!m_result.start.empty() && isExact && chain.start->samples.empty()
                && chain.length() >= m_result.length())
                continue; // the simulator would say the same, and evicts do not shorten it
            if (offer(chain.start->graph.scheduleOf(chain.annealing->bestOrder()),
                      chain.start->name))
                m_isExact = isExact;
        }
        for (const auto& [name, order] : m_orders)
            if (offloads() && isStart(name, order) && offer(order, name))
                m_isExact = true; // it was compared by the simulator only
        if (m_result.start.empty())
            return tl::unexpected(nothingFits());
        TRY(compareWithPublished());
        if (!m_isExact)
            m_result.warnings.push_back(
                "orders were compared without what transfers on shared links, or all-reduces that "
                "are late, block or slow compute down, add to their time; the printed times have "
                "it");
        return {};
    }
    // An order is worth printing only if it is shorter than what is published.
    Result<void> compareWithPublished()
    {
        const PublishedSchedule* published = m_result.bestPublished();
        if (published == nullptr)
            return {};
        const auto order = std::ranges::find(m_orders, published->scheme, &Named::name)->order;
        const auto run
            = std::make_shared<const PredictedRun>(TRY(predict(order, m_costs, withSpans())));
        m_result.publishedRun = run;
        if (m_request.schemes.empty() && m_request.prediction.scheduleFile.empty()
            && published->length <= m_result.length()) {
            m_result.found = *run;
            m_result.order = order;
            m_result.start = published->scheme;
            // Orders of other ops, for example with evicts, may be shorter than the bound.
            if (std::ranges::none_of(m_starts, [published](const auto& start) {
                    return start->name == published->scheme;
                }))
                m_result.bound = 0;
            return {};
        }
        addDifferences(run->run, m_result.found.run, m_result);
        if (m_options.iterations > 1)
            m_result.gain = TRY(freshGain(order));
        return {};
    }

    // SearchResult::gain. Both orders have the same op times in every iteration.
    Result<Amount> freshGain(const Schedule& published) const
    {
        PredictOptions options = m_options;
        options.iterations = kSamples + kFreshIterations;
        const PredictedRun found = TRY(predict(m_result.order, m_costs, options));
        const PredictedRun other = TRY(predict(published, m_costs, options));
        std::vector<double> gains;
        for (int i = kSamples; i < options.iterations; ++i) {
            const auto duration = [i](const PredictedRun& one) {
                return static_cast<double>(one.run.timeline.iterations[i].window.duration())
                    / static_cast<double>(one.run.info.ticksPerUnit);
            };
            gains.push_back(1 - duration(found) / duration(other));
        }
        return meanAmount(gains);
    }
    PredictOptions withSpans() const
    {
        PredictOptions options = m_options;
        options.needsSpans = true;
        return options;
    }

    Error nothingFits() const
    {
        const std::string limit = m_request.limit.text();
        if ((m_starts.empty() || offloads()) && m_refusal)
            return *m_refusal;
        if (m_request.limit.of.empty() || m_result.published.empty())
            return {Error::Code::Unsupported,
                    "no scheme with these devices, micro-batches and chunks can be a start; bscope "
                    "schemes lists what each accepts"};
        double least = std::numeric_limits<double>::infinity();
        for (const PublishedSchedule& one : m_result.published)
            least = std::min(least,
                             m_request.limit.isInBytes
                                 ? static_cast<double>(one.metrics.peakBytes().value_or(0))
                                 : one.metrics.peakStash());
        return {Error::Code::Unsupported,
                fmt::format("no order fits {}: the published scheme that needs the least memory "
                            "needs {}; {}",
                            limit, MemoryLimit{m_request.limit.isInBytes, {least}}.text(),
                            m_request.limit.memory.isKnown()
                                ? "lower --reserve, or add tensor parallelism or devices"
                                : "raise --memory")};
    }

    struct Named
    {
        std::string name;
        Schedule order;
    };

    static double now() { return 1e-9 * wallTime(); }

    const SearchRequest& m_request;
    const PredictionCosts& m_costs;
    const std::function<void(const SearchProgress&)>& m_progress;
    const std::atomic<bool>& m_stop;
    PredictOptions m_options;
    std::vector<Named> m_orders; // the published schemes
    std::vector<std::shared_ptr<const Start>> m_starts;
    std::vector<Chain> m_chains;
    SearchResult m_result;
    std::optional<Error> m_refusal; // why the last scheme that cannot be a start is none
    bool m_isExact = true;
    double m_begin = 0, m_reported = 0;
    std::int64_t m_all = 0; // orders to try; 0: unknown
    double m_best = 0, m_drawn = 0;
    std::vector<OrderGraph::Id> m_bestOrder;
    std::shared_ptr<const Start> m_bestStart; // of m_bestOrder, until it is drawn
    std::shared_ptr<const PredictedRun> m_drawnRun;
    // Protects what starts with m_best or m_drawn, m_reported, and orders and seconds of m_result.
    std::mutex m_mutex;
};

} // namespace

double SearchResult::length() const
{
    return found.length();
}

SearchProgress SearchResult::numbers() const
{
    SearchProgress numbers{.share = 1,
                           .seconds = seconds,
                           .orders = orders,
                           .best = length(),
                           .bound = bound,
                           .gain = gain,
                           .inUnits = found.run.info.inUnits(),
                           .schemes = published};
    if (const PublishedSchedule* best = bestPublished()) {
        numbers.published = best->scheme;
        numbers.publishedLength = best->length;
    }
    return numbers;
}

std::string lengthText(double length, bool inUnits)
{
    return inUnits ? fmt::format("{:.2f} units", length) : fmt::format("{:.2f} ms", length * 1e-6);
}

SearchVerdict verdict(const SearchProgress& now, const MemoryLimit& limit)
{
    using Kind = SearchVerdict::Kind;
    constexpr double kTie = 1e-9;
    SearchVerdict verdict{Kind::NonePublished, lengthText(now.best, now.inUnits), {}};
    const std::string best = "the best published scheme"
        + (limit.of.empty() ? std::string() : " that fits " + limit.text());
    const std::string than = "than " + now.published + " ("
        + lengthText(now.publishedLength, now.inUnits) + "), " + best;
    // "1.0 % shorter (95 % interval 0.7 to 1.2 %)"
    const auto gainText = [](const Amount& gain) {
        const bool isShorter = gain.value > 0;
        const double part = isShorter ? 100 : -100;
        const std::string text
            = fmt::format("{:.1f} % {}", part * gain.value, isShorter ? "shorter" : "longer");
        return gain.spread == Spread::Exact
            ? text
            : fmt::format("{} (95 % interval {:.1f} to {:.1f} %)", text,
                          part * (isShorter ? gain.least : gain.most),
                          part * (isShorter ? gain.most : gain.least));
    };
    if (now.gain && now.gain->least <= 0 && now.gain->most >= 0) {
        verdict.kind = Kind::AsShort;
        verdict.lead += fmt::format(", not distinguishable from {},", now.published);
        verdict.rest = fmt::format("{}: {} in {} other iterations", best, gainText(*now.gain),
                                   kFreshIterations);
    } else if (now.gain) {
        verdict.kind = now.gain->value > 0 ? Kind::Shorter : Kind::Longer;
        verdict.lead += ", " + gainText(*now.gain);
        verdict.rest = fmt::format("{}, in {} other iterations", than, kFreshIterations);
    } else if (now.published.empty()) {
        verdict.lead += ":";
        verdict.rest = "no published scheme fits " + limit.text();
    } else if (now.best < now.publishedLength * (1 - kTie)) {
        verdict.kind = Kind::Shorter;
        verdict.lead
            += fmt::format(", {:.1f} % shorter", 100 * (1 - now.best / now.publishedLength));
        verdict.rest = than;
    } else if (now.best > now.publishedLength * (1 + kTie)) {
        verdict.kind = Kind::Longer;
        verdict.lead += ", nothing shorter";
        verdict.rest = than;
    } else {
        verdict.kind = Kind::AsShort;
        verdict.lead += ", as short as " + now.published + ",";
        verdict.rest = best;
    }
    if (now.bound > 0)
        verdict.rest += now.gap() < kTie
            ? "; it is the optimum: no order of these ops is shorter"
            : fmt::format("; at most {:.1f} % above the optimum of these ops", 100 * now.gap());
    return verdict;
}

const PublishedSchedule* SearchResult::bestPublished() const
{
    const auto first = std::ranges::find(published, true, &PublishedSchedule::fits);
    return first == published.end() ? nullptr : &*first;
}

std::string MemoryLimit::argument() const
{
    std::string text;
    for (const double value : of)
        text += fmt::format("{}{}{}", text.empty() ? "" : ",",
                            isInBytes ? std::floor(value) : value, isInBytes ? " B" : "");
    return text;
}

Result<MemoryLimit> MemoryLimit::parse(std::string_view text)
{
    MemoryLimit limit;
    std::size_t at = 0;
    const auto wrong = [&text] {
        return invalid("--memory {}: write activations (5), or bytes with a unit (9GiB), "
                       "one for all devices or one for each, with commas",
                       excerpt(text));
    };
    for (bool isLast = false; !isLast;) {
        const std::size_t comma = text.substr(at).find(',');
        isLast = comma == std::string_view::npos;
        std::string number(text.substr(at, comma));
        at += comma + 1;
        std::erase(number, ' ');
        const bool isInBytes = number.find_first_not_of("0123456789.") != std::string::npos;
        const auto activations = parseFraction(number);
        const double value = isInBytes ? static_cast<double>(parseMemory(number).value_or(0))
            : activations              ? activations->value()
                                       : 0;
        if (value <= 0 || (!limit.of.empty() && limit.isInBytes != isInBytes))
            return wrong();
        limit.isInBytes = isInBytes;
        limit.of.push_back(value);
    }
    return limit;
}

Result<MemoryLimit> memoryLimit(std::string_view text, const PredictionCosts& costs)
{
    if (text.empty() && costs.model)
        return MemoryLimit::usableOf(costs.model->memory());
    return text.empty() ? MemoryLimit() : MemoryLimit::parse(text);
}

MemoryLimit MemoryLimit::usableOf(const MemoryCapacity& memory)
{
    return {true, {static_cast<double>(memory.usable())}, memory};
}

std::string MemoryLimit::text() const
{
    if (memory.isKnown())
        return memory.text();
    if (of.empty())
        return "any memory";
    const auto one = [this](double amount) {
        return isInBytes ? bytesText(std::llround(amount)) : fmt::format("{:.4g} M_a", amount);
    };
    const auto [least, most] = std::ranges::minmax(of);
    return least == most ? one(least) : fmt::format("{} to {}", one(least), one(most));
}

bool MemoryLimit::admits(const RunMetrics& metrics) const
{
    constexpr double kRounding = 1e-9;
    if (of.empty())
        return true;
    for (const DeviceId d : metrics.devices.ids()) {
        const DeviceMetrics& device = metrics.devices[d];
        const double most = on(static_cast<std::size_t>(d.value));
        if (isInBytes && !device.peakBytes)
            return false;
        const double needs = isInBytes ? static_cast<double>(*device.peakBytes) : device.peakStash;
        if (needs > most * (1 + kRounding))
            return false;
    }
    return true;
}

Result<SearchResult> search(const SearchRequest& request, const PredictionCosts& costs,
                            const std::function<void(const SearchProgress&)>& progress,
                            const std::atomic<bool>& stop)
{
    const auto devices = static_cast<std::size_t>(request.prediction.schedule.devices);
    if (request.limit.of.size() > 1 && request.limit.of.size() != devices)
        return invalid("--memory has {} values for {} devices; give one, or one for each",
                       request.limit.of.size(), devices);
    if (request.limit.isInBytes && !costs.model)
        return invalid("--memory in bytes needs --model and --hardware; give activations (M_a), or "
                       "add them");
    return Search(request, costs, progress, stop).run();
}

} // namespace profiler
