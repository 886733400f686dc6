// Live training whose messages and sums go by NCCL, which is emulated between GPUs that are
// emulated on the CPU: what it adds up, and how it ends where something is wrong.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/transfers.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/nccl_machine.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/forwarding_transport.h"

#include <stdexcept>

using namespace engine;
using namespace lanes_test;
using Catch::Contains;
using cuda_on_cpu::Turns;

namespace {

constexpr std::chrono::milliseconds kSoon{300};

// Leaves out or exchanges calls of one device.
class TamperedTransport final : public tests::ForwardingTransport
{
public:
    struct Changes
    {
        std::uint32_t lostMessage = 0xFFFFFFFF, failingMessage = 0xFFFFFFFF;
        bool turnsReceives = false;     // two of one device that follow each other change places
        DeviceId silent = DeviceId{-1}; // never calls for a sum
    };
    TamperedTransport(std::unique_ptr<Transport> real, Changes changes)
        : ForwardingTransport(std::move(real))
        , m_changes(changes)
    { }
    bool send(DeviceId self, std::uint32_t message) override
    {
        if (message == m_changes.failingMessage)
            throw std::runtime_error("out of cake");
        return message == m_changes.lostMessage || ForwardingTransport::send(self, message);
    }
    void receive(DeviceId self, std::uint32_t message) override
    {
        if (!m_changes.turnsReceives || self != DeviceId{1} || message > 1)
            return ForwardingTransport::receive(self, message);
        ForwardingTransport::receive(self, 1 - message);
    }
    void allReduce(DeviceId self, std::uint32_t id) override
    {
        if (self != m_changes.silent)
            ForwardingTransport::allReduce(self, id);
    }

private:
    Changes m_changes;
};

Wrapper tampered(TamperedTransport::Changes changes)
{
    return [changes](std::unique_ptr<Transport> real) {
        return std::make_unique<TamperedTransport>(std::move(real), changes);
    };
}

Trained trainByNccl(const Schedule& lowered, const Machine& machine, LiveOptions options = {})
{
    options.communicators = byNccl();
    return trainLive(lowered, machine.devices, options);
}

} // namespace

TEST_CASE("every scheme adds up by NCCL what emulation adds up")
{
    const Machine machine(4, GENERATE(Turns::Newest, Turns::Random));
    forEachScheme(4, 8, [&](const Schedule& lowered) {
        if (lowered.scheme == "bitpipe-async")
            return; // its messages overtake each other (communicator_streams_test.cpp)
        REQUIRE_FALSE(findNcclFault(lowered));
        const Trained live = trainByNccl(lowered, machine);
        if (!live.result)
            FAIL(live.result.error().message);
        CHECK(live.gradients == emulate(lowered).gradients);
        CHECK(cuda_on_cpu::liveCommunicators() == 0);
    });
    CHECK_FALSE(cuda_on_cpu::hasAbortHung());
}

TEST_CASE("the all-reduces of every update add up by NCCL, in one communicator per stage")
{
    const Machine machine(2, GENERATE(Turns::Newest, Turns::Random));
    const Schedule lowered = scheduleOf("bitpipe-async", 2, 12); // three updates
    REQUIRE_FALSE(findNcclFault(lowered));
    const Trained live = trainByNccl(lowered, machine);
    if (!live.result)
        FAIL(live.result.error().message);
    CHECK(live.gradients == emulate(lowered).gradients);
}

TEST_CASE("two copies of a pipeline on as many GPUs add up by NCCL and by copies the same")
{
    const char* scheme = GENERATE("1f1b", "zb-h1", "chimera", "bitpipe");
    INFO(scheme);
    const Machine machine(8);
    const Schedule lowered = scheduleOf(scheme, 4, 8, 2);
    const GradientsOfStages truth = emulate(lowered).gradients;
    for (const bool isByNccl : {false, true}) {
        const Trained live
            = isByNccl ? trainByNccl(lowered, machine) : trainLive(lowered, machine.devices);
        if (!live.result)
            FAIL(live.result.error().message);
        CHECK(live.gradients == truth);
    }
}

TEST_CASE("a message is under way by NCCL from when both of its ends have come to it")
{
    const Machine machine(4);
    const Trained live = trainByNccl(scheduleOf("bitpipe", 4, 8), machine);
    REQUIRE(live.result);
    const Schedule& schedule = live.run.schedule;
    const OpIndex index(schedule);
    std::map<std::uint32_t, std::int64_t> madeAt; // [valueIndex], in the last iteration
    for (const Track& track : live.run.timeline.tracks)
        for (const Span& span : track.spans)
            if (const Op& op = opAt(schedule, index, span.op);
                isCompute(op.kind) && span.iteration == 1)
                for (const Value& value : produces(op, schedule.shape))
                    madeAt[valueIndex(value, schedule.shape)] = span.end;
    std::size_t messages = 0;
    for (const Track& track : live.run.timeline.tracks)
        for (const Span& span : track.spans)
            if (const Op& op = opAt(schedule, index, span.op);
                isTransfer(op.kind) && span.iteration == 1) {
                ++messages;
                const auto value = valueIndex(transferredValue(op, schedule.shape), schedule.shape);
                CHECK(span.begin >= madeAt.at(value) - 1000); // floats of milliseconds
                CHECK(span.begin <= span.end);
            }
    CHECK(messages > 0);
}

TEST_CASE("all communicators of a GPU together leave multiprocessors for ops")
{
    const Machine machine(8);
    REQUIRE(trainByNccl(scheduleOf("bitpipe", 8, 16), machine).result);
    CHECK(cuda_on_cpu::mostChannels() > 0);
    CHECK(cuda_on_cpu::mostChannels() <= 58); // an L4's multiprocessors
}

TEST_CASE("an error of NCCL in the middle of an iteration ends it in NCCL's words")
{
    const Machine machine(4);
    const Schedule lowered = scheduleOf("1f1b", 4, 8);
    REQUIRE(trainByNccl(lowered, machine, {.iterations = 1}).result);
    const std::size_t calls = cuda_on_cpu::ncclCalls();
    cuda_on_cpu::emulateNccl({.failingCall = static_cast<int>(calls / 2)});
    const Trained live = trainByNccl(lowered, machine);
    REQUIRE_FALSE(live.result);
    CHECK(live.result.error().code == Error::Code::Device);
    CHECK_THAT(live.result.error().message,
               Contains("remote process exited or there was a network error"));
    CHECK(live.run.timeline.iterations.empty());
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
    CHECK_FALSE(cuda_on_cpu::hasAbortHung());
}

// Each receive gets the next message instead, and the last gets none.
TEST_CASE("a message that NCCL never sends ends the run with the waiting devices")
{
    const Machine machine(4);
    const Trained live = trainByNccl(scheduleOf("1f1b", 4, 4), machine,
                                     {.wrapper = tampered({.lostMessage = 0}), .patience = kSoon});
    REQUIRE_FALSE(live.result);
    CHECK_THAT(live.result.error().message,
               Contains("no device makes progress")
                   && Contains("1F3, waits for the activation of stage 0, micro-batch 3 from "
                               "device 0"));
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
    CHECK_FALSE(cuda_on_cpu::hasAbortHung());
}

TEST_CASE("a device that never joins an all-reduce is reported as a deadlock")
{
    const Machine machine(4);
    const Trained live
        = trainByNccl(scheduleOf("chimera", 4, 8), machine,
                      {.wrapper = tampered({.silent = DeviceId{3}}), .patience = kSoon});
    REQUIRE_FALSE(live.result);
    CHECK_THAT(live.result.error().message, Contains("waits for the all-reduce of stage 3"));
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}

TEST_CASE("receives in another order than the sends get other messages, which is found")
{
    const Machine machine(4);
    const Schedule lowered = scheduleOf("gpipe", 4, 8);
    const Trained live = trainByNccl(
        lowered, machine, {.wrapper = tampered({.turnsReceives = true}), .patience = kSoon});
    const bool isRight = live.result && live.gradients == emulate(lowered).gradients;
    CHECK_FALSE(isRight);
}

TEST_CASE("an op that fails in the middle ends all ranks, however they wait for it")
{
    const Machine machine(4);
    const Trained live = trainByNccl(scheduleOf("bitpipe", 4, 8), machine,
                                     {.wrapper = tampered({.failingMessage = 20})});
    REQUIRE_FALSE(live.result);
    CHECK_THAT(live.result.error().message, Contains("out of cake"));
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
    CHECK_FALSE(cuda_on_cpu::hasAbortHung());
}

TEST_CASE("a live run by NCCL that is cancelled ends at once on all ranks")
{
    const Machine machine(4);
    std::atomic<bool> cancel{false};
    std::atomic<int> begun{0};
    const LaunchHooks hooks{[&](OpOfIteration) { cancel = ++begun >= 30; }, [] {}};
    const Trained live
        = trainByNccl(scheduleOf("chimera", 4, 8), machine, {.hooks = hooks, .cancel = &cancel});
    REQUIRE_FALSE(live.result);
    CHECK(live.result.error().code == Error::Code::Cancelled);
    CHECK(live.run.timeline.iterations.empty());
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
    CHECK_FALSE(cuda_on_cpu::hasAbortHung());
}

TEST_CASE("an error that NCCL finds while everybody waits for it is found by looking")
{
    const Machine machine(4);
    const Schedule lowered = scheduleOf("1f1b", 4, 8);
    cuda_on_cpu::emulateNccl({.failingCall = 40, .looksBefore = 300});
    const Trained live = trainByNccl(lowered, machine);
    REQUIRE_FALSE(live.result);
    CHECK_THAT(live.result.error().message,
               Contains("working: remote process exited or there was a network error"));
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}
