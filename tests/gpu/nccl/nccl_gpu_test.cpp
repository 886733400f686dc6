#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/backend/cuda_device.h"
#include "tests/catch.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

// One rank on a real GPU: all that a machine with a single GPU can show of NCCL. tests/gpu runs it.
using namespace engine;
using namespace engine::cuda;

namespace {

constexpr std::size_t kCount = 1 << 16;

// Why there is nothing to test; "": there is.
std::string missing()
{
    int gpus = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&gpus); status != cudaSuccess)
        return cudaGetErrorString(status);
    std::string reason;
    ncclFunctions(&reason);
    return gpus == 0 ? "no GPU" : reason;
}

void row(const char* verdict, const std::string& text, const char* check = "NCCL one rank")
{
    std::printf("ROW\t%s\t%s\t%s\n", check, verdict, text.c_str());
}

// Memory and a stream of the first GPU.
class Gpu
{
public:
    Gpu()
    {
        REQUIRE(cudaSetDevice(0) == cudaSuccess);
        REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaMalloc(&from, kCount * sizeof(float)) == cudaSuccess);
        REQUIRE(cudaMalloc(&to, kCount * sizeof(float)) == cudaSuccess);
        std::iota(numbers.begin(), numbers.end(), 1.0F);
        copy(from, numbers.data(), cudaMemcpyHostToDevice);
        REQUIRE(cudaMemsetAsync(to, 0xFF, kCount * sizeof(float), stream) == cudaSuccess);
    }
    ~Gpu()
    {
        cudaStreamSynchronize(stream);
        cudaFree(from);
        cudaFree(to);
        cudaStreamDestroy(stream);
    }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    void copy(void* target, const void* source, cudaMemcpyKind kind) const
    {
        REQUIRE(cudaMemcpyAsync(target, source, kCount * sizeof(float), kind, stream)
                == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    }
    std::vector<float> result() const
    {
        std::vector<float> read(kCount);
        copy(read.data(), to, cudaMemcpyDeviceToHost);
        return read;
    }
    NcclCall call(NcclCall::Kind kind) const
    {
        return {kind, 0, from, to, kCount, NcclType::Float32, 0, stream};
    }

    cudaStream_t stream = nullptr;
    void *from = nullptr, *to = nullptr;
    std::vector<float> numbers = std::vector<float>(kCount);
};

} // namespace

TEST_CASE("on a GPU one rank joins, sums to what it had, sends to itself, leaves and aborts")
{
    if (const std::string reason = missing(); !reason.empty()) {
        WARN("SKIPPED: " << reason);
        row("SKIPPED", reason);
        return;
    }
    const NcclFunctions& functions = *ncclFunctions(nullptr);
    const Gpu memory;
    {
        NcclGpu gpu(functions);
        gpu.join({makeNcclId(functions), 0, 1, "alone", 0});
        gpu.waitUntilJoined();
        const NcclCall sum = memory.call(NcclCall::Kind::Sum);
        gpu.issue({&sum, 1});
        CHECK(memory.result() == memory.numbers);
        REQUIRE(cudaMemsetAsync(memory.to, 0xFF, kCount * sizeof(float), memory.stream)
                == cudaSuccess);
        const NcclCall both[]
            = {memory.call(NcclCall::Kind::Send), memory.call(NcclCall::Kind::Receive)};
        gpu.issue(both);
        CHECK(memory.result() == memory.numbers);
        CHECK_NOTHROW(gpu.poll());
        gpu.leave();
    }
    NcclGpu gpu(functions);
    gpu.join({makeNcclId(functions), 0, 1, "to be aborted", 0});
    gpu.waitUntilJoined();
    gpu.abort();
    CHECK_THROWS_AS(gpu.poll(), std::runtime_error);
    CHECK(cudaStreamSynchronize(memory.stream) == cudaSuccess);
    row("PASS", "init, sum, send to itself, poll, leave, abort");
}

// As `--transport nccl` does it, but for the one rank.
TEST_CASE("the plug-in joins one rank, whose sums are what they were, and aborts it")
{
    constexpr const char* kCheck = "NCCL by the plug-in";
    const auto device = openCudaDevice();
    const std::atomic<bool> never{false};
    const auto join = openNccl(never);
    if (!device || !join) {
        const std::string why = device ? join.error().message : device.error().message;
        WARN("SKIPPED: " << why);
        row("SKIPPED", why, kCheck);
        return;
    }
    const IdVector<DeviceId, const Device*> devices{device->get()};
    const std::vector<CommunicatorPlan> plans{
        {"alone", CommunicatorPlan::Carries::Sums, {DeviceId{0}}}};
    std::vector<std::int64_t> numbers(kCount), back(kCount);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{1} << 40);
    const DeviceMemory memory
        = (*device)->allocate(static_cast<Bytes>(kCount * sizeof(std::int64_t)));
    (*device)->bindThread();
    (*device)->upload(std::as_bytes(std::span(numbers)), memory.get());
    const auto queue = (*device)->makeQueue("alone");
    const auto end = (*device)->makeEvent(Device::Timed::No);
    for (const bool aborts : {false, true}) {
        const auto joined = (*join)(devices, plans);
        joined->sum(DeviceId{0}, 0,
                    std::span(reinterpret_cast<std::int64_t*>(memory.get()), kCount), *queue);
        queue->record(*end);
        while (!end->hasPassed())
            CHECK_NOTHROW(joined->poll());
        if (aborts) {
            joined->abort();
            CHECK_THROWS_AS(joined->poll(), std::runtime_error);
        }
    }
    (*device)->download(memory.get(), std::as_writable_bytes(std::span(back)));
    CHECK(back == numbers);
    row(back == numbers ? "PASS" : "FAIL", "join, sum of int64, poll, leave; join, sum, abort",
        kCheck);
}
