#include "engine/schedules/parts/limited_memory.h"

#include "engine/base/text.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"

#include <queue>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace engine::parts {
namespace {

constexpr int kLargestCost = 1'000'000;

struct Costs
{
    std::int64_t forward = 1, input = 1, weight = 1;
};

std::optional<Costs> parseCosts(std::string_view text)
{
    std::array<std::int64_t, 3> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t end = i + 1 < numbers.size() ? text.find(':') : text.size();
        if (end == std::string_view::npos)
            return {};
        const auto number = parseInteger<int>(text.substr(0, end));
        if (!number || *number < 1 || *number > kLargestCost)
            return {};
        numbers[i] = *number;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return Costs{numbers[0], numbers[1], numbers[2]};
}

// What an idle device runs while neither a forward nor an input gradient can start.
enum class Fill {
    Always, // a weight gradient, if available
    IfHalf, // a weight gradient, unless it would delay the next known op by more than half its
            // duration
};

// Number of forwards before the first input gradient.
enum class WarmUp {
    Memory,       // as many as fit in memory
    UntilArrival, // as many as start before the first gradient arrives
    BeforeArrival // as many as end before the first gradient arrives
};

struct Policy
{
    WarmUp warmUp = WarmUp::Memory;
    Fill fill = Fill::Always;
    // If true, a forward has priority over an input gradient while fewer micro-batches wait for
    // their input gradient than the warm-up has forwards.
    bool forwardFirst = false;
};

// For F:I:W from 1:1:1 to 5:9:4, the best of these policies reaches the least makespan of all
// combinations of the settings in Policy.
constexpr std::array<Policy, 4> kPolicies{{{WarmUp::BeforeArrival, Fill::IfHalf, true},
                                           {WarmUp::Memory, Fill::Always, false},
                                           {WarmUp::BeforeArrival, Fill::Always, true},
                                           {WarmUp::UntilArrival, Fill::IfHalf, true}}};

struct Problem
{
    int devices = 0, microBatches = 0, mostStash = 0;
    Costs costs;
};

// The forwards of each device before its first input gradient.
std::vector<int> warmUps(const Problem& problem, WarmUp rule)
{
    const int most = std::min(problem.mostStash, problem.microBatches);
    const auto [forward, input, weight] = problem.costs;
    std::vector<int> counts(problem.devices, most);
    if (rule == WarmUp::Memory)
        return counts;
    std::int64_t arrives = problem.devices * forward; // time of the first gradient
    for (int d = problem.devices - 1; d >= 0; --d) {
        int& count = counts[d];
        count = 1;
        std::int64_t end = (d + 1) * forward;
        const std::int64_t latest = rule == WarmUp::UntilArrival ? arrives - 1 : arrives - forward;
        for (; count < most && end <= latest; ++count)
            end += forward;
        arrives = std::max(end, arrives) + input;
    }
    // A warm-up without all forwards is shorter than the warm-up of the previous device, but has at
    // least one forward.
    for (std::size_t d = 1; d < counts.size(); ++d)
        if (counts[d] < problem.microBatches)
            counts[d] = std::max(1, std::min(counts[d], counts[d - 1] - 1));
    return counts;
}

class Trial
{
public:
    Trial(const Problem& problem, const Policy& policy)
        : m_problem(problem)
        , m_policy(policy)
        , m_warmUps(warmUps(problem, policy.warmUp))
        , m_devices(problem.devices)
    {
        for (Device& device : m_devices) {
            device.forwardEnds.reserve(problem.microBatches);
            device.inputEnds.reserve(problem.microBatches);
            device.kinds.reserve(std::size_t{3} * problem.microBatches);
        }
        m_wakes.emplace(0, 0);
    }

    void run()
    {
        while (!m_wakes.empty()) {
            const auto [now, d] = m_wakes.top();
            m_wakes.pop();
            for (const int woken : {d - 1, d, d + 1})
                if (woken >= 0 && woken < m_problem.devices)
                    start(woken, now);
        }
    }

    // The makespan, and the longest span of one device.
    std::pair<std::int64_t, std::int64_t> makespanAndSpan() const
    {
        std::int64_t makespan = 0;
        std::int64_t span = 0;
        for (const Device& device : m_devices) {
            makespan = std::max(makespan, device.freeAt);
            const std::int64_t first = device.forwardEnds.front() - m_problem.costs.forward;
            span = std::max(span, device.freeAt - first);
        }
        return {makespan, span};
    }

    void write(Schedule& schedule) const
    {
        for (int d = 0; d < m_problem.devices; ++d) {
            Program program(schedule, d);
            StageOps ops(program, d);
            for (const OpKind kind : m_devices[d].kinds)
                if (kind == OpKind::Forward)
                    ops.forward();
                else if (kind == OpKind::BackwardInput)
                    ops.input();
                else
                    ops.weight();
        }
    }

private:
    static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

    struct Device
    {
        std::vector<std::int64_t> forwardEnds,
            inputEnds;             // [micro-batch]: end times, for the ops started so far
        std::vector<OpKind> kinds; // the ops in order; micro-batches ascend within each kind
        int weights = 0;
        std::int64_t freeAt = 0;

        int forwards() const { return forwardEnds.size(); }
        int inputs() const { return inputEnds.size(); }
    };

    const Device& at(int device) const { return m_devices[device]; }

    static std::int64_t endOf(const std::vector<std::int64_t>& ends, int microBatch)
    {
        const std::size_t i = microBatch;
        return i < ends.size() ? ends[i] : kUnknown;
    }

    // The earliest time at which memory, warm-up and input allow the device's next forward;
    // kUnknown if this time is not known yet.
    std::int64_t nextForward(int d) const
    {
        const Device& device = at(d);
        const int next = device.forwards();
        const bool room = next - device.weights < m_problem.mostStash;
        const bool warm = device.inputs() > 0 || next < m_warmUps[d];
        if (next == m_problem.microBatches || !room || !warm)
            return kUnknown;
        return d == 0 ? 0 : endOf(at(d - 1).forwardEnds, next);
    }
    std::int64_t nextInput(int d) const
    {
        const Device& device = at(d);
        if (device.inputs() == device.forwards())
            return kUnknown;
        return d == m_problem.devices - 1 ? endOf(device.forwardEnds, device.inputs())
                                          : endOf(at(d + 1).inputEnds, device.inputs());
    }

    bool fillsWithWeight(const Device& device, std::int64_t next, std::int64_t now) const
    {
        if (device.weights == device.inputs())
            return false;
        return m_policy.fill == Fill::Always || next == kUnknown
            || 2 * (next - now) >= m_problem.costs.weight;
    }

    void start(int d, std::int64_t now)
    {
        Device& device = m_devices[d];
        if (device.freeAt > now)
            return;
        const std::int64_t forward = nextForward(d);
        const std::int64_t input = nextInput(d);
        const int underWay = device.forwards() - device.inputs();
        const bool prefersForward = m_policy.forwardFirst && underWay < m_warmUps[d];
        if (forward <= now && (input > now || prefersForward)) {
            device.forwardEnds.push_back(now + m_problem.costs.forward);
            begin(d, OpKind::Forward, now + m_problem.costs.forward);
        } else if (input <= now) {
            device.inputEnds.push_back(now + m_problem.costs.input);
            begin(d, OpKind::BackwardInput, now + m_problem.costs.input);
        } else if (fillsWithWeight(device, std::min(forward, input), now)) {
            ++device.weights;
            begin(d, OpKind::BackwardWeight, now + m_problem.costs.weight);
        }
    }

    void begin(int d, OpKind kind, std::int64_t end)
    {
        Device& device = m_devices[d];
        device.kinds.push_back(kind);
        device.freeAt = end;
        m_wakes.emplace(end, d);
    }

    using Wake = std::pair<std::int64_t, int>; // time, device

    const Problem& m_problem;
    Policy m_policy;
    std::vector<int> m_warmUps; // [device]
    std::vector<Device> m_devices;
    std::priority_queue<Wake, std::vector<Wake>, std::greater<>> m_wakes;
};

} // namespace

bool isCosts(std::string_view value)
{
    return parseCosts(value).has_value();
}

Schedule searchWithinMemory(const ScheduleRequest& request, int mostStash)
{
    const Problem problem{request.devices, request.microBatches, mostStash,
                          parseCosts(chosen(request, kCosts)).value()};
    std::optional<Trial> best;
    for (const Policy& policy : kPolicies) {
        Trial trial(problem, policy);
        trial.run();
        if (!best || trial.makespanAndSpan() < best->makespanAndSpan())
            best.emplace(std::move(trial));
    }
    Schedule schedule = emptySchedule(request, loopingDevice);
    best->write(schedule);
    return schedule;
}

} // namespace engine::parts
