#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>
#include <vector>

namespace engine {

// What the readers of files have in common: from the ops of the devices to a schedule.
using Programs = std::vector<std::vector<Op>>; // [device], in issue order

// The largest numbers in a file: of a stage, micro-batch or index (more than can be built), and of
// a device (Op::peer has 16 bits).
constexpr int kLargestNumber = 1 << 24;
constexpr int kLargestDevice = 0xFFFD;

// The smallest shape that holds all ops. Corrupt where it would need far more memory than so few
// ops can mean: one wrong digit must not ask for gigabytes.
Result<Shape> shapeOf(const Programs& programs);
// A stage is where its first op is. The other ends of transfers and copies follow from that, since
// no file holds them.
Schedule assemble(const Shape& shape, Programs programs, std::string_view scheme);

} // namespace engine
