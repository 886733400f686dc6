#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

// The total duration of the same ops of one kind in an iteration, when each runs alone and while
// other devices are busy. For devices that are partitions of one GPU.
struct Interference
{
    OpKind kind = OpKind::Forward;
    std::int64_t alone = 0, concurrent = 0; // in ns per iteration

    double ratio() const { return engine::ratio(concurrent, alone); }
    friend bool operator==(const Interference&, const Interference&) = default;
};

// The slow-down factor over all kinds; 0: not measured.
double interferenceRatio(std::span<const Interference> kinds);

// Describes the factors: "interference slows ops down by a factor of 1.08 (F 1.05, B 1.10, OPT
// 1.31)".
std::string interferenceText(std::span<const Interference> kinds);

} // namespace engine
