#include "app/editor/schedule_check.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {
namespace {

using engine::Schedule;
using engine::Violation;

// Executes a schedule of compute ops without times. Each device runs its ops in order until the
// input of an op is missing.
class DryRun
{
public:
    explicit DryRun(const Schedule& schedule)
        : m_schedule(schedule)
        , m_made(engine::valueCount(schedule.shape))
        , m_reached(schedule.program.size())
    { }

    engine::IdVector<engine::DeviceId, int> run()
    {
        bool moved = true;
        while (moved) {
            moved = false;
            for (const engine::DeviceId device : m_reached.ids())
                moved = goOn(device) || moved;
        }
        return m_reached;
    }

private:
    bool goOn(engine::DeviceId device)
    {
        const auto& ops = m_schedule.program[device];
        const int before = m_reached[device];
        int& next = m_reached[device];
        for (; next < std::ssize(ops); ++next) {
            const engine::Op& op = ops[next];
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
    std::vector<bool> m_made; // one flag per value
    engine::IdVector<engine::DeviceId, int> m_reached;
};

} // namespace

engine::IdVector<engine::DeviceId, int> reachedOps(const Schedule& schedule)
{
    return DryRun(schedule).run();
}

QString deadlockSentence(const Schedule& schedule, const ScheduleCheck& check)
{
    if (std::ranges::find(check.prediction.violations, Violation::Kind::Deadlock, &Violation::kind)
        == check.prediction.violations.end())
        return {};
    std::int64_t waiting = 0, all = 0, left = 0;
    for (const engine::DeviceId device : check.reached.ids()) {
        const std::int64_t ops = std::ssize(schedule.program[device]);
        waiting += check.reached[device] < ops ? 1 : 0;
        all += ops;
        left += ops - check.reached[device];
    }
    return QCoreApplication::translate("ScheduleCheck",
                                       waiting == 1 ? "%1 waits, %2 of %3 ops never run."
                                                    : "%1 wait, %2 of %3 ops never run.")
        .arg(countOf(waiting, "device"))
        .arg(left)
        .arg(all);
}

ScheduleCheck checkSchedule(const Schedule& schedule, const QString& label,
                            const PredictionRequest& request)
{
    ScheduleCheck check;
    auto predicted = predict(schedule, label, request);
    if (predicted)
        check.prediction = std::move(*predicted);
    else
        check.problem = fromUtf8(predicted.error().message);
    check.reached = reachedOps(schedule);
    if (!check.isValid())
        check.waits = waitsAt(schedule, check.reached);
    for (const Violation& violation : check.prediction.violations) {
        const QString message = fromUtf8(violation.message);
        if (violation.index >= 0) {
            QString& all = check.messages[{violation.device.value, violation.index}];
            all += (all.isEmpty() ? QString() : QStringLiteral("\n")) + message;
        } else if (violation.kind == Violation::Kind::Missing
                   && schedule.program.has(violation.device)) {
            check.missing.push_back({violation.op, {violation.device.value, -1}});
        }
    }
    return check;
}

namespace {

std::vector<bool> valuesMade(const Schedule& schedule,
                             const engine::IdVector<engine::DeviceId, int>& reached)
{
    std::vector<bool> made(engine::valueCount(schedule.shape));
    for (const engine::DeviceId device : reached.ids())
        for (int i = 0; i < reached[device]; ++i) {
            const engine::Op& op = schedule.program[device][i];
            if (!engine::exists(op, schedule.shape))
                continue;
            for (const engine::Value& value : engine::produces(op, schedule.shape))
                made[engine::valueIndex(value, schedule.shape)] = true;
        }
    return made;
}

// Returns the place of the op that produces a value. If the op is missing, the index is -1 and the
// device is the one that should execute it.
OpPlace makerOf(const engine::Value& value, const Schedule& schedule)
{
    const engine::DeviceId device = schedule.device(value.replica, value.stage);
    const auto& ops = schedule.program[device];
    const auto makes = [&](const engine::Op& op) {
        return engine::exists(op, schedule.shape)
            && std::ranges::any_of(engine::produces(op, schedule.shape),
                                   [&value](const engine::Value& made) { return made == value; });
    };
    const auto maker = std::ranges::find_if(ops, makes);
    return {device.value, maker == ops.end() ? -1 : static_cast<int>(maker - ops.begin())};
}

} // namespace

std::vector<Wait> waitsAt(const Schedule& schedule,
                          const engine::IdVector<engine::DeviceId, int>& reached)
{
    const std::vector<bool> made = valuesMade(schedule, reached);
    std::vector<Wait> waits;
    for (const engine::DeviceId device : reached.ids()) {
        const int next = reached[device];
        if (next >= std::ssize(schedule.program[device]))
            continue;
        const OpPlace waiting{device.value, reached[device]};
        const engine::Values needed
            = engine::consumes(schedule.program[device][next], schedule.shape);
        const auto value
            = std::find_if(needed.begin(), needed.end(), [&](const engine::Value& one) {
                  return !made[engine::valueIndex(one, schedule.shape)];
              });
        if (value == needed.end())
            continue;
        const OpPlace awaited = makerOf(*value, schedule);
        const OpPlace stop{awaited.device, reached[{awaited.device}]};
        waits.push_back({waiting, awaited, awaited.index > stop.index ? stop : OpPlace{}});
    }
    return waits;
}

QString sentence(const Schedule& schedule, const Wait& wait)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Wait", source); };
    const auto nameAt = [&schedule](const OpPlace& place) {
        return QString::fromStdString(
            engine::toString(schedule.program[{place.device}][place.index]));
    };
    const QString who
        = text("%1 on device %2 waits for ").arg(nameAt(wait.waiting)).arg(wait.waiting.device);
    if (!wait.awaited.isValid())
        return who + text("an op that device %1 does not have.").arg(wait.awaited.device);
    const QString whom
        = who + text("%1 on device %2").arg(nameAt(wait.awaited)).arg(wait.awaited.device);
    if (!wait.blocker.isValid())
        return whom + QLatin1Char('.');
    return whom + text(", which comes after ")
        + (wait.blocker == wait.waiting ? text("it") : nameAt(wait.blocker)) + QLatin1Char('.');
}

OpPlace placeFor(const Schedule& schedule, const AbsentOp& absent)
{
    constexpr std::size_t kTried = 2000; // ops; with more, it takes too long to try every position
    const engine::DeviceId device{absent.place.device};
    const int end = schedule.program[device].size();
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
