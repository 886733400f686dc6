#include "tests/support/cuda_on_cpu/cuda_ptx_on_cpu.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/cuda_on_cpu/device_memory.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <exception>
#include <map>
#include <memory>
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

constexpr std::size_t kStack = std::size_t{64} << 10;
constexpr unsigned kWarp = 32;

enum class State { Ready, AtWarpBarrier, AtBlockBarrier, Done };

// A thread of a block: begun on a stack of its own, then left and entered by jumps, which ask
// nothing of the system.
struct Fiber
{
    ucontext_t context{};
    std::jmp_buf place;
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStack);
    State state = State::Ready;
    bool begun = false;
};

struct Copy // of 16 bytes; none: zeros
{
    void* to;
    const void* from;
};

// The threads of one block, played by one thread of the process.
class Block
{
public:
    Block(std::span<Fiber> fibers, std::size_t shared, Order order, std::mt19937& random)
        : m_fibers(fibers)
        , m_turns(fibers.size())
        , m_slots(fibers.size() * kSlot)
        , m_copies(fibers.size())
        , m_shared(shared)
        , m_random(random)
        , m_order(order)
    {
        std::iota(m_turns.begin(), m_turns.end(), 0U);
        if (order == Order::Backward)
            std::ranges::reverse(m_turns);
    }

    void play(const std::function<void()>& thread)
    {
        m_thread = &thread;
        for (Fiber& fiber : m_fibers)
            begin(fiber);
        for (std::vector<Copy>& copies : m_copies)
            copies.clear();
        while (std::ranges::any_of(m_fibers, [](const Fiber& f) { return f.state != State::Done; }))
            playToBarriers();
    }

    void wait(State at)
    {
        Fiber& fiber = m_fibers[threadIdx.x];
        fiber.state = at;
        if (_setjmp(fiber.place) == 0)
            _longjmp(m_caller, 1);
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
    void begin(Fiber& fiber)
    {
        fiber.state = State::Ready;
        fiber.begun = false;
    }
    static void enter(); // of a fiber, whose context takes no pointer

    void goOn(Fiber& fiber)
    {
        if (_setjmp(m_caller) != 0)
            return;
        if (fiber.begun)
            _longjmp(fiber.place, 1);
        fiber.begun = true;
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStack;
        makecontext(&fiber.context, &Block::enter, 0);
        setcontext(&fiber.context);
    }

    void playToBarriers()
    {
        if (m_order == Order::Shuffled)
            std::ranges::shuffle(m_turns, m_random);
        for (const unsigned turn : m_turns)
            if (m_fibers[turn].state == State::Ready) {
                threadIdx.x = turn;
                goOn(m_fibers[turn]);
                if (m_failure)
                    std::rethrow_exception(std::exchange(m_failure, nullptr));
            }
        bool released = releaseWarps();
        released |= release(m_fibers.begin(), m_fibers.end(), State::AtBlockBarrier);
        const bool waits
            = std::ranges::any_of(m_fibers, [](const Fiber& f) { return f.state != State::Done; });
        if (waits && !released)
            throw std::logic_error("some threads of a block wait at a barrier that others of it do "
                                   "not reach");
    }

    bool releaseWarps()
    {
        bool released = false;
        for (auto warp = m_fibers.begin(); warp != m_fibers.end(); warp += kWarp)
            released |= release(warp, warp + kWarp, State::AtWarpBarrier);
        return released;
    }

    // Where all of them are at the barrier, they go on.
    template<class Iterator>
    static bool release(Iterator first, Iterator last, State at)
    {
        if (!std::all_of(first, last, [at](const Fiber& f) { return f.state == at; }))
            return false;
        std::for_each(first, last, [](Fiber& f) { f.state = State::Ready; });
        return true;
    }

    std::span<Fiber> m_fibers;
    std::vector<unsigned> m_turns;
    std::vector<std::byte> m_slots;
    std::vector<std::vector<Copy>> m_copies; // of each thread, not yet waited for
    std::size_t m_shared;                    // bytes
    std::mt19937& m_random;
    Order m_order;
    std::jmp_buf m_caller;
    const std::function<void()>* m_thread = nullptr;
    std::exception_ptr m_failure;
};

Block* playing = nullptr;
Order chosen = Order::Forward;
std::uint64_t launched = 0;
std::map<std::pair<int, const void*>, std::size_t> sharedMemoryOf; // asked for, of GPU and kernel

void Block::enter()
{
    const unsigned own = threadIdx.x;
    try {
        (*playing->m_thread)();
    } catch (...) {
        playing->m_failure = std::current_exception();
    }
    playing->m_fibers[own].state = State::Done;
    _longjmp(playing->m_caller, 1);
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

void playAs(Order order)
{
    chosen = order;
}

std::uint64_t launches()
{
    return launched;
}

void play(const cudaLaunchConfig_t& config, const std::function<void()>& thread)
{
    if (config.blockDim.y != 1 || config.blockDim.z != 1 || config.blockDim.x % kWarp != 0)
        throw std::logic_error("only blocks of whole warps in a line are played here");
    const Unlocked unlocked;
    ++launched;
    std::mt19937 random(static_cast<unsigned>(launched));
    gridDim = config.gridDim;
    blockDim = config.blockDim;
    static std::vector<Fiber> fibers; // their stacks serve every launch
    if (fibers.size() < config.blockDim.x)
        fibers = std::vector<Fiber>(config.blockDim.x);
    Block block({fibers.data(), config.blockDim.x}, config.dynamicSmemBytes, chosen, random);
    playing = &block;
    const std::size_t width = gridDim.x, height = gridDim.y;
    for (const std::size_t index : blockOrder(width * height * gridDim.z, random)) {
        blockIdx
            = {static_cast<unsigned>(index % width), static_cast<unsigned>(index / width % height),
               static_cast<unsigned>(index / width / height)};
        std::memset(sharedMemory(), 0xff, config.dynamicSmemBytes);
        block.play(thread);
    }
    playing = nullptr;
}

void waitForBlock()
{
    playing->wait(State::AtBlockBarrier);
}

void waitForWarp()
{
    playing->wait(State::AtWarpBarrier);
}

std::byte* slotOfLane(unsigned lane)
{
    return playing->slot(lane);
}

void copyLater(void* to, const void* from, bool exists)
{
    if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0
        || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
        throw std::logic_error("an asynchronous copy is not aligned");
    if (!playing->isShared(reinterpret_cast<std::uintptr_t>(to), 16))
        throw std::logic_error("an asynchronous copy goes beyond the shared memory of its launch");
    playing->copies().push_back({to, exists ? from : nullptr});
}

void checkMatrixRow(std::uintptr_t row)
{
    if (row % 16 != 0 || !playing->isShared(row, 16))
        throw std::logic_error("ldmatrix reads what is not aligned or not shared memory");
}

void copyNow()
{
    for (const Copy& copy : playing->copies())
        if (copy.from != nullptr)
            std::memcpy(copy.to, copy.from, 16);
        else
            std::memset(copy.to, 0, 16);
    playing->copies().clear();
}

unsigned char* sharedMemory()
{
    alignas(256) static unsigned char memory[kSharedMemory];
    return memory;
}

} // namespace cuda_on_cpu
