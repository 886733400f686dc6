#pragma once

#include "engine/backend/communicators.h"
#include "engine/transport/communicator_plans.h"
#include "engine/transport/queued.h"

namespace engine {

// GPUs of this process whose messages and sums go over communicators (NCCL;
// communicator_plans.h), each with a queue of its own on every device, so that what waits for
// another rank holds nothing else up. That this order comes to its
// end findNcclFault() (engine/schedule/check/communicator_lanes.h) tells before. EVICT and LOAD
// stay copies. A transfer is under way from when both ends have come to it.
class MatchedTransport final : public QueuedTransport
{
public:
    // As QueuedTransport; each device has a GPU of its own. std::runtime_error where its ranks are
    // not joined.
    MatchedTransport(Traffic traffic, std::vector<const Device*> devices,
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
    struct Line // of messages
    {
        std::unique_ptr<DeviceQueue> sends, receives; // of the two devices
    };
    struct Member // of a collective: a device, which may hold several buffers of it
    {
        DeviceId device;
        std::vector<std::size_t> buffers; // of Collective
        std::unique_ptr<DeviceQueue> queue;
        Event called; // its lane has come to it
        State state;
        std::size_t joined = 0; // calls of this iteration
        std::uint32_t iteration = 0;
    };
    struct Sum
    {
        std::deque<Member> members;
    };

    void makeLines();
    void makeMember(DeviceId id, const std::string& name, Member& made) const;
    void makeSums();
    Member& memberOf(DeviceId self, std::uint32_t collective);
    void add(std::uint32_t collective, Member& member);
    template<class Number>
    void add(std::span<const std::span<Number>> buffers, std::size_t communicator, Member& member);
    template<class Call>
    bool attempt(const Call& call) const;

    CommunicatorPlans m_plans;
    std::vector<Line> m_lines;                            // [communicator] of messages
    std::deque<Sum> m_sums;                               // [collective]
    std::vector<Event> m_sendBegin;                       // [message] the sender has come to it
    std::unique_ptr<DeviceCommunicators> m_communicators; // last: it ends before the queues
};

} // namespace engine
