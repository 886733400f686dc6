#pragma once

#include "engine/plan/arena_layout.h"
#include "engine/plan/happens_before.h"
#include "engine/schedule/dataflow.h"

#include <functional>
#include <optional>

namespace engine {

// boundaryInput() returns the boundary tensor that an op receives from a neighbouring stage,
// boundaryOutput() the boundary tensor that it passes on.
std::optional<Value> boundaryInput(const Op& op, const Shape& shape);
std::optional<Value> boundaryOutput(const Op& op, const Shape& shape);

// A boundary tensor, from its producer through SEND and RECV to its consumer. If both stages are on
// one device, there are no SEND and RECV.
struct PlannedMessage
{
    Value value;
    HappensBefore::Place maker, user;
    std::uint32_t send = kNoIndex,
                  receive = kNoIndex; // positions in the programs of the producer and the consumer
    Bytes bytes = 0;
    std::uint32_t source = 0, slot = 0;  // indices of reservations; set if the tensor is sent
    std::uint32_t nextInSlot = kNoIndex; // next message that uses the slot

    bool isSent() const { return send != kNoIndex; }
};

// Memory that is reserved for messages during the whole run, because ops of other devices determine
// when a message is no longer needed. A reservation is reused only if the schedule orders the last
// use of its previous message before the production of the next one. A sender therefore never waits
// for a slot, and the memory does not depend on op times.
struct MessagePlan
{
    struct Reservations // reservations on one device
    {
        std::vector<Bytes> sources, slots; // bytes of each reservation
    };

    std::vector<PlannedMessage> messages;
    std::vector<std::uint32_t> messageOf; // [valueIndex] index of the message; kNoIndex: none
    IdVector<DeviceId, Reservations> devices;
    // [device][slot] index of the first message that uses the slot
    IdVector<DeviceId, std::vector<std::uint32_t>> first;
};

// `bytesOf` returns the size of an activation or a gradient.
MessagePlan planMessages(const Schedule& lowered, const HappensBefore& order,
                         const std::function<Bytes(const Value&)>& bytesOf);

} // namespace engine
