#pragma once

#include "engine/base/result.h"

#include <atomic>
#include <utility>

namespace engine {

// Cancels long work midway. We keep the flag per thread, because the loops that take long, such as
// the simulator's, lie deep under functions that need not know of it. A scope belongs to the thread
// that makes it; inParallel() hands it on to its threads.
class CancelScope
{
public:
    // From now on throwIfCancelled() of this thread reads `flag`, which must outlive the scope;
    // nullptr: it does nothing.
    explicit CancelScope(const std::atomic<bool>* flag)
        : m_before(std::exchange(current, flag))
    { }
    ~CancelScope() { current = m_before; }
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

    static const std::atomic<bool>* flag() { return current; }

private:
    static inline thread_local const std::atomic<bool>* current = nullptr;

    const std::atomic<bool>* m_before;
};

// Throws Cancelled if the flag of the scope is set. `flag` saves loops the look-up.
inline void throwIfCancelled(const std::atomic<bool>* flag = CancelScope::flag())
{
    if (flag != nullptr && flag->load(std::memory_order_relaxed))
        throw Cancelled("cancelled");
}

} // namespace engine
