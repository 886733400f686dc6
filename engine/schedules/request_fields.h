#pragma once

#include "engine/base/field.h"
#include "engine/schedules/scheme.h"

namespace engine {

// The options --scheme, --devices, --micro-batches, --chunks, --set and --data-parallel.
Fields<ScheduleRequest> requestFields();

} // namespace engine
