#pragma once

#include <atomic>

namespace cli {

// While one lives, Ctrl-C (SIGINT) and SIGTERM ask for a clean stop instead of
// ending the program, and a reader that went away (SIGPIPE) is an error of
// writing. At most one at a time.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // From now on the death of the parent process asks for a stop, too, even while this one is
    // held.
    void stopWithParent();
    const std::atomic<bool>& requested() const;
};

} // namespace cli
