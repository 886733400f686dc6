#pragma once

#include "engine/base/field.h"
#include "engine/schedules/scheme.h"

namespace engine {

// The options --scheme, --devices, --micro-batches, --chunks, --set, --data-parallel and --mapping.
Fields<ScheduleRequest> requestFields();

} // namespace engine
