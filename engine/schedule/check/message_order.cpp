#include "engine/schedule/check/communication.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace engine {
namespace {

bool isActivation(OpKind kind)
{
    return kind == OpKind::SendActivation || kind == OpKind::RecvActivation;
}

// A sender, a receiver and, with one communicator for each, the kind of the messages.
using Channel = std::tuple<DeviceId, DeviceId, bool>;
struct Ends
{
    std::vector<std::uint32_t> sent, received; // positions in the programs of the two devices
};

Channel channelOf(const Schedule& schedule, DeviceId device, const Op& op,
                  Communicators communicators)
{
    const DeviceId other = otherDevice(schedule, op);
    const bool kind = communicators == Communicators::PerKind && isActivation(op.kind);
    return isSend(op.kind) ? Channel(device, other, kind) : Channel(other, device, kind);
}

// Compares the order of the messages. In a valid schedule both ends have the same messages.
std::optional<TransportFault> compare(const Schedule& schedule, const Channel& channel,
                                      const Ends& ends)
{
    const auto [sender, receiver, kind] = channel;
    const std::size_t count = std::min(ends.sent.size(), ends.received.size());
    for (std::size_t k = 0; k < count; ++k) {
        const Op& send = schedule.program[sender][ends.sent[k]];
        const Op& receive = schedule.program[receiver][ends.received[k]];
        if (transferredValue(send, schedule.shape) != transferredValue(receive, schedule.shape))
            return TransportFault{
                {receiver, static_cast<int>(ends.received[k]), receive},
                fmt::format("device {}, index {}: {} would receive message {} of device {}, which "
                            "is {} (index {})",
                            receiver.value, ends.received[k], toString(receive), k, sender.value,
                            toString(send), ends.sent[k])};
    }
    return std::nullopt;
}

} // namespace

std::optional<TransportFault> findOrderFault(const Schedule& lowered, Communicators communicators)
{
    std::map<Channel, Ends> channels;
    std::vector<Channel> order; // by sender, then in the order of their first messages
    for (const DeviceId d : lowered.program.ids())
        for (std::uint32_t i = 0; i < lowered.program[d].size(); ++i) {
            const Op& op = lowered.program[d][i];
            if (!isTransfer(op.kind))
                continue;
            const Channel channel = channelOf(lowered, d, op, communicators);
            Ends& ends = channels[channel];
            (isSend(op.kind) ? ends.sent : ends.received).push_back(i);
            if (isSend(op.kind) && ends.sent.size() == 1)
                order.push_back(channel);
        }
    for (const Channel& channel : order)
        if (auto fault = compare(lowered, channel, channels[channel]))
            return fault;
    return std::nullopt;
}

} // namespace engine
