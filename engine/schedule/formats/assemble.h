#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>
#include <vector>

namespace engine {

// Shared by the readers of schedule files: builds a schedule from the ops of the devices.
using Programs = IdVector<DeviceId, std::vector<Op>>; // in issue order

// The largest stage, micro-batch or index, and the largest device (Op::peer has 16 bits),
// accepted from a file.
constexpr int kLargestNumber = 1 << 24;
constexpr unsigned kLargestDevice = 0xFFFD;

// The smallest shape that contains all ops. Returns Corrupt if the shape is far larger than the
// number of ops justifies, so that a wrong digit does not allocate gigabytes.
Result<Shape> shapeOf(const Programs& programs);
// The placement follows from the first op of each stage; the peers of transfers and copies
// follow from the placement.
Schedule assemble(const Shape& shape, Programs programs, std::string_view scheme);

} // namespace engine
