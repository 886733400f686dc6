#pragma once

#include "engine/schedules/scheme.h"

#include <QString>

#include <vector>

namespace app {

// Another request that is possible, for one click: "N = 8".
struct Remedy
{
    QString text;
    engine::ScheduleRequest request;

    friend bool operator==(const Remedy&, const Remedy&) = default;
};

// Which number makes a request impossible, and the nearest that are fine: asked of the scheme's own
// check, so that the window knows no rule of its own.
struct Fault
{
    enum class Field : std::uint8_t { None, Devices, MicroBatches, Chunks, Option, Other };

    Field field = Field::None;
    QString reason;  // short, for inside the field: "try 4 or 8"
    QString message; // the whole sentence of the check
    std::vector<Remedy> remedies;
};
Fault findFault(const engine::ScheduleRequest& request);

// The possible value nearest to `value` of D, N or v in [1, most]; `value` where none is.
int nearestPossible(const engine::ScheduleRequest& request, int engine::ScheduleRequest::*member,
                    int value, int most);

// What D, N and v a scheme accepts, for people: "D ≥ 2, even; N a multiple of D; v = 2".
QString ruleText(const engine::Scheme& scheme);
// The same cut to the fields it is about: "≥ 2, even", "a multiple of D"; "" where all is fine.
struct RuleParts
{
    QString devices, microBatches, chunks, other;
};
RuleParts ruleParts(const engine::Scheme& scheme);

} // namespace app
