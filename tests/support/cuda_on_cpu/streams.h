#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// What stands behind the handles of the emulated runtime. Under lockMachine().
struct CUstream_st;

namespace cuda_on_cpu {

std::unique_lock<std::recursive_mutex> lockMachine();

// Outlives its handle, as long as something is queued that uses it.
struct Event
{
    int gpu = 0;
    const void* context = nullptr; // that was current when it was made; none: the primary one
    bool timed = true;
    std::uint64_t recorded = 0, passed = 0; // how often
    std::int64_t time = 0;                  // ns, of the last passing
};

struct Work
{
    std::function<void()> run = {};
    std::shared_ptr<Event> awaited = {}; // none: it can be done
    std::uint64_t version = 0;           // of the awaited
    std::function<bool()> when = {};     // none: at once
    std::uint64_t number = 0;            // of all that was queued
    std::shared_ptr<bool> hangs = {};    // for as long as it says so

    bool isReady() const
    {
        return (awaited == nullptr || awaited->passed >= version) && (!when || when())
            && (hangs == nullptr || !*hangs);
    }
};

// Behind all that the stream has to do, and when that is true; whatever GPU the thread's is.
void enqueueWhen(CUstream_st* stream, std::function<bool()> when, std::function<void()> work);

// Where the driver is called, before the lock is taken: stallThisThread() (machine.h).
void stallIfAsked();
void endStall();
// Where work is queued: hangHere(), once.
bool hangsHere();

using Pieces = std::vector<std::function<void()>>;

} // namespace cuda_on_cpu

struct CUgraph_st
{
    cuda_on_cpu::Pieces pieces;
};

struct CUgraphExec_st
{
    std::shared_ptr<const cuda_on_cpu::Pieces> pieces;
};

struct CUstream_st
{
    int gpu = 0, multiprocessors = 0;
    const void* context = nullptr; // as an event's
    std::string name;
    std::deque<cuda_on_cpu::Work> work;
    std::unique_ptr<CUgraph_st> captured; // what is queued goes here; none: it is queued
};

struct CUevent_st
{
    std::shared_ptr<cuda_on_cpu::Event> event;
};
