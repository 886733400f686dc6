#pragma once

#include "engine/backend/communicators.h"
#include "engine/transport/queued.h"
#include "engine/transport/transport.h"

#include <cstddef>
#include <vector>

namespace engine {

// The communicators for transports that match calls by order (NCCL). For each directed pair of
// devices there is one for activations and one for gradients, in order of first use. They are
// followed by one for all-reduces per stage and set of devices. A device is one rank of an
// all-reduce even if it has several buffers.
struct CommunicatorPlans
{
    // Marks an all-reduce within one device, which needs no communicator.
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<CommunicatorPlan> all;
    std::vector<std::size_t> ofMessage, ofSum; // [message], [collective]: index in `all`
};

// Uses only the devices of the traffic, not the buffers.
CommunicatorPlans planCommunicators(const Traffic& traffic);

// A transport between GPUs of this process that uses communicators (NCCL).
// Each communicator has its own queue on every device, so waiting for another rank blocks only that
// queue. findNcclFault() (engine/schedule/check/communication.h) checks beforehand that the
// order does not deadlock. EVICT and LOAD are copies. A transfer begins when both ends have
// started.
class MatchedTransport final : public QueuedTransport
{
public:
    // Has the requirements of QueuedTransport, and each device must be a different GPU. Throws
    // std::runtime_error if the ranks cannot be joined.
    MatchedTransport(Traffic traffic, IdVector<DeviceId, const Device*> devices,
                     const MakeCommunicators& join);
    ~MatchedTransport() override;

    bool send(DeviceId self, std::uint32_t message) override;
    void receive(DeviceId self, std::uint32_t message) override;
    void allReduce(DeviceId self, std::uint32_t collective) override;
    bool wait(DeviceId self, Fence fence) override;
    void abort() override;
    void poll() override;
    bool hasPassed(Fence fence) const override;
    TransferTime timeOf(Fence fence) const override;

private:
    struct Line // the queues of a communicator for messages
    {
        std::unique_ptr<DeviceQueue> sends, receives; // on the sending and on the receiving device
    };
    struct Member // a device of a collective, which may have several of its buffers
    {
        DeviceId device;
        std::vector<std::size_t> buffers;   // indices into the buffers of Collective
        std::shared_ptr<DeviceQueue> queue; // one per device and communicator; sums share it
        Event called;                       // recorded when the device's stream reaches the call
        State state;
        std::size_t joined = 0; // number of calls in this iteration
        std::uint32_t iteration = 0;
    };
    struct Sum
    {
        std::deque<Member> members;
    };

    void makeLines();
    void makeMember(DeviceId id, Member& made) const;
    void makeSums();
    Member& memberOf(DeviceId self, std::uint32_t collective);
    void add(std::uint32_t collective, Member& member);
    template<class Number>
    void add(std::span<const std::span<Number>> buffers, std::size_t communicator, Member& member);
    template<class Call>
    bool attempt(const Call& call) const;

    CommunicatorPlans m_plans;
    std::vector<Line> m_lines;      // [communicator for messages]
    std::deque<Sum> m_sums;         // [collective]
    std::vector<Event> m_sendBegin; // [message] recorded when the sender reaches the message
    // Last member, so that it is destroyed before the queues.
    std::unique_ptr<DeviceCommunicators> m_communicators;
};

} // namespace engine
