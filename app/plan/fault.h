#pragma once

#include "engine/schedules/scheme.h"

#include <QString>

#include <vector>

namespace app {

// A change that makes an impossible request possible, such as "N = 8". The user applies it with one
// click.
struct Remedy
{
    QString text;
    engine::ScheduleRequest request;

    friend bool operator==(const Remedy&, const Remedy&) = default;
};

// The parameter that makes a request impossible, and the nearest possible values according to the
// scheme's own check.
struct Fault
{
    enum class Field : std::uint8_t { None, Devices, MicroBatches, Chunks, Option, Other };

    Field field = Field::None;
    QString reason;  // short, shown inside the field: "try 4 or 8"
    QString message; // the full message of the check
    std::vector<Remedy> remedies;
};
Fault findFault(const engine::ScheduleRequest& request);

// Returns the value in [1, most] for `member` (D, N or v) that is possible and nearest to `value`.
// Returns `value` if none is possible.
int nearestPossible(const engine::ScheduleRequest& request, int engine::ScheduleRequest::*member,
                    int value, int most);

// Describes the values of D, N and v that a scheme accepts: "D ≥ 2, even; N a multiple of D; v =
// 2".
QString ruleText(const engine::Scheme& scheme);
// The parts of ruleText() for the input fields: "≥ 2, even", "a multiple of D". A part is "" if the
// scheme accepts any value.
struct RuleParts
{
    QString devices, microBatches, chunks, other;
};
RuleParts ruleParts(const engine::Scheme& scheme);

} // namespace app
