#pragma once

#include "tests/support/cuda_on_cpu/cuda_runtime_api.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct CUctx_st; // the type behind CUcontext

struct CUgreenCtx_st; // a partition's context (cuda.h)

// GPUs that are emulated on the CPU. What is queued on a stream is not done until some thread of
// the host asks for it (waits for a stream or an event, asks whether an event has passed, frees
// memory); then one piece of work after the other is done, of whichever stream the chosen order
// takes. So streams are as far apart as what was queued allows: a wait that is missing is found.
namespace cuda_on_cpu {

// Which of the streams that could go on does so.
enum class Turns : std::uint8_t {
    Oldest, // whose next work was queued first: as if everything were done at once
    Newest, // whose next work was queued last: what nothing holds up overtakes all the rest
    Random,
};
void takeTurns(Turns turns, std::uint32_t seed = 1);

// What the machine has from here on; while no stream lives. A partition has a multiple of
// `smallest` multiprocessors; 0: the driver makes none.
struct Gpus
{
    int count = 1, multiprocessors = 132, smallest = 8;
    int partitionsAtMost = 1000; // the driver gives fewer than asked for
    int cluster = 0; // multiprocessors that a partition is a part of, or has whole; 0: all of them
    int peers = 8;   // to which a GPU can have access: without NVSwitch
    // An event belongs to the context that was current when it was made: it can be recorded on
    // streams of that one alone, and subtracted from its events alone (what cuda.h of 13.0 says).
    bool eventsOfContexts = false;
    int sharedMemory = 99 << 10; // bytes that a block may ask for: sm_120's, the least
    std::size_t memory = std::size_t{16} << 30, context = std::size_t{400} << 20; // bytes, of each
};
void plugIn(const Gpus& gpus);
const Gpus& pluggedIn();

// Other users take this much memory of the GPU from now on: a driver that loads kernels,
// another program. As the driver counts, pieces of 2 MiB are given: a large allocation gets its
// own, small ones share theirs.
void useMemory(int gpu, std::size_t bytes);
void freeMemory(int gpu, std::size_t bytes); // some of it comes back
std::size_t usedMemory(int gpu);

// A stream of this GPU, on so many of its multiprocessors, and of a context; none: the primary one.
cudaStream_t makeStream(int gpu, int multiprocessors, CUgreenCtx_st* context = nullptr);
// Of the calling thread; none: the primary one.
CUgreenCtx_st* currentContext();
int multiprocessorsOf(cudaStream_t stream);
// As a profiler knows them: those that live, in the order in which they were made.
void nameStream(cudaStream_t stream, const std::string& name);
std::vector<std::string> streamNames();
void nameContext(CUctx_st* context, const std::string& name);
std::vector<std::string> contextNames();

// Called for every kernel, copy, fill and graph, on the thread that queues it; empty: not called.
void watch(std::function<void()> report);

// From the n-th kernel, copy or filling on that is queued from here the stream stands still, as
// with a kernel that never ends, until wakeUp(). The program is aborted where it would wait for it.
void hangAt(int n);
void hangHere(); // from the next that this thread queues
// This thread does not come back from the driver with the next that it queues, until then.
void stallThisThread();
void wakeUp();

// Behind all that the stream has to do; at once where it is the default one. cudaSuccess, or what
// CUDA says to a stream of another GPU than the thread's.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

std::uint64_t waitsForStreams(); // of the host, so far

// The GPU whose work is being done; -1: none, or one that touches several GPUs' memory.
int running();

} // namespace cuda_on_cpu
