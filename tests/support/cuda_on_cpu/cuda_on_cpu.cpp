#include "tests/support/cuda_on_cpu/cuda_ptx_on_cpu.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/cuda_on_cpu/device_memory.h"
#include "tests/support/cuda_on_cpu/fiber.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <algorithm>
#include <exception>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_on_cpu {
namespace {

constexpr unsigned kWarp = 32;

enum class State { Ready, AtWarpBarrier, AtBlockBarrier, Done };

// A thread of a block.
struct Thread
{
    Fiber fiber;
    State state = State::Done;
};

struct Copy // of 16 bytes; none: zeros
{
    void* to;
    const void* from;
};

// The threads of one block, executed by one thread of the process.
class Block
{
public:
    Block(std::span<Thread> threads, std::size_t shared, Order order, std::mt19937& random)
        : m_threads(threads)
        , m_turns(threads.size())
        , m_slots(threads.size() * kSlot)
        , m_copies(threads.size())
        , m_shared(shared)
        , m_random(random)
        , m_order(order)
    {
        std::iota(m_turns.begin(), m_turns.end(), 0U);
        if (order == Order::Backward)
            std::ranges::reverse(m_turns);
    }

    void run(const std::function<void()>& kernel)
    {
        m_kernel = &kernel;
        for (Thread& thread : m_threads) {
            if (thread.state != State::Done) // what was left in the middle, since another failed
                thread.fiber.forget();
            thread.state = State::Ready;
        }
        for (std::vector<Copy>& copies : m_copies)
            copies.clear();
        while (std::ranges::any_of(m_threads, isUnderWay))
            runToBarriers();
    }

    void wait(State at)
    {
        Thread& own = m_threads[threadIdx.x];
        own.state = at;
        own.fiber.leave();
    }
    std::byte* slot(unsigned lane)
    {
        return &m_slots[(threadIdx.x / kWarp * kWarp + lane) * kSlot];
    }
    std::vector<Copy>& copies() { return m_copies[threadIdx.x]; }
    // Whether `bytes` bytes lie in what the launch asked for.
    bool isShared(std::uintptr_t at, std::size_t bytes) const
    {
        const auto first = reinterpret_cast<std::uintptr_t>(sharedMemory());
        return at >= first && at + bytes <= first + m_shared;
    }

private:
    static bool isUnderWay(const Thread& thread) { return thread.state != State::Done; }
    static void runThread(); // the kernel

    void runToBarriers()
    {
        if (m_order == Order::Shuffled)
            std::ranges::shuffle(m_turns, m_random);
        for (const unsigned turn : m_turns)
            if (m_threads[turn].state == State::Ready) {
                threadIdx.x = turn;
                m_threads[turn].fiber.goOn(&Block::runThread);
                if (m_failure)
                    std::rethrow_exception(std::exchange(m_failure, nullptr));
            }
        bool released = releaseWarps();
        released |= release(m_threads.begin(), m_threads.end(), State::AtBlockBarrier);
        const bool waits = std::ranges::any_of(m_threads, isUnderWay);
        if (waits && !released)
            throw std::logic_error("some threads of a block wait at a barrier that others of it do "
                                   "not reach");
    }

    bool releaseWarps()
    {
        bool released = false;
        for (auto warp = m_threads.begin(); warp != m_threads.end(); warp += kWarp)
            released |= release(warp, warp + kWarp, State::AtWarpBarrier);
        return released;
    }

    // Where all of them are at the barrier, they go on.
    template<class Iterator>
    static bool release(Iterator first, Iterator last, State at)
    {
        if (!std::all_of(first, last, [at](const Thread& t) { return t.state == at; }))
            return false;
        std::for_each(first, last, [](Thread& t) { t.state = State::Ready; });
        return true;
    }

    std::span<Thread> m_threads;
    std::vector<unsigned> m_turns;
    std::vector<std::byte> m_slots;
    std::vector<std::vector<Copy>> m_copies; // of each thread, not yet waited for
    std::size_t m_shared;                    // bytes
    std::mt19937& m_random;
    Order m_order;
    const std::function<void()>* m_kernel = nullptr;
    std::exception_ptr m_failure;
};

Block* currentBlock = nullptr;
Order chosen = Order::Forward;
std::uint64_t launched = 0;
std::map<std::pair<int, const void*>, std::size_t> sharedMemoryOf; // asked for, of GPU and kernel

void Block::runThread()
{
    const unsigned own = threadIdx.x;
    try {
        (*currentBlock->m_kernel)();
    } catch (...) {
        currentBlock->m_failure = std::current_exception();
    }
    currentBlock->m_threads[own].state = State::Done;
}

std::vector<std::size_t> blockOrder(std::size_t count, std::mt19937& random)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (chosen == Order::Backward)
        std::ranges::reverse(order);
    if (chosen == Order::Shuffled)
        std::ranges::shuffle(order, random);
    return order;
}

} // namespace

cudaError_t askForSharedMemory(const void* kernel, int bytes)
{
    const auto lock = lockMachine();
    if (bytes < 0 || bytes > pluggedIn().sharedMemory)
        return cudaErrorInvalidValue;
    int gpu = 0;
    cudaGetDevice(&gpu);
    sharedMemoryOf[{gpu, kernel}] = static_cast<std::size_t>(bytes);
    return cudaSuccess;
}

cudaError_t checkLaunch(const cudaLaunchConfig_t& config, const void* kernel)
{
    constexpr unsigned kMostWide = 0x7fffffff, kMostHigh = 65535;
    constexpr std::size_t kUnasked = std::size_t{48} << 10;
    const auto lock = lockMachine();
    int gpu = 0;
    cudaGetDevice(&gpu);
    const auto asked = sharedMemoryOf.find({gpu, kernel});
    const dim3& grid = config.gridDim;
    const bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= kMostWide
        && grid.y <= kMostHigh && grid.z <= kMostHigh && config.blockDim.x <= 1024;
    if (!fits)
        return cudaErrorInvalidConfiguration;
    return config.dynamicSmemBytes <= (asked == sharedMemoryOf.end() ? kUnasked : asked->second)
        ? cudaSuccess
        : cudaErrorInvalidValue;
}

void checkPointer(const void* pointer)
{
    const auto lock = lockMachine();
    if (pointer != nullptr && ownerOf(pointer) < 0)
        throw std::logic_error("a kernel is given memory of the host");
}

void runIn(Order order)
{
    chosen = order;
}

std::uint64_t launches()
{
    return launched;
}

void run(const cudaLaunchConfig_t& config, const std::function<void()>& kernel)
{
    if (config.blockDim.y != 1 || config.blockDim.z != 1 || config.blockDim.x % kWarp != 0)
        throw std::logic_error("only blocks of whole warps in a line are emulated here");
    const Unlocked unlocked;
    ++launched;
    std::mt19937 random(static_cast<unsigned>(launched));
    gridDim = config.gridDim;
    blockDim = config.blockDim;
    static std::vector<Thread> threads; // their stacks serve every launch
    if (threads.size() < config.blockDim.x)
        threads = std::vector<Thread>(config.blockDim.x);
    Block block({threads.data(), config.blockDim.x}, config.dynamicSmemBytes, chosen, random);
    currentBlock = &block;
    const std::size_t width = gridDim.x, height = gridDim.y;
    for (const std::size_t index : blockOrder(width * height * gridDim.z, random)) {
        blockIdx
            = {static_cast<unsigned>(index % width), static_cast<unsigned>(index / width % height),
               static_cast<unsigned>(index / width / height)};
        std::memset(sharedMemory(), 0xff, config.dynamicSmemBytes);
        block.run(kernel);
    }
    currentBlock = nullptr;
}

void waitForBlock()
{
    currentBlock->wait(State::AtBlockBarrier);
}

void waitForWarp()
{
    currentBlock->wait(State::AtWarpBarrier);
}

std::byte* slotOfLane(unsigned lane)
{
    return currentBlock->slot(lane);
}

void copyLater(void* to, const void* from, bool exists)
{
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0
        || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
        throw std::logic_error("an asynchronous copy is not aligned");
    if (!currentBlock->isShared(reinterpret_cast<std::uintptr_t>(to), 16))
        throw std::logic_error("an asynchronous copy goes beyond the shared memory of its launch");
    currentBlock->copies().push_back({to, exists ? from : nullptr});
}

void checkMatrixRow(std::uintptr_t row)
{
    if (row % 16 != 0 || !currentBlock->isShared(row, 16))
        throw std::logic_error("ldmatrix reads what is not aligned or not shared memory");
}

void copyNow()
{
    for (const Copy& copy : currentBlock->copies())
        if (copy.from != nullptr)
            std::memcpy(copy.to, copy.from, 16);
        else
            std::memset(copy.to, 0, 16);
    currentBlock->copies().clear();
}

unsigned char* sharedMemory()
{
    alignas(256) static unsigned char memory[kSharedMemory];
    return memory;
}

} // namespace cuda_on_cpu
