#include "profiler/analysis/recorded_times.h"

#include "engine/base/median.h"
#include "engine/schedule/dataflow.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {
constexpr std::uint32_t kNone = 0xFFFFFFFF;

// [iteration] a number for each iteration that counts; kNone for the others.
std::vector<std::uint32_t> countedIterations(const Timeline& timeline)
{
    using Kind = Iteration::Kind;
    const bool hasReplay
        = std::ranges::count(timeline.iterations, Kind::Replay, &Iteration::kind) > 0;
    std::vector<std::uint32_t> numbers;
    std::uint32_t next = 0;
    for (const Iteration& iteration : timeline.iterations) {
        const bool counts = iteration.kind == (hasReplay ? Kind::Replay : Kind::Measured);
        numbers.push_back(counts ? next++ : kNone);
    }
    return numbers;
}

// [op] the RECV of a SEND; kNone for other ops.
std::vector<std::uint32_t> receivesOf(const Schedule& schedule, const OpIndex& index)
{
    std::vector<std::uint32_t> byValue(valueCount(schedule.shape), kNone), receives(index.count());
    const auto forEach = [&](auto use) {
        for (std::uint32_t op = 0; op < index.count(); ++op)
            use(op, opAt(schedule, index, op));
    };
    forEach([&](std::uint32_t number, const Op& op) {
        if (op.kind == OpKind::RecvActivation || op.kind == OpKind::RecvGradient)
            byValue[valueIndex(transferredValue(op, schedule.shape), schedule.shape)] = number;
    });
    forEach([&](std::uint32_t number, const Op& op) {
        const bool sends = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
        receives[number] = sends
            ? byValue[valueIndex(transferredValue(op, schedule.shape), schedule.shape)]
            : kNone;
    });
    return receives;
}

class Recorded
{
public:
    explicit Recorded(const Run& run)
        : m_run(run)
        , m_index(run.schedule)
    {
        const std::vector<std::uint32_t> counted = countedIterations(run.timeline);
        for (const std::uint32_t number : counted)
            if (number != kNone)
                m_windows.emplace_back(m_index.count(), kNotRun);
        for (const Track& track : run.timeline.tracks)
            for (const Span& span : track.spans)
                if (const std::uint32_t k = counted[span.iteration]; k != kNone)
                    m_windows[k][span.op] = span.window();
    }

    RecordedTimes medians() const
    {
        RecordedTimes times(m_index.count());
        const std::vector<std::uint32_t> receives = receivesOf(m_run.schedule, m_index);
        std::vector<std::int64_t> durations, latencies;
        for (std::uint32_t op = 0; op < m_index.count(); ++op) {
            durations.clear();
            latencies.clear();
            for (const std::vector<Window>& windows : m_windows) {
                if (windows[op] == kNotRun)
                    continue;
                durations.push_back(windows[op].duration());
                if (receives[op] != kNone && windows[receives[op]] != kNotRun)
                    latencies.push_back(
                        std::max<std::int64_t>(0, windows[receives[op]].end - windows[op].end));
            }
            if (!durations.empty())
                times[op] = {medianOf(durations), medianOf(latencies)};
        }
        return times;
    }

private:
    static constexpr Window kNotRun{0, -1};

    const Run& m_run;
    OpIndex m_index;
    std::vector<std::vector<Window>> m_windows; // [counted iteration][op]
};

class JointTimes
{
public:
    JointTimes(const Schedule& schedule, RecordedTimes& times)
        : m_schedule(schedule)
        , m_times(times)
    { }

    void divide()
    {
        std::uint32_t first = 0;
        std::vector<std::pair<std::uint32_t, std::span<const Op>>> groups;
        for (const auto& ops : m_schedule.program) {
            for (std::size_t i = 0; i < ops.size();) {
                std::size_t end = i + 1;
                while (end < ops.size() && ops[end - 1].flags == OpFlag::JointWithNext)
                    ++end;
                const auto number = first + static_cast<std::uint32_t>(i);
                if (end - i > 1)
                    groups.emplace_back(number, std::span(ops).subspan(i, end - i));
                else if (m_times[number])
                    m_alone[{ops[i].kind, ops[i].stage}].push_back(m_times[number]->duration);
                i = end;
            }
            first += ops.size();
        }
        for (const auto& [number, group] : groups)
            if (m_times[number])
                divide(number, group);
    }

private:
    // The assumed duration relative to a forward, if no op of the group ran alone.
    static double usual(OpKind kind) { return kind == OpKind::Backward ? 2 : 1; }

    void divide(std::uint32_t first, std::span<const Op> group)
    {
        std::vector<double> weights;
        for (const Op& op : group) {
            const auto alone = m_alone.find({op.kind, op.stage});
            weights.push_back(
                alone == m_alone.end() ? 0 : static_cast<double>(medianOf(alone->second)));
        }
        if (std::ranges::count(weights, 0.0) > 0)
            std::ranges::transform(group, weights.begin(),
                                   [](const Op& op) { return usual(op.kind); });
        const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
        const double whole = m_times[first]->duration;
        double before = 0;
        std::int64_t given = 0;
        for (std::uint32_t i = 0; i < group.size(); ++i) {
            before += weights[i];
            const std::int64_t until = whole * before / all;
            m_times[first + i] = {until - given, 0};
            given = until;
        }
    }

    const Schedule& m_schedule;
    RecordedTimes& m_times;
    std::map<std::pair<OpKind, StageId>, std::vector<std::int64_t>> m_alone;
};
} // namespace

RecordedTimes recordedTimes(const Run& run)
{
    RecordedTimes times = Recorded(run).medians();
    JointTimes(run.schedule, times).divide();
    return times;
}

} // namespace profiler
