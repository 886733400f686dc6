#pragma once

#include "app/models/plan/edited_schedule.h"
#include "app/models/plan/prediction.h"

#include <map>

namespace app {

// An op that waits for ever, and the op that it waits for.
struct Wait
{
    OpPlace waiting;
    OpPlace awaited; // index -1: it is not in the schedule
    OpPlace blocker; // what the awaited op stands behind: where its device waits; invalid: nothing

    friend bool operator==(const Wait&, const Wait&) = default;
};

// What an edited schedule is worth: the validator's findings where they belong, or its times.
struct ScheduleCheck
{
    Prediction prediction;               // with violations: no run and no numbers
    QString problem;                     // the simulator refused a valid schedule; "" else
    std::map<OpPlace, QString> messages; // of ops that violate something
    // [device] how many ops run before the device waits for ever; all of them where none does.
    std::vector<int> reached;
    std::vector<Wait> waits;       // one of each device that waits for ever
    std::vector<AbsentOp> missing; // ops that the validator wants; their index is not known

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

// `request`: its costs and all-reduce; what it says of an order is not asked.
ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const PredictionRequest& request = {});

// Where a missing op of its device troubles the validator least; the end of a long schedule.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// Who waits for whom where the ops before `reached` of each device run and no other can.
std::vector<Wait> waitsAt(const engine::Schedule& schedule, const std::vector<int>& reached);
// "0B0 on device 0 waits for 1B0 on device 1, which stands behind 1F1."
QString sentence(const engine::Schedule& schedule, const Wait& wait);

// Ops of each device that run when everything is as fast as it can be and nobody gives up.
std::vector<int> reachedOps(const engine::Schedule& schedule);

} // namespace app
