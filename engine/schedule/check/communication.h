#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <cstdint>
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
    // until both ends have started (communicator_streams.h).
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

} // namespace engine
