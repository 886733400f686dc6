#include "engine/schedule/dataflow.h"
#include "tests/support/pipelines.h"

#include <array>
#include <random>

using namespace engine;
using namespace tests;

namespace {

// The rules of simulate.h once more, in the plainest way: all times start at 0 and are raised until
// every rule holds. Slow, and written apart from the placer.
class Reference
{
public:
    Reference(const Schedule& lowered, const OpCosts& costs)
        : m_schedule(lowered)
        , m_costs(costs)
        , m_index(lowered)
        , m_windows(m_index.count())
        , m_arrival(valueCount(lowered.shape))
    {
        do {
            m_changed = false;
            for (const engine::DeviceId d : lowered.program.ids())
                sweep(d);
        } while (m_changed);
    }

    const std::vector<Window>& windows() const { return m_windows; } // [op], receives left out

private:
    void raise(std::int64_t& time, std::int64_t to)
    {
        if (to > time) {
            time = to;
            m_changed = true;
        }
    }

    void sweep(DeviceId device)
    {
        std::int64_t compute = 0;
        std::int64_t reduce = 0;
        std::map<int, std::int64_t> links;
        std::map<std::pair<int, StageId>, int> calls; // [replica, stage]
        std::map<std::pair<int, StageId>, std::int64_t> reduced;
        for (std::size_t i = 0; i < m_schedule.on(device).size(); ++i) {
            const Op& op = m_schedule.on(device)[i];
            const OpCosts::Cost& cost = m_costs.of[device][i];
            Window& window = m_windows[m_index.of(device, i)];
            if (isCompute(op.kind)) {
                for (const Value& value : consumes(op, m_schedule.shape))
                    if (value.kind == Value::Kind::ReducedGradient)
                        raise(window.begin, reduced[{value.replica, value.stage}]);
                    else if (m_schedule.device(value.replica, value.stage) != device)
                        raise(window.begin, m_arrival[valueIndex(value, m_schedule.shape)]);
                raise(window.begin, compute);
                raise(window.end, window.begin + cost.duration);
                compute = window.end;
            } else if (op.kind == OpKind::AllReduce) {
                // The k-th calls of a stage meet, and the next OPT waits for them.
                std::int64_t& meeting = m_meeting[{op.stage, calls[{op.replica, op.stage}]++}];
                raise(meeting, std::max(compute, reduce));
                raise(window.begin, meeting);
                raise(window.end, meeting + cost.duration);
                reduce = window.end;
                reduced[{op.replica, op.stage}] = window.end;
            } else if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient) {
                raise(window.begin, std::max(compute, links[op.peer]));
                raise(window.end, window.begin + cost.duration);
                links[op.peer] = window.end;
                const Value value = transferredValue(op, m_schedule.shape);
                raise(m_arrival[valueIndex(value, m_schedule.shape)], window.end + cost.latency);
            }
        }
    }

    const Schedule& m_schedule;
    const OpCosts& m_costs;
    OpIndex m_index;
    std::vector<Window> m_windows;                             // [op]
    std::vector<std::int64_t> m_arrival;                       // [value]
    std::map<std::pair<StageId, int>, std::int64_t> m_meeting; // [stage, which] begin
    bool m_changed = false;
};

// As an emulation measures them: every op its own. An all-reduce takes equally long everywhere.
OpCosts randomCosts(const Schedule& lowered, std::mt19937& random)
{
    std::uniform_int_distribution<std::int64_t> ticks(0, 20);
    OpCosts costs;
    for (const auto& ops : lowered.program) {
        auto& ofDevice = costs.of.emplace_back();
        for (const Op& op : ops)
            ofDevice.push_back(op.kind == OpKind::AllReduce
                                   ? OpCosts::Cost{7 + op.stage.value, 0}
                                   : OpCosts::Cost{ticks(random), ticks(random)});
    }
    return costs;
}

} // namespace

TEST_CASE("every op is placed by the rules, for any durations")
{
    std::mt19937 random(20241025);
    for (int round = 0; round < 60; ++round) {
        const std::string scheme
            = std::array{"gpipe", "1f1b", "bitpipe", "bitpipe-async"}[std::size_t(round % 4)];
        const int devices = 2 * (1 + round % 4);
        const auto policy = round % 2 == 0 ? SyncPolicy::Eager : SyncPolicy::Late;
        const Schedule lowered
            = lower(scheduleOf(scheme, devices, (round % 4 < 3 ? 2 : 4) * devices), policy);
        const OpCosts costs = randomCosts(lowered, random);
        const auto timeline = simulate(lowered, costs);
        REQUIRE(timeline);

        const Reference reference(lowered, costs);
        std::size_t spans = 0;
        for (const Track& track : timeline->tracks)
            for (const Span& span : track.spans) {
                ++spans;
                if (track.kind != Track::Kind::Receive)
                    CHECK(span.window() == reference.windows()[span.op]);
            }
        CHECK(spans == opCount(lowered));
    }
}
