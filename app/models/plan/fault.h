#pragma once

#include "engine/schedules/scheme.h"

#include <QString>

#include <vector>

namespace app {

// A change that makes the request possible and that one click applies: "N = 8".
struct Remedy
{
    QString text;
    engine::ScheduleRequest request;

    friend bool operator==(const Remedy&, const Remedy&) = default;
};

// The parameter that makes a request impossible, and the nearest possible values. Both come from
// the scheme's own check, so the window has no separate rules.
struct Fault
{
    enum class Field : std::uint8_t { None, Devices, MicroBatches, Chunks, Option, Other };

    Field field = Field::None;
    QString reason;  // short, shown inside the field: "try 4 or 8"
    QString message; // the full message of the check
    std::vector<Remedy> remedies;
};
Fault findFault(const engine::ScheduleRequest& request);

// Returns the possible value of D, N or v in [1, most] that is nearest to `value`; `value` if none
// is possible.
int nearestPossible(const engine::ScheduleRequest& request, int engine::ScheduleRequest::*member,
                    int value, int most);

// The values of D, N and v that a scheme accepts: "D ≥ 2, even; N a multiple of D; v = 2".
QString ruleText(const engine::Scheme& scheme);
// ruleText() by field: "≥ 2, even", "a multiple of D"; "" if any value is accepted.
struct RuleParts
{
    QString devices, microBatches, chunks, other;
};
RuleParts ruleParts(const engine::Scheme& scheme);

} // namespace app
