#include "tests/support/cuda_on_cpu/fiber.h"

#include <ucontext.h>

#include <csetjmp>
#include <optional>
#include <utility>

// ThreadSanitizer keeps the calls of every thread on a stack, and cannot follow a jump. It is not
// told of fibers (a change of theirs would cost it as much as one of threads): to it their work is
// calls of the thread that goes on with them, all of which return. What changes stacks is not seen.
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
