#pragma once

#include "app/models/edited_schedule.h"
#include "app/models/prediction.h"

#include <map>

namespace app {

// What an edited schedule is worth: the validator's findings where they belong, or its times.
struct ScheduleCheck
{
    Prediction prediction;               // with violations: no run and no numbers
    QString problem;                     // the simulator refused a valid schedule; "" else
    std::map<OpPlace, QString> messages; // of ops that violate something
    // [device] how many ops run before the device waits for ever; all of them where none does.
    std::vector<int> reached;
    std::vector<AbsentOp> missing; // ops that the validator wants; their index is not known

    bool isValid() const { return prediction.isValid() && problem.isEmpty(); }
};

ScheduleCheck checkSchedule(const engine::Schedule& schedule, const QString& label,
                            const CostSetting& costs);

// Where a missing op of its device troubles the validator least; the end of a long schedule.
OpPlace placeFor(const engine::Schedule& schedule, const AbsentOp& absent);

// Ops of each device that run when everything is as fast as it can be and nobody gives up.
std::vector<int> reachedOps(const engine::Schedule& schedule);

} // namespace app
