// Which devices a machine gives: whole GPUs, or equal parts of fewer; what the driver really made
// is what counts.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/device_placement.h"
#include "tests/catch.h"
#include "tests/support/cuda_on_cpu/machine.h"

#include <stdexcept>

using namespace engine;
using Catch::Matchers::Message;

namespace {

std::vector<std::string> names(int count, const cuda_on_cpu::Gpus& gpus,
                               TransportChoice transport = TransportChoice::Auto)
{
    cuda_on_cpu::plugIn(gpus);
    std::vector<std::string> names;
    for (const auto& device : cuda::makeDevices(count, transport))
        names.push_back(device->info().name);
    cuda_on_cpu::plugIn({});
    return names;
}

} // namespace

TEST_CASE("one GPU is divided into equal parts, several are taken whole")
{
    using Names = std::vector<std::string>;
    CHECK(names(1, {}) == Names{"GPU on the CPU, 132 SMs"});
    CHECK(names(8, {}) == Names(8, "GPU on the CPU, 16 of 132 SMs"));
    CHECK(names(4, {}) == Names(4, "GPU on the CPU, 32 of 132 SMs"));
    CHECK(names(4, {.count = 2}) == Names(4, "GPU on the CPU, 64 of 132 SMs"));
    CHECK(names(4, {.count = 4}) == Names(4, "GPU on the CPU, 132 SMs"));
    CHECK(names(4, {.count = 7}) == Names(4, "GPU on the CPU, 132 SMs"));
    CHECK(names(4, {.count = 4}, TransportChoice::Local)
          == Names(4, "GPU on the CPU, 32 of 132 SMs"));
    CHECK(names(4, {.count = 4}, TransportChoice::Peer) == Names(4, "GPU on the CPU, 132 SMs"));
    CHECK(names(4, {.count = 5}, TransportChoice::Nccl) == Names(4, "GPU on the CPU, 132 SMs"));
}

TEST_CASE("a GPU that cannot be divided gives the reason in one sentence")
{
    CHECK_THROWS_MATCHES(
        names(32, {}), std::runtime_error,
        Message("GPU 0 cannot run 32 devices: 132 multiprocessors are too few for 32 partitions of "
                "at least 8"));
    CHECK_THROWS_MATCHES(
        names(4, {.count = 2}, TransportChoice::Peer), std::runtime_error,
        Message("--transport peer needs one GPU for each of 4 devices, but there are 2"));
    CHECK_THROWS_MATCHES(
        names(4, {.count = 1}, TransportChoice::Nccl), std::runtime_error,
        Message("--transport nccl needs one GPU for each of 4 devices, but there is 1: NCCL does "
                "not support two ranks on one GPU; use --transport auto to partition GPUs"));
    CHECK_THROWS_MATCHES(names(4, {.smallest = 0}), std::runtime_error,
                         Message("GPU 0 cannot run 4 devices: the driver does not support "
                                 "partitions, which need CUDA 12.5 or newer"));
    CHECK_THROWS_MATCHES(
        names(4, {.partitionsAtMost = 3}), std::runtime_error,
        Message("GPU 0 cannot run 4 devices: the driver splits the GPU into 3 equal "
                "parts, but 4 parts of at most 32 multiprocessors were requested"));
}

// Seven clusters of 18 multiprocessors and one of 6 have seven parts of 16, and fourteen of 8.
TEST_CASE("partitions are smaller where clusters do not fit large ones")
{
    using Names = std::vector<std::string>;
    CHECK(names(8, {.cluster = 18}) == Names(8, "GPU on the CPU, 8 of 132 SMs"));
    CHECK(names(7, {.cluster = 18}) == Names(7, "GPU on the CPU, 16 of 132 SMs"));
    CHECK_THROWS_AS(names(15, {.cluster = 18}), std::runtime_error);
}

// Without NVSwitch a GPU has access to at most eight peers, and copies to the others go through the
// host. The error of the ninth was once that of the whole run, which then was emulated.
TEST_CASE("more GPUs than can access each other are whole devices all the same")
{
    using Names = std::vector<std::string>;
    CHECK(names(4, {.count = 4, .peers = 2}) == Names(4, "GPU on the CPU, 132 SMs"));
}

TEST_CASE("live runs use the largest number of GPUs that divides the devices")
{
    CHECK(placeDevices(8, 1).perGpu == 8);
    CHECK(placeDevices(4, 3).gpus == 2);
    CHECK(placeDevices(4, 3).gpuOf(1) == 0);
    CHECK(placeDevices(4, 3).gpuOf(2) == 1);
    CHECK(placeDevices(5, 4).gpus == 1);
    CHECK(placeDevices(2, 8).gpus == 2);
    CHECK(partitionSize(132, 8, 8) == 16);
    CHECK(partitionSize(108, 5, 2) == 20);
    CHECK(partitionSize(7, 1, 8) == 0);
}
