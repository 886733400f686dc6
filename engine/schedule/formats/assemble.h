#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>
#include <vector>

namespace engine {

// The ops that a reader of schedule files has parsed; assemble() makes a schedule from them.
using Programs = IdVector<DeviceId, std::vector<Op>>; // in issue order

// The largest stage, micro-batch or index in a file, and the largest device (Op::peer has 16 bits).
constexpr int kLargestNumber = 1 << 24;
constexpr unsigned kLargestDevice = 0xFFFD;

// The smallest shape that contains all ops. Fails with Error::Code::Corrupt if the shape is far
// larger than the number of ops justifies, so that a wrong digit does not allocate gigabytes.
Result<Shape> shapeOf(const Programs& programs);
// Places each stage on the device of its first op, and sets the peers of transfers and copies.
Schedule assemble(const Shape& shape, Programs programs, std::string_view scheme);

} // namespace engine
