#pragma once

#include "app/plan/edited_schedule.h"
#include "app/plan/prediction.h"

#include <map>

namespace app {

// An op that cannot run, and the op that it waits for.
struct Wait
{
    OpPlace waiting;
    OpPlace awaited; // index -1: not in the schedule
    OpPlace blocker; // the op at which the device of `awaited` is stuck; invalid if none

    friend bool operator==(const Wait&, const Wait&) = default;
};

// The result of checking an edited schedule: its violations or, if it is valid, its times.
struct ScheduleCheck
{
    Prediction prediction;               // the violations or, if there are none, the times
    QString problem;                     // why the simulator refused a valid schedule; "" otherwise
    std::map<OpPlace, QString> messages; // violations by op
    // For each device, the number of ops that run before it deadlocks; all ops if it does not.
    engine::IdVector<engine::DeviceId, int> reached;
    std::vector<Wait> waits;       // one for each deadlocked device
    std::vector<AbsentOp> missing; // required ops that the schedule lacks; positions not set

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

// Uses the costs and the all-reduce of `request`, but not its order.
ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const PredictionRequest& request = {});

// Returns the position on its device at which the missing op causes the fewest violations. In a
// long schedule, returns the position after the device's last op without trying others.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// Returns the ops that have to wait after each device has run its first `reached` ops, at most one
// per device.
std::vector<Wait> waitsAt(const engine::Schedule& schedule,
                          const engine::IdVector<engine::DeviceId, int>& reached);
// Describes the wait: "0B0 on device 0 waits for 1B0 on device 1, which comes after 1F1."
QString sentence(const engine::Schedule& schedule, const Wait& wait);

// "4 devices wait, 23 of 32 ops never run."; "" if no violation is a deadlock.
QString deadlockSentence(const engine::Schedule& schedule, const ScheduleCheck& check);

// Returns, for each device, the number of ops that run before it deadlocks. If it does not
// deadlock, this is the number of all its ops.
engine::IdVector<engine::DeviceId, int> reachedOps(const engine::Schedule& schedule);

} // namespace app
