#pragma once

#include "app/models/plan/edited_schedule.h"
#include "app/models/plan/prediction.h"

#include <map>

namespace app {

// A deadlocked op and the op that it waits for.
struct Wait
{
    OpPlace waiting;
    OpPlace awaited; // index -1: not in the schedule
    OpPlace blocker; // the op before the awaited one at which its device waits; invalid: none

    friend bool operator==(const Wait&, const Wait&) = default;
};

// Result of checking an edited schedule: violations by op, or times.
struct ScheduleCheck
{
    Prediction prediction;               // with violations: no run and no numbers
    QString problem;                     // why the simulator refused a valid schedule; "" else
    std::map<OpPlace, QString> messages; // violations by op
    // Ops that run before the device deadlocks; all of them without a deadlock.
    engine::IdVector<engine::DeviceId, int> reached;
    std::vector<Wait> waits;       // one for each deadlocked device
    std::vector<AbsentOp> missing; // ops that the validator misses; their index is unknown

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

// Uses the costs and all-reduce of `request` and ignores its order.
ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const PredictionRequest& request = {});

// The position of a missing op with the fewest violations; the end of the device in a long
// schedule.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// The waits between devices after the ops before `reached` of each device ran.
std::vector<Wait> waitsAt(const engine::Schedule& schedule,
                          const engine::IdVector<engine::DeviceId, int>& reached);
// "0B0 on device 0 waits for 1B0 on device 1, which comes after 1F1."
QString sentence(const engine::Schedule& schedule, const Wait& wait);

// Ops of each device that run before it deadlocks, or all of them.
engine::IdVector<engine::DeviceId, int> reachedOps(const engine::Schedule& schedule);

} // namespace app
