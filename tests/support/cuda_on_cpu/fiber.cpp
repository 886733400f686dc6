#include "tests/support/cuda_on_cpu/fiber.h"

#include <ucontext.h>

#include <csetjmp>
#include <optional>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

// ThreadSanitizer keeps the calls of every thread on a stack, and cannot follow a jump. It is not
// informed of fibers (a change of theirs would cost it as much as one of threads): to it their work
// is calls of the thread that goes on with them, all of which return. What changes stacks is not
// seen.
#if defined(__SANITIZE_THREAD__)
#define UNSEEN __attribute__((no_sanitize_thread))
#else
#define UNSEEN
#endif

namespace cuda_on_cpu {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kStack = std::size_t{128} << 10;

// From one stack to another and back.
class Change
{
public:
    UNSEEN void toFiber(ucontext_t& fiber) { swapcontext(&m_caller, &fiber); }
    UNSEEN void toCaller(ucontext_t& fiber) { swapcontext(&fiber, &m_caller); }

private:
    ucontext_t m_caller{};
};
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStack = std::size_t{256} << 10; // its frames are wider

// AddressSanitizer is informed of every switch, because it tracks stacks.
class Change
{
public:
    void toFiber(ucontext_t& fiber)
    {
        void* own = nullptr;
        __sanitizer_start_switch_fiber(&own, fiber.uc_stack.ss_sp, fiber.uc_stack.ss_size);
        swapcontext(&m_caller, &fiber);
        __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
    }
    void toCaller(ucontext_t& fiber)
    {
        void* own = nullptr;
        __sanitizer_start_switch_fiber(&own, m_bottom, m_size);
        swapcontext(&fiber, &m_caller);
        arrive(own);
    }
    // First in the fiber, whenever it is entered. `own`: what the fiber had when it was left.
    void arrive(void* own = nullptr) { __sanitizer_finish_switch_fiber(own, &m_bottom, &m_size); }

private:
    ucontext_t m_caller{};
    const void* m_bottom = nullptr; // of the caller's stack
    std::size_t m_size = 0;
};
#else
constexpr std::size_t kStack = std::size_t{64} << 10;

class Change
{
public:
    void toFiber(ucontext_t& fiber)
    {
        if (_setjmp(m_caller) != 0)
            return;
        if (std::exchange(m_begun, true))
            _longjmp(m_place, 1);
        setcontext(&fiber);
    }
    void toCaller(ucontext_t&)
    {
        if (_setjmp(m_place) == 0)
            _longjmp(m_caller, 1);
    }

private:
    std::jmp_buf m_caller, m_place;
    bool m_begun = false;
};
#endif

void* begun = nullptr; // the state of the fiber that is entered, since a context takes no pointer

} // namespace

struct Fiber::State
{
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStack);
    std::optional<Change> change; // none: nothing was begun, or it was forgotten
    ucontext_t context{};
    void (*work)() = nullptr;
};

Fiber::Fiber()
    : m_state(std::make_unique<State>())
{ }

Fiber::~Fiber() = default;

// Once done it waits for the next work.
UNSEEN void Fiber::enter()
{
    State& own = *static_cast<State*>(begun);
#if defined(__SANITIZE_ADDRESS__)
    own.change->arrive();
#endif
    while (true) {
        own.work();
        own.change->toCaller(own.context);
    }
}

UNSEEN void Fiber::goOn(void (*work)())
{
    State& own = *m_state;
    own.work = work;
    if (!own.change) {
        own.change.emplace();
        getcontext(&own.context);
        own.context.uc_stack.ss_sp = own.stack.get();
        own.context.uc_stack.ss_size = kStack;
        makecontext(&own.context, &Fiber::enter, 0);
        begun = &own;
    }
    own.change->toFiber(own.context);
}

UNSEEN void Fiber::leave()
{
    m_state->change->toCaller(m_state->context);
}

void Fiber::forget()
{
    m_state->change.reset();
}

} // namespace cuda_on_cpu
