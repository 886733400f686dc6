#include "app/models/schedule_check.h"

#include "app/models/text.h"
#include "engine/schedule/dataflow.h"

#include <algorithm>

namespace app {
namespace {

using engine::Schedule;
using engine::Violation;

// Runs a schedule of compute ops without time, each device as far as its inputs allow.
class DryRun
{
public:
    explicit DryRun(const Schedule& schedule)
        : m_schedule(schedule)
        , m_made(engine::valueCount(schedule.shape))
        , m_reached(schedule.program.size())
    { }

    std::vector<int> run()
    {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t device = 0; device < m_reached.size(); ++device)
                moved = goOn(device) || moved;
        }
        return m_reached;
    }

private:
    bool goOn(std::size_t device)
    {
        const auto& ops = m_schedule.program[device];
        const int before = m_reached[device];
        int& next = m_reached[device];
        for (; next < static_cast<int>(ops.size()); ++next) {
            const engine::Op& op = ops[static_cast<std::size_t>(next)];
            if (!engine::exists(op, m_schedule.shape))
                continue;
            if (!isReady(op))
                break;
            for (const engine::Value& value : engine::produces(op, m_schedule.shape))
                m_made[engine::valueIndex(value, m_schedule.shape)] = true;
        }
        return next != before;
    }

    bool isReady(const engine::Op& op) const
    {
        return std::ranges::all_of(
            engine::consumes(op, m_schedule.shape), [this](const engine::Value& value) {
                return bool(m_made[engine::valueIndex(value, m_schedule.shape)]);
            });
    }

    const Schedule& m_schedule;
    std::vector<bool> m_made; // [value]
    std::vector<int> m_reached;
};

} // namespace

std::vector<int> reachedOps(const Schedule& schedule)
{
    return DryRun(schedule).run();
}

ScheduleCheck checkSchedule(const Schedule& schedule, const QString& label,
                            const CostSetting& costs)
{
    ScheduleCheck check;
    auto predicted = predict(schedule, label, engine::SyncPolicy::Eager, costs);
    if (predicted)
        check.prediction = std::move(*predicted);
    else
        check.problem = fromUtf8(predicted.error().message);
    check.reached = reachedOps(schedule);
    for (const Violation& violation : check.prediction.violations) {
        const QString message = fromUtf8(violation.message);
        if (violation.index >= 0) {
            QString& all = check.messages[{violation.device.value, violation.index}];
            all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + message;
        } else if (violation.kind == Violation::Kind::Missing && violation.device.isValid()
                   && violation.device.value < static_cast<int>(schedule.program.size())) {
            check.missing.push_back({violation.op, {violation.device.value, -1}});
        }
    }
    return check;
}

OpPlace placeFor(const Schedule& schedule, const AbsentOp& absent)
{
    constexpr std::size_t kTried = 2000; // ops of a schedule for which trying each place is quick
    const auto device = static_cast<std::size_t>(absent.place.device);
    const int end = static_cast<int>(schedule.program[device].size());
    OpPlace best{absent.place.device, end};
    if (engine::opCount(schedule) > kTried)
        return best;
    std::size_t least = SIZE_MAX;
    for (int index = 0; index <= end; ++index) {
        Schedule trial = schedule;
        std::vector<engine::Op>& ops = trial.program[device];
        ops.insert(ops.begin() + index, absent.op);
        const std::size_t found = engine::validate(trial).size();
        if (found < least) {
            least = found;
            best.index = index;
        }
    }
    return best;
}

} // namespace app
