#pragma once

#include <cstddef>
#include <memory>

namespace cuda_on_cpu {

// Work on a stack of its own, which is left in the middle and gone on with; by one thread of the
// process at a time. A jump leads from stack to stack, which asks nothing of the system; under
// sanitizers, which follow no jumps, the system changes stacks.
class Fiber
{
public:
    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Does `work`, or goes on with it where it was left; returns when it is left or done. `work`
    // lets no exception out.
    void goOn(void (*work)());
    // In the work: back to who goes on with it.
    void leave();
    // What was left in the middle is forgotten, the work begins anew.
    void forget();

private:
    struct State;
    static void enter();

    std::unique_ptr<State> m_state;
};

} // namespace cuda_on_cpu
