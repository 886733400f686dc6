// What a message waits for on its way, on GPUs that are emulated on the CPU.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/transport/queued.h"
#include "tests/catch.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <array>

using namespace engine;
using cuda_on_cpu::Turns;

TEST_CASE("a message is not pushed into a slot that its receiver still reads")
{
    const int gpus = GENERATE(1, 2);
    cuda_on_cpu::plugIn({.count = gpus});
    const auto devices = cuda::makeDevices(2);
    const Device &sender = *devices[0], &receiver = *devices[1];
    constexpr std::size_t kBytes = 256;
    const DeviceMemory source = sender.allocate(kBytes), slot = receiver.allocate(kBytes),
                       kept = receiver.allocate(kBytes);
    sender.bindThread();
    sender.fill({source.get(), kBytes}, std::byte{2});
    sender.synchronize();
    receiver.bindThread();
    receiver.fill({slot.get(), kBytes}, std::byte{1});
    receiver.synchronize();
    {
        QueuedTransport transport(
            {{{DeviceId{0}, DeviceId{1}, {source.get(), kBytes}, {slot.get(), kBytes}}}, {}, {}},
            {&sender, &receiver});
        cuda_on_cpu::takeTurns(Turns::Newest); // whatever may overtake does
        transport.beginIteration();
        receiver.queue()->copy({{slot.get(), kBytes},
                                {kept.get(), kBytes},
                                receiver.gpu(),
                                receiver.gpu()}); // the slot's reader
        transport.post(DeviceId{1}, 0);
        sender.bindThread();
        CHECK(transport.send(DeviceId{0}, 0));
        receiver.bindThread();
        CHECK(transport.wait(DeviceId{1}, {Fence::Kind::Arrived, 0}));
        receiver.synchronize();
        cuda_on_cpu::takeTurns(Turns::Oldest);
    }
    std::array<std::byte, kBytes> read{}, arrived{};
    receiver.download(kept.get(), read);
    receiver.download(slot.get(), arrived);
    CHECK(read.front() == std::byte{1});
    CHECK(arrived.front() == std::byte{2});
    cuda_on_cpu::plugIn({});
}
