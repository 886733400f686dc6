#include "engine/schedule/check/communication.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

bool isActivation(OpKind kind)
{
    return kind == OpKind::SendActivation || kind == OpKind::RecvActivation;
}

// The messages that one device sends to `peer` or receives from it, in order. `positions` are the
// positions of these transfers in the program of the device.
struct Queue
{
    DeviceId peer;
    bool activations = true; // kind of the messages; unused with one communicator
    std::vector<std::uint32_t> positions;
};

class Queues
{
    auto isTo(DeviceId peer, bool activations) const
    {
        return [this, peer, activations](const Queue& queue) {
            return queue.peer == peer
                && (m_communicators == Communicators::One || queue.activations == activations);
        };
    }

public:
    Queues(const Schedule& schedule, Communicators communicators, bool sends)
        : m_ofDevice(schedule.program.size())
        , m_communicators(communicators)
    {
        for (const DeviceId d : schedule.program.ids())
            for (std::uint32_t i = 0; i < schedule.program[d].size(); ++i) {
                const Op& op = schedule.program[d][i];
                if (isTransfer(op.kind) && isSend(op.kind) == sends)
                    queue(d, otherDevice(schedule, op), isActivation(op.kind))
                        .positions.push_back(i);
            }
    }

    const std::vector<Queue>& of(DeviceId device) const { return m_ofDevice[device]; }
    const Queue* find(DeviceId device, DeviceId peer, bool activations) const
    {
        const auto& queues = m_ofDevice[device];
        const auto found = std::ranges::find_if(queues, isTo(peer, activations));
        return found == queues.end() ? nullptr : &*found;
    }

private:
    // A linear search suffices, because a device has few peers.
    Queue& queue(DeviceId device, DeviceId peer, bool activations)
    {
        auto& queues = m_ofDevice[device];
        const auto found = std::ranges::find_if(queues, isTo(peer, activations));
        if (found != queues.end())
            return *found;
        queues.push_back({peer, activations, {}});
        return queues.back();
    }

    IdVector<DeviceId, std::vector<Queue>> m_ofDevice;
    Communicators m_communicators;
};

TransportFault describeFault(const Schedule& schedule, DeviceId sender, const Queue& sent,
                             const Queue& received, std::size_t k)
{
    const Op& send = schedule.program[sender][sent.positions[k]];
    const Op& receive = schedule.program[sent.peer][received.positions[k]];
    return {{sent.peer, static_cast<int>(received.positions[k]), receive},
            fmt::format("device {}, index {}: {} would receive message {} of device {}, which is "
                        "{} (index {})",
                        sent.peer.value, received.positions[k], toString(receive), k, sender.value,
                        toString(send), sent.positions[k])};
}

// Compares the order of the messages. In a valid schedule both queues contain the same messages.
std::optional<TransportFault> compare(const Schedule& schedule, DeviceId sender, const Queue& sent,
                                      const Queue& received)
{
    const std::size_t count = std::min(sent.positions.size(), received.positions.size());
    for (std::size_t k = 0; k < count; ++k) {
        const Op& send = schedule.program[sender][sent.positions[k]];
        const Op& receive = schedule.program[sent.peer][received.positions[k]];
        if (transferredValue(send, schedule.shape) != transferredValue(receive, schedule.shape))
            return describeFault(schedule, sender, sent, received, k);
    }
    return std::nullopt;
}

} // namespace

std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators)
{
    const Queues sends(lowered, communicators, true);
    const Queues receives(lowered, communicators, false);
    for (const DeviceId d : lowered.program.ids())
        for (const Queue& sent : sends.of(d)) {
            const Queue* received = receives.find(sent.peer, d, sent.activations);
            if (received == nullptr)
                continue;
            if (auto fault = compare(lowered, d, sent, *received))
                return fault;
        }
    return std::nullopt;
}

} // namespace engine
