#pragma once

#include "engine/schedule/check/op_table.h"
#include "engine/schedule/schedule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

// Ways to transfer the messages of a schedule. From Blocking to Tagged, each accepts more orders of
// messages than the previous one.
enum class TransportKind : std::uint8_t {
    // Receives, compute and sends are called sequentially. A send returns once the matching receive
    // has been called (separate ncclSend and ncclRecv, MPI_Ssend and MPI_Recv).
    Blocking,
    // All transfers between two compute ops are posted together and waited for together
    // (Megatron-LM's send_forward_recv_backward, PyTorch's batch_isend_irecv), on one
    // communicator per pair.
    Fused,
    // Sends do not wait; each receive waits for its message. There is one communicator without tags
    // (NCCL), so the k-th receive of a directed pair of devices gets the k-th message.
    OneCommunicator,
    // Like OneCommunicator, but with separate communicators for activations and gradients.
    PerKind,
    // Messages are matched by tag, or each message has a separate credit or buffer.
    Tagged,
    // NCCL as Bubblescope uses it: one communicator for activations and one for gradients per
    // directed pair of devices. Each communicator has its own stream, on which a message waits
    // until both ends have started (findNcclFault()).
    Nccl,
};
constexpr int kTransports = 6;

struct TransportVerdict
{
    TransportKind transport = TransportKind::Blocking;
    bool safe = true;
    // The op that fails; invalid if the transport is safe.
    DeviceId device;
    int index = -1;
    Op op;
    std::string reason; // names device, index, op and what it waits for; "" if safe

    friend bool operator==(const TransportVerdict&, const TransportVerdict&) = default;
};

struct CommunicationReport
{
    std::size_t messages = 0;
    EnumArray<TransportKind, TransportVerdict, kTransports> verdicts;
};

std::string_view transportName(TransportKind transport); // "per-kind", for JSON
// The name for display: "separate communicators for activations and gradients".
std::string_view transportTitle(TransportKind transport);

// Checks for each transport whether every send is matched with its receive. Requires a valid
// schedule (validate.h) with transfers (passes.h: addP2P). Evicts, loads and optimizer steps have
// their own streams and are ignored; all-reduces are checked for NCCL only. Linear in time and
// memory.
CommunicationReport checkCommunication(const Schedule& lowered);

// The op at which a transport fails, and the reason.
struct TransportFault
{
    OpPlace place;
    std::string reason;
};

enum class Communicators : std::uint8_t { One, PerKind };

// Finds the first message between two devices whose position differs between the sends and the
// receives. Positions count all messages (One), or activations and gradients separately (PerKind).
// Without tags, the receive at that position would get another message.
std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators);

// How a device executes its transfers.
enum class Exchange : std::uint8_t {
    OneByOne, // it posts each one and waits for it
    Fused,    // it posts those between two compute ops together, and waits for them
    Streams,  // beside compute, on a stream per pair of sender and receiver and kind of message
};

// Executes the schedule without times and returns the device that waits forever, if any. With
// Exchange::Streams the schedule is executed as NCCL would: each device has a compute stream, an
// all-reduce stream and a stream per communicator; a stream executes its ops in order. Ops of one
// stream between two compute ops form a group (ncclGroupStart, ncclGroupEnd): the group starts when
// its inputs are computed, and ends when the other end of each of its transfers has started. A
// compute op waits for the groups that receive its inputs; receive buffers are always free. Without
// streams, it waits for all transfers before it, and all-reduces are ignored. Requires a valid
// schedule with transfers. Call findOrderFault() first: transfers are matched by name here, but by
// order in NCCL.
std::optional<TransportFault> findExchangeFault(const Schedule& lowered, Exchange exchange);
// NCCL cannot execute a schedule if the two ends of a communicator list its messages in different
// orders, or devices wait forever. There is one communicator for activations and one for gradients
// per directed pair of devices. (With one communicator for all devices, ring and V-shaped
// placements deadlock: a device sends for its first stage while it should receive for its second.)
std::optional<TransportFault> findNcclFault(const Schedule& lowered);

} // namespace engine
