#pragma once

#include "engine/schedule/dataflow.h"

namespace engine {

// Both ends of a transfer. Asked only about transfers that exist().
bool isSend(OpKind kind); // SEND_F SEND_B
// The stage at the other end: SEND_F of stage 2 meets RECV_F of stage 3.
StageId otherStage(const Op& transfer, const Shape& shape);
// The device of that stage; what Op::peer says where a pass wrote it.
DeviceId otherDevice(const Schedule& schedule, const Op& transfer);
// The op that it meets there.
Op otherEnd(const Op& transfer, const Shape& shape);

bool hasTransfers(const Schedule& schedule);
bool holds(const Schedule& schedule, OpKind kind);

} // namespace engine
