#include "engine/schedule/passes/passes.h"
#include "profiler/search/annealing.h"
#include "profiler/search/order_graph.h"
#include "tests/support/pipelines.h"
#include "tests/support/temporary_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <tuple>

// The optimum of small cases by two exact methods, which check each other and the search.

using namespace engine;
using namespace profiler;

namespace {

using Id = OrderGraph::Id;

// Messages take 0.1 units and never wait for one another.
OrderGraph smallGraph(const std::string& scheme, int devices, int microBatches)
{
    UnitCosts costs;
    costs.inputGradient = {11, 10};
    costs.weightGradient = {7, 10};
    costs.backward = {18, 10};
    costs.latency = {1, 10};
    const Schedule lowered = lower(tests::scheduleOf(scheme, devices, microBatches));
    OrderGraph::Memory memory;
    memory.ofPart.resize(static_cast<std::size_t>(lowered.shape.stages), {1, 1});
    return OrderGraph::of(lowered, unitOpCosts(lowered, costs).value(), memory).value();
}

// The item that must start earlier although no result says so: micro-batches are alike, so stage 0
// may start them in the order of their numbers.
Id earlierMicroBatch(const OrderGraph& graph, Id item)
{
    const auto isFirst = [&graph](Id id) {
        const Op& op = graph.ops(id).front();
        return op.kind == OpKind::Forward && op.stage.value == 0;
    };
    if (isFirst(item))
        for (Id other = 0; other < graph.size(); ++other)
            if (isFirst(other)
                && graph.ops(other).front().microBatch.value + 1
                    == graph.ops(item).front().microBatch.value)
                return other;
    return OrderGraph::kNone;
}

// Tries every order; one that cannot be shorter than the best so far is not continued.
class Enumeration
{
public:
    Enumeration(const OrderGraph& graph, std::int64_t limit)
        : m_graph(graph)
        , m_limit(limit)
        , m_arrival(graph.messages.size())
        , m_free(graph.devices())
        , m_held(graph.devices())
        , m_done(graph.size())
    {
        extend(0);
    }
    std::int64_t best() const { return m_best; }

private:
    void extend(std::size_t count)
    {
        if (count == m_graph.size())
            m_best = std::min(m_best, *std::ranges::max_element(m_free));
        for (Id item = 0; item < m_graph.size(); ++item)
            if (!m_done[item] && isReady(item))
                add(item, count);
    }
    bool isReady(Id item) const
    {
        const auto& it = m_graph.items[item];
        for (Id i = it.before; i < m_graph.items[item + 1].before; ++i)
            if (!m_done[m_graph.befores[i]])
                return false;
        const Id earlier = earlierMicroBatch(m_graph, item);
        return (earlier == OrderGraph::kNone || m_done[earlier])
            && m_held[it.device] + it.takes <= m_limit;
    }
    void add(Id item, std::size_t count)
    {
        const auto& it = m_graph.items[item];
        const std::int64_t was = m_free[it.device];
        std::int64_t begin = was;
        for (Id i = it.input; i < m_graph.items[item + 1].input; ++i)
            begin = std::max(begin, m_arrival[m_graph.inputs[i]]);
        if (begin + it.duration + it.tail >= m_best || isTooLate(item, begin + it.duration))
            return;
        m_done[item] = true;
        m_free[it.device] = begin + it.duration;
        m_held[it.device] += it.takes - it.frees;
        for (Id m = it.message; m < m_graph.items[item + 1].message; ++m)
            m_arrival[m] = m_free[it.device] + m_graph.messages[m].latency;
        extend(count + 1);
        m_done[item] = false;
        m_free[it.device] = was;
        m_held[it.device] -= it.takes - it.frees;
    }
    // Whether the other items of the device make the order too long if it is free at `end`.
    bool isTooLate(Id item, std::int64_t end) const
    {
        std::int64_t tail = OrderGraph::kNever;
        for (Id other = 0; other < m_graph.size(); ++other)
            if (other != item && !m_done[other]
                && m_graph.items[other].device == m_graph.items[item].device) {
                end += m_graph.items[other].duration;
                tail = std::min(tail, m_graph.items[other].tail);
            }
        return tail < OrderGraph::kNever && end + tail >= m_best;
    }

    const OrderGraph& m_graph;
    std::int64_t m_limit;
    std::int64_t m_best = OrderGraph::kNever;
    std::vector<std::int64_t> m_arrival, m_free, m_held;
    std::vector<bool> m_done;
};

// The optimum as a mixed-integer program in the LP format: a start of every item, and for every
// pair of items of a device which comes first.
std::string linearProgram(const OrderGraph& graph, std::int64_t limit)
{
    std::string rows, binaries;
    const std::int64_t big = [&graph] {
        std::int64_t sum = 0;
        for (Id item = 0; item < graph.size(); ++item)
            sum += graph.items[item].duration + 10;
        return sum;
    }();
    for (Id item = 0; item < graph.size(); ++item) {
        const auto& it = graph.items[item];
        rows += fmt::format(" c - s{} >= {}\n", item, it.duration);
        for (Id i = it.before; i < graph.items[item + 1].before; ++i) {
            const Id before = graph.befores[i];
            std::int64_t lag = graph.items[before].duration;
            if (graph.items[before].device != it.device)
                lag += graph.messages[graph.items[before].message].latency;
            rows += fmt::format(" s{} - s{} >= {}\n", item, before, lag);
        }
        if (const Id earlier = earlierMicroBatch(graph, item); earlier != OrderGraph::kNone)
            rows += fmt::format(" s{} - s{} >= {}\n", item, earlier, it.duration);
    }
    for (Id a = 0; a < graph.size(); ++a)
        for (Id b = a + 1; b < graph.size(); ++b)
            if (graph.items[a].device == graph.items[b].device) {
                rows += fmt::format(" s{} - s{} + {} y{}_{} <= {}\n", a, b, big, a, b,
                                    big - graph.items[a].duration);
                rows += fmt::format(" s{} - s{} - {} y{}_{} <= {}\n", b, a, big, a, b,
                                    -graph.items[b].duration);
                binaries += fmt::format(" y{}_{}\n", a, b);
            }
    // The stashes when an F starts: those taken before it and not yet freed.
    for (Id f = 0; f < graph.size(); ++f) {
        if (graph.items[f].takes == 0)
            continue;
        std::int64_t room = limit - graph.items[f].takes;
        std::string sum;
        for (Id other = 0; other < graph.size(); ++other) {
            const std::int64_t change = graph.items[other].takes - graph.items[other].frees;
            if (other == f || graph.items[other].device != graph.items[f].device || change == 0)
                continue;
            if (other < f) { // y says that it comes before f
                sum += fmt::format(" {:+} y{}_{}", change, other, f);
            } else {
                sum += fmt::format(" {:+} y{}_{}", -change, f, other);
                room -= change;
            }
        }
        rows += fmt::format("{} <= {}\n", sum, room);
    }
    return "Minimize\n obj: c\nSubject To\n" + rows + "Binaries\n" + binaries + "End\n";
}

// The optimum by CBC (coinor-cbc); 0 if it is not installed.
std::int64_t solved(const OrderGraph& graph, std::int64_t limit)
{
    const tests::TemporaryFolder folder;
    const auto file = [&folder](const char* name) { return (folder.path() / name).string(); };
    std::ofstream(file("order.lp")) << linearProgram(graph, limit);
    if (std::system("command -v cbc >/dev/null") != 0)
        return 0;
    // The preprocessing of CBC 2.10.8 calls 141 optimal for a program whose optimum is 102.
    const std::string command = fmt::format("cbc {} sec 120 preprocess off solve solu {} >{}",
                                            file("order.lp"), file("solution"), file("log"));
    REQUIRE(std::system(command.c_str()) == 0);
    std::string line;
    std::getline(std::ifstream(file("solution")), line);
    INFO(line);
    REQUIRE(line.starts_with("Optimal - objective value "));
    return std::llround(std::stod(line.substr(line.rfind(' '))));
}

} // namespace

TEST_CASE("the search finds the optimum of small cases, which two exact methods prove")
{
    const auto [scheme, devices, microBatches, limit] = GENERATE(
        std::tuple{"1f1b", 3, 4, 3}, std::tuple{"1f1b", 3, 4, 2}, std::tuple{"1f1b", 2, 4, 1},
        std::tuple{"zb-h1", 2, 3, 2}, std::tuple{"zb-h1", 2, 3, 1}, std::tuple{"zb-h1", 3, 2, 2});
    CAPTURE(scheme, devices, microBatches, limit);
    const OrderGraph graph = smallGraph(scheme, devices, microBatches);
    const std::int64_t most = 2 * limit; // an activation has two parts
    const std::vector<std::int64_t> limits(static_cast<std::size_t>(devices), most);
    const std::int64_t optimum = Enumeration(graph, most).best();
    if (const std::int64_t other = solved(graph, most); other > 0)
        CHECK(other == optimum);
    std::int64_t found = OrderGraph::kNever;
    for (int inFlight = 1; inFlight <= microBatches; ++inFlight)
        if (const auto order = listOrder(graph, limits, inFlight); !order.empty()) {
            Annealing annealing(graph, order, {limits, 1});
            annealing.run(20000, 0, 1);
            found = std::min(found, annealing.best());
        }
    CHECK(found == optimum);
    CHECK(lowerBound(graph, limits) <= optimum);
}
