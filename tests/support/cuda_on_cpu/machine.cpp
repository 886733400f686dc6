#include "tests/support/cuda_on_cpu/machine.h"

#include "engine/base/clock.h"
#include "tests/support/cuda_on_cpu/device_memory.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace {

using namespace cuda_on_cpu;

thread_local int currentGpu = 0;

// One lock over everything: the machine does one thing at a time.
class Machine
{
public:
    std::recursive_mutex mutex;
    Gpus gpus;
    Turns turns = Turns::Oldest;
    std::mt19937 random{1};
    std::vector<std::unique_ptr<CUstream_st>> streams;
    int running = -1;
    std::uint64_t waits = 0; // of the host for a whole stream
    std::function<void()> watcher;
    int untilHang = 0;                    // pieces of work; 0: none will
    std::shared_ptr<bool> hangs;          // the one that never ends
    std::map<int, std::size_t> elsewhere; // [GPU] bytes that others use

    void add(CUstream_st& stream, Work work)
    {
        work.number = ++m_queued;
        stream.work.push_back(std::move(work));
    }

    // One piece of work; false: nothing can be done.
    bool step()
    {
        std::vector<CUstream_st*> ready;
        for (const auto& stream : streams)
            if (!stream->work.empty() && stream->work.front().isReady())
                ready.push_back(stream.get());
        if (ready.empty())
            return false;
        CUstream_st& chosen = choose(ready);
        const Work work = std::move(chosen.work.front());
        chosen.work.pop_front();
        running = chosen.gpu;
        try {
            if (work.run)
                work.run();
        } catch (...) {
            running = -1;
            throw;
        }
        running = -1;
        return true;
    }

    // Under `lock`. Kernels of NCCL may wait for what another thread has not queued yet.
    template<class Condition>
    cudaError_t until(std::unique_lock<std::recursive_mutex>& lock, const Condition& isTrue)
    {
        for (auto moved = Clock::now(); !isTrue();) {
            if (step()) {
                moved = Clock::now();
                continue;
            }
            refuseToHang();
            if (!waitsForOthers() || Clock::now() - moved > kPatience)
                return cudaErrorLaunchTimeout; // streams wait for each other
            lock.unlock();
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            lock.lock();
        }
        return cudaSuccess;
    }

    void refuseToHang() const
    {
        if (hangs == nullptr || !*hangs)
            return;
        std::fputs("the program waits for a GPU that never ends\n", stderr);
        std::abort();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kPatience{30};

    bool waitsForOthers() const
    {
        return std::ranges::any_of(streams, [](const auto& stream) {
            return !stream->work.empty() && stream->work.front().when;
        });
    }

    CUstream_st& choose(const std::vector<CUstream_st*>& ready)
    {
        const auto number = [](const CUstream_st* stream) { return stream->work.front().number; };
        if (turns == Turns::Oldest)
            return **std::ranges::min_element(ready, {}, number);
        if (turns == Turns::Newest)
            return **std::ranges::max_element(ready, {}, number);
        return *ready[random() % ready.size()];
    }

    std::uint64_t m_queued = 0;
};

Machine& machine()
{
    static Machine all;
    return all;
}

using Lock = std::lock_guard<std::recursive_mutex>;

// Of the next piece of work; none: it ends.
std::shared_ptr<bool> hang()
{
    if (cuda_on_cpu::hangsHere())
        machine().untilHang = 1;
    if (machine().untilHang == 0 || --machine().untilHang > 0)
        return nullptr;
    return machine().hangs = std::make_shared<bool>(true);
}

} // namespace

std::unique_lock<std::recursive_mutex> cuda_on_cpu::lockMachine()
{
    return std::unique_lock(machine().mutex);
}

void cuda_on_cpu::takeTurns(Turns turns, std::uint32_t seed)
{
    const Lock lock(machine().mutex);
    machine().turns = turns;
    machine().random.seed(seed);
}

void cuda_on_cpu::plugIn(const Gpus& gpus)
{
    const Lock lock(machine().mutex);
    machine().gpus = gpus;
    machine().elsewhere.clear();
}

void cuda_on_cpu::useMemory(int gpu, std::size_t bytes)
{
    const Lock lock(machine().mutex);
    machine().elsewhere[gpu] += bytes;
}

void cuda_on_cpu::freeMemory(int gpu, std::size_t bytes)
{
    const Lock lock(machine().mutex);
    machine().elsewhere[gpu] -= bytes;
}

std::size_t cuda_on_cpu::usedMemory(int gpu)
{
    const Lock lock(machine().mutex);
    return machine().gpus.context + machine().elsewhere[gpu] + allocated(gpu);
}

const Gpus& cuda_on_cpu::pluggedIn()
{
    return machine().gpus;
}

std::uint64_t cuda_on_cpu::waitsForStreams()
{
    const Lock lock(machine().mutex);
    return machine().waits;
}

int cuda_on_cpu::running()
{
    return machine().running;
}

cudaStream_t cuda_on_cpu::makeStream(int gpu, int multiprocessors, CUgreenCtx_st* context)
{
    const Lock lock(machine().mutex);
    auto& made = machine().streams.emplace_back(std::make_unique<CUstream_st>());
    made->gpu = gpu;
    made->multiprocessors = multiprocessors;
    made->context = context;
    return made.get();
}

int cuda_on_cpu::multiprocessorsOf(cudaStream_t stream)
{
    return stream->multiprocessors;
}

void cuda_on_cpu::nameStream(cudaStream_t stream, const std::string& name)
{
    const Lock lock(machine().mutex);
    stream->name = name;
}

std::vector<std::string> cuda_on_cpu::streamNames()
{
    const Lock lock(machine().mutex);
    std::vector<std::string> names;
    for (const auto& stream : machine().streams)
        names.push_back(stream->name);
    return names;
}

void cuda_on_cpu::hangAt(int n)
{
    const Lock lock(machine().mutex);
    machine().untilHang = n;
}

void cuda_on_cpu::wakeUp()
{
    endStall();
    const Lock lock(machine().mutex);
    machine().untilHang = 0;
    if (machine().hangs)
        *machine().hangs = false;
    machine().hangs = nullptr;
}

void cuda_on_cpu::watch(std::function<void()> report)
{
    const Lock lock(machine().mutex);
    machine().watcher = std::move(report);
}

cudaError_t cuda_on_cpu::enqueue(cudaStream_t stream, std::function<void()> work)
{
    stallIfAsked();
    const Lock lock(machine().mutex);
    if (stream == nullptr) {
        work();
        return cudaSuccess;
    }
    if (stream->gpu != currentGpu)
        return cudaErrorInvalidResourceHandle;
    if (machine().watcher)
        machine().watcher();
    if (stream->captured)
        stream->captured->pieces.push_back(std::move(work));
    else
        machine().add(*stream, {.run = std::move(work), .hangs = hang()});
    return cudaSuccess;
}

void cuda_on_cpu::enqueueWhen(cudaStream_t stream, std::function<bool()> when,
                              std::function<void()> work)
{
    const Lock lock(machine().mutex);
    machine().add(*stream, {.run = std::move(work), .when = std::move(when)});
}

cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= machine().gpus.count)
        return cudaErrorInvalidDevice;
    currentGpu = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device)
{
    *device = currentGpu;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    const Lock lock(machine().mutex);
    return cuda_on_cpu::allocate(memory, bytes, currentGpu);
}

// Waits for everything, as CUDA does.
cudaError_t cudaFree(void* memory)
{
    const Lock lock(machine().mutex);
    while (machine().step()) { }
    machine().refuseToHang();
    return memory == nullptr ? cudaSuccess : cuda_on_cpu::release(memory);
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    *memory = std::malloc(bytes);
    return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory)
{
    const Lock lock(machine().mutex);
    while (machine().step()) { }
    std::free(memory);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    if (flags != cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    *stream = cuda_on_cpu::makeStream(currentGpu, machine().gpus.multiprocessors);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const cudaError_t status = cudaStreamSynchronize(stream);
    const Lock lock(machine().mutex);
    std::erase_if(machine().streams, [stream](const auto& each) { return each.get() == stream; });
    return status;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    std::unique_lock lock(machine().mutex);
    ++machine().waits;
    if (stream->captured)
        return cudaErrorStreamCaptureUnsupported;
    return machine().until(lock, [stream] { return stream->work.empty(); });
}

// As CUDA: what was recorded last, and nothing if nothing was.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const Lock lock(machine().mutex);
    machine().add(*stream, {.awaited = event->event, .version = event->event->recorded});
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    *event = new CUevent_st{std::make_shared<Event>()};
    (*event)->event->gpu = currentGpu;
    (*event)->event->timed = flags == cudaEventDefault;
    (*event)->event->context = cuda_on_cpu::currentContext();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const Lock lock(machine().mutex);
    if (event->event->gpu != stream->gpu || stream->captured
        || (machine().gpus.eventsOfContexts && event->event->context != stream->context))
        return cudaErrorInvalidResourceHandle;
    ++event->event->recorded;
    machine().add(*stream, {.run = [recorded = event->event] {
        ++recorded->passed;
        recorded->time = engine::wallTime();
    }});
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    const Lock lock(machine().mutex);
    const auto hasPassed = [&] { return event->event->passed >= event->event->recorded; };
    // Not until it has passed, so that callers also see that it has not.
    for (int i = 0; i < 32 && !hasPassed() && machine().step(); ++i) { }
    return hasPassed() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    std::unique_lock lock(machine().mutex);
    return machine().until(lock,
                           [event] { return event->event->passed >= event->event->recorded; });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    const Lock lock(machine().mutex);
    const Event &first = *begin->event, &last = *end->event;
    if (!first.timed || !last.timed || first.gpu != last.gpu || first.recorded == 0
        || last.recorded == 0 || (machine().gpus.eventsOfContexts && first.context != last.context))
        return cudaErrorInvalidResourceHandle;
    if (first.passed < first.recorded || last.passed < last.recorded)
        return cudaErrorNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(last.time - first.time) / 1e6);
    return cudaSuccess;
}
