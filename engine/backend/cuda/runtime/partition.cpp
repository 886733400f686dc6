#include "engine/backend/cuda/runtime/partition.h"

#include "engine/backend/cuda/runtime/stream.h"
#include "engine/backend/device_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace engine::cuda {
namespace {

// Types of the driver's functions, with the version of CUDA that introduced them.
struct Driver
{
    using GetResource = CUresult (*)(CUdevice, CUdevResource*, CUdevResourceType);
    using Split = CUresult (*)(CUdevResource*, unsigned*, const CUdevResource*, CUdevResource*,
                               unsigned flags, unsigned least);
    using Describe = CUresult (*)(CUdevResourceDesc*, CUdevResource*, unsigned);
    using Create = CUresult (*)(CUgreenCtx*, CUdevResourceDesc, CUdevice, unsigned);
    using Destroy = CUresult (*)(CUgreenCtx);
    using Convert = CUresult (*)(CUcontext*, CUgreenCtx);
    using CreateStream = CUresult (*)(CUstream*, CUgreenCtx, unsigned, int priority);
    using Push = CUresult (*)(CUcontext);
    using Pop = CUresult (*)(CUcontext*);

    GetResource getResource = driverFunction<GetResource>("cuDeviceGetDevResource", 12040);
    Split split = driverFunction<Split>("cuDevSmResourceSplitByCount", 12040);
    Describe describe = driverFunction<Describe>("cuDevResourceGenerateDesc", 12040);
    Create create = driverFunction<Create>("cuGreenCtxCreate", 12040);
    Destroy destroy = driverFunction<Destroy>("cuGreenCtxDestroy", 12040);
    CreateStream createStream = driverFunction<CreateStream>("cuGreenCtxStreamCreate", 12050);
    // Optional functions: nullptr if the driver lacks them.
    Convert convert = driverFunction<Convert>("cuCtxFromGreenCtx", 12040);
    Push push = driverFunction<Push>("cuCtxPushCurrent", 4000);
    Pop pop = driverFunction<Pop>("cuCtxPopCurrent", 4000);

    bool makesPartitions() const
    {
        return getResource != nullptr && split != nullptr && describe != nullptr
            && create != nullptr && destroy != nullptr && createStream != nullptr;
    }
};

const Driver& driver()
{
    static const Driver kDriver;
    return kDriver;
}

void check(CUresult status, const char* what)
{
    if (status != CUDA_SUCCESS)
        throw std::runtime_error(
            fmt::format("{} returned CUDA error {}", what, static_cast<int>(status)));
}

// Splits the GPU into at most `count` groups of at least `least` multiprocessors; the driver may
// return fewer and larger groups. Splits in one call, because a group cannot be split again.
std::vector<CUdevResource> split(int gpu, unsigned count, unsigned least)
{
    CUdevResource all{}, rest{};
    std::vector<CUdevResource> groups(count);
    check(driver().getResource(gpu, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    check(driver().split(groups.data(), &count, &all, &rest, 0, least),
          "cuDevSmResourceSplitByCount");
    groups.resize(std::min<std::size_t>(count, groups.size()));
    return groups;
}

int sizeOf(const CUdevResource& group)
{
    return group.sm.smCount;
}

std::vector<CUdevResource> equalGroups(int gpu, int count, int size)
{
    std::vector<CUdevResource> groups
        = split(gpu, static_cast<unsigned>(count), static_cast<unsigned>(size));
    const auto differs
        = [&](const CUdevResource& group) { return sizeOf(group) != sizeOf(groups.front()); };
    if (std::ranges::any_of(groups, differs))
        groups.clear();
    return groups;
}

bool isEnough(const std::vector<CUdevResource>& groups, int count)
{
    return std::ssize(groups) >= count;
}

int multiprocessorsOf(int gpu)
{
    CUdevResource all{};
    check(driver().getResource(gpu, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    return sizeOf(all);
}

std::shared_ptr<Partition> makePartition(int gpu, CUdevResource& group)
{
    CUdevResourceDesc description{};
    CUgreenCtx context = nullptr;
    check(driver().describe(&description, &group, 1), "cuDevResourceGenerateDesc");
    check(driver().create(&context, description, gpu, CU_GREEN_CTX_DEFAULT_STREAM),
          "cuGreenCtxCreate");
    return std::make_shared<Partition>(context, sizeOf(group));
}

// Whether an event created outside the partition can be recorded on its streams, and whether the
// time between this event and another one can be measured.
bool takesEventsOfGpu(int gpu, const Partition& partition)
{
    const std::string name = fmt::format("GPU {}: trial", gpu);
    const Stream inside(gpu, &partition, name), outside(gpu, nullptr, name);
    cudaEvent_t first = nullptr, second = nullptr;
    const auto destroy = [&] {
        cudaEventDestroy(first);
        cudaEventDestroy(second);
    };
    cuda::check(cudaEventCreate(&first), "cudaEventCreate");
    cuda::check(cudaEventCreate(&second), "cudaEventCreate");
    float milliseconds = 0;
    const bool takes = cudaEventRecord(first, outside.get()) == cudaSuccess
        && cudaEventRecord(second, inside.get()) == cudaSuccess
        && cudaEventSynchronize(first) == cudaSuccess && cudaEventSynchronize(second) == cudaSuccess
        && cudaEventElapsedTime(&milliseconds, first, second) == cudaSuccess;
    destroy();
    return takes;
}

} // namespace

Partition::~Partition()
{
    driver().destroy(m_context);
}

cudaStream_t Partition::makeStream() const
{
    CUstream stream = nullptr;
    check(driver().createStream(&stream, m_context, CU_STREAM_NON_BLOCKING, 0),
          "cuGreenCtxStreamCreate");
    return stream;
}

CUcontext Partition::context() const
{
    CUcontext context = nullptr;
    if (driver().convert == nullptr || driver().convert(&context, m_context) != CUDA_SUCCESS)
        return nullptr;
    return context;
}

EventsFor::EventsFor(const Partition* partition)
{
    if (partition == nullptr || partition->events() == Partition::Events::OfGpu
        || driver().push == nullptr || driver().pop == nullptr)
        return;
    check(driver().push(partition->context()), "cuCtxPushCurrent");
    m_pushed = true;
}

EventsFor::~EventsFor()
{
    CUcontext popped = nullptr;
    if (m_pushed)
        driver().pop(&popped);
}

int smallestPartition(int gpu)
try {
    const std::vector<CUdevResource> groups
        = driver().makesPartitions() ? split(gpu, 1, 1) : std::vector<CUdevResource>();
    return groups.empty() ? 0 : sizeOf(groups.front());
} catch (const std::runtime_error&) {
    return 0;
}

std::vector<std::shared_ptr<const Partition>> makePartitions(int gpu, int count)
{
    const int smallest = smallestPartition(gpu);
    if (smallest == 0)
        throw std::runtime_error(
            "the driver does not support partitions, which need CUDA 12.5 or newer");
    const int largest = partitionSize(multiprocessorsOf(gpu), count, smallest);
    if (largest == 0)
        throw std::runtime_error(
            fmt::format("{} multiprocessors are too few for {} partitions of at least {}",
                        multiprocessorsOf(gpu), count, smallest));
    std::vector<CUdevResource> groups = equalGroups(gpu, count, largest);
    const std::size_t most = groups.size();
    // Partitions consist of whole clusters of multiprocessors. Clusters differ in size, so the
    // largest partitions may not all fit; then smaller ones are tried.
    for (int size = largest - smallest; !isEnough(groups, count) && size > 0; size -= smallest)
        groups = equalGroups(gpu, count, size);
    if (!isEnough(groups, count))
        throw std::runtime_error(
            fmt::format("the driver splits the GPU into {} equal parts, but {} parts of "
                        "at most {} multiprocessors were requested",
                        most, count, largest));
    std::vector<std::shared_ptr<Partition>> made;
    for (CUdevResource& group : groups)
        made.push_back(makePartition(gpu, group));
    if (!takesEventsOfGpu(gpu, *made.front()))
        for (const auto& partition : made)
            partition->setEvents(Partition::Events::Own);
    return {made.begin(), made.end()};
}

} // namespace engine::cuda
