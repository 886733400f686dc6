#pragma once

#include "engine/plan/arena_layout.h"
#include "engine/plan/happens_before.h"
#include "engine/schedule/dataflow.h"

#include <functional>
#include <optional>

namespace engine {

// The boundary tensor that an op receives from the neighbouring stage, and the one that it
// passes on.
std::optional<Value> boundaryInput(const Op& op, const Shape& shape);
std::optional<Value> boundaryOutput(const Op& op, const Shape& shape);

// A boundary tensor from its producer through SEND and RECV to its consumer; without SEND and
// RECV if both stages are on one device.
struct PlannedMessage
{
    Value value;
    HappensBefore::Place maker, user;
    std::uint32_t send = kNoIndex,
                  receive = kNoIndex; // positions on the devices of producer and consumer
    Bytes bytes = 0;
    std::uint32_t source = 0, slot = 0;  // indices of reservations, if it is sent
    std::uint32_t nextInSlot = kNoIndex; // the next message in the same slot

    bool isSent() const { return send != kNoIndex; }
};

// What is held for messages during the whole run, since another device's clock decides when one is
// gone. A reservation serves a message after another only where the schedule orders the use of the
// one before the making of the other: so a sender never waits for a slot, and no order of events
// needs more.
struct MessagePlan
{
    struct Reservations // of one device
    {
        std::vector<Bytes> sources, slots; // bytes of each
    };

    std::vector<PlannedMessage> messages;
    std::vector<std::uint32_t> messageOf; // [valueIndex] -> messages; kNoIndex: none
    IdVector<DeviceId, Reservations> devices;
    // The messages that use a slot for the first time.
    IdVector<DeviceId, std::vector<std::uint32_t>> first;
};

// `bytesOf`: size of an activation or a gradient.
MessagePlan planMessages(const Schedule& lowered, const HappensBefore& order,
                         const std::function<Bytes(const Value&)>& bytesOf);

} // namespace engine
