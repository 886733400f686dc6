#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

// The ways in which the messages of a schedule can be carried, from the one that asks most of the
// order to the one that asks nothing.
enum class TransportKind : std::uint8_t {
    // Receive, compute, send, one after the other; a send returns when its receive was called
    // (ncclSend and ncclRecv one by one, MPI_Ssend and MPI_Recv).
    Blocking,
    // What stands between two compute ops is called at once and waited for at once
    // (Megatron-LM's send_forward_recv_backward, PyTorch's batch_isend_irecv), all messages of a
    // pair of devices on one communicator.
    Fused,
    // Nothing waits for a send; each receive waits for its message. One communicator without tags
    // (NCCL): message k of a directed pair is what receive k gets.
    OneCommunicator,
    // The same with one communicator for activations and one for gradients.
    PerKind,
    // Messages are found by name: tags, or one credit or buffer per message.
    Tagged,
    // As NCCL runs here: a communicator for each directed pair of devices and kind, whose messages
    // wait for both ends on a lane of its own (communicator_lanes.h).
    Nccl,
};
constexpr int kTransports = 6;

struct TransportVerdict
{
    TransportKind transport = TransportKind::Blocking;
    bool safe = true;
    // Where it goes wrong first; none where it is safe.
    DeviceId device;
    int index = -1;
    Op op;
    std::string reason; // names device, index, op and what it meets or waits for; "" where safe

    friend bool operator==(const TransportVerdict&, const TransportVerdict&) = default;
};

struct CommunicationReport
{
    std::size_t messages = 0;
    std::array<TransportVerdict, kTransports> verdicts; // in the order of TransportKind

    const TransportVerdict& of(TransportKind transport) const
    {
        return verdicts[static_cast<std::size_t>(transport)];
    }
};

std::string_view transportName(TransportKind transport);  // "per-kind": in JSON
std::string_view transportTitle(TransportKind transport); // "one communicator per kind": for people

// Whether sends meet receives. Takes a schedule that is valid (validate.h) and has its transfers
// (passes.h: addP2P); copies of stashes and optimizer steps are on lanes of their own and do not
// count, all-reduces for NCCL alone. Time and memory: linear in the ops.
CommunicationReport checkCommunication(const Schedule& lowered);

} // namespace engine
