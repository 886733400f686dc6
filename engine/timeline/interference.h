#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

// Durations of ops of one kind alone and while the other devices are busy, if devices are parts
// of one GPU: the same ops, one iteration each.
struct Interference
{
    OpKind kind = OpKind::Forward;
    std::int64_t alone = 0, beside = 0; // ns per iteration

    double ratio() const { return engine::ratio(beside, alone); }
    friend bool operator==(const Interference&, const Interference&) = default;
};

// Of all kinds; 0: not measured.
double interferenceRatio(std::span<const Interference> kinds);

// "ops take 1.08 times as long beside the others as alone (F 1.05, B 1.10, OPT 1.31)"
std::string interferenceText(std::span<const Interference> kinds);

} // namespace engine
