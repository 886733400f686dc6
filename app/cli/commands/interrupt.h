#pragma once

#include <atomic>

namespace cli {

// During its lifetime, SIGINT, SIGTERM and SIGHUP request a clean stop, and a second one ends the
// program at once; SIGPIPE becomes a write error. Signals that are ignored, as under nohup, stay
// ignored. At most one instance may exist.
class Interrupt
{
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // Requests a stop when the parent process exits, even if this process is suspended at that
    // time.
    void stopWithParent();
    const std::atomic<bool>& requested() const;
};

} // namespace cli
