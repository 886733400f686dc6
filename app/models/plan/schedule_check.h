#pragma once

#include "app/models/plan/edited_schedule.h"
#include "app/models/plan/prediction.h"

#include <map>

namespace app {

// A deadlocked op, and the op that it waits for.
struct Wait
{
    OpPlace waiting;
    OpPlace awaited; // index -1: not in the schedule
    OpPlace blocker; // the op at which the awaited op's device waits; invalid: none

    friend bool operator==(const Wait&, const Wait&) = default;
};

// The result of checking an edited schedule: violations by op, or times.
struct ScheduleCheck
{
    Prediction prediction;               // the violations, or the times
    QString problem;                     // why the simulator refused a valid schedule; "" otherwise
    std::map<OpPlace, QString> messages; // violations by op
    // The number of ops that run before the device deadlocks; all ops if it does not.
    engine::IdVector<engine::DeviceId, int> reached;
    std::vector<Wait> waits;       // one for each deadlocked device
    std::vector<AbsentOp> missing; // required ops that the schedule lacks, without positions

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

// Uses the costs and the all-reduce of `request`, but not its order.
ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const PredictionRequest& request = {});

// Returns the position at which a missing op causes the fewest violations; in a long schedule, the
// end of the device.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// Returns the ops that wait for other devices after the first `reached` ops of each device have
// run.
std::vector<Wait> waitsAt(const engine::Schedule& schedule,
                          const engine::IdVector<engine::DeviceId, int>& reached);
// Describes the wait: "0B0 on device 0 waits for 1B0 on device 1, which comes after 1F1."
QString sentence(const engine::Schedule& schedule, const Wait& wait);

// "4 devices wait, 23 of 32 ops never run."; "" if no violation is a deadlock.
QString deadlockSentence(const engine::Schedule& schedule, const ScheduleCheck& check);

// Returns the number of ops of each device that run before the device deadlocks; all its ops if it
// does not.
engine::IdVector<engine::DeviceId, int> reachedOps(const engine::Schedule& schedule);

} // namespace app
