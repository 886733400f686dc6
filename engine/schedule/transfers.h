#pragma once

#include "engine/schedule/dataflow.h"

namespace engine {

// The two ends of a transfer. All arguments must satisfy exists().
bool isSend(OpKind kind); // SEND_F SEND_B
// The stage at the other end: SEND_F of stage 2 matches RECV_F of stage 3.
StageId otherStage(const Op& transfer, const Shape& shape);
// The device of that stage; equals Op::peer where a pass has set it.
DeviceId otherDevice(const Schedule& schedule, const Op& transfer);
// The op at the other end.
Op otherEnd(const Op& transfer, const Shape& shape);

bool hasTransfers(const Schedule& schedule);
bool holds(const Schedule& schedule, OpKind kind);

} // namespace engine
