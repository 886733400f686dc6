#pragma once

#include "engine/schedule/dataflow.h"

namespace engine {

// Functions that find the other end of a transfer. All arguments must satisfy exists().
bool isSend(OpKind kind); // SEND_F SEND_B
// The stage at the other end: stage 3 for a SEND_F of stage 2.
StageId otherStage(const Op& transfer, const Shape& shape);
// The device of otherStage(). Equals Op::peer if addP2P() has set it.
DeviceId otherDevice(const Schedule& schedule, const Op& transfer);
// The op at the other end: the RECV of a SEND and vice versa.
Op otherEnd(const Op& transfer, const Shape& shape);
// The ops that move an activation or a gradient.
OpKind sendOf(Value::Kind value);
OpKind receiveOf(Value::Kind value);

// The devices that call the all-reduce of each stage, indexed by allReduceStage(). There is one
// entry per replica, so a device that holds both replicas is listed twice. The k-th calls of all
// entries form one all-reduce. Ops outside the shape or on the wrong device are left out.
IdVector<StageId, std::vector<DeviceId>> allReduceCallers(const Schedule& schedule);

// [row] whether each copy of the stage keeps a share of its weights: it has an UNSHARD or RESHARD.
std::vector<bool> shardedRows(const Schedule& schedule);

bool hasTransfers(const Schedule& schedule);
bool holds(const Schedule& schedule, OpKind kind);

} // namespace engine
