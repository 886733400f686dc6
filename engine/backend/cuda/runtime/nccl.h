#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct CUstream_st; // behind cudaStream_t

namespace engine::cuda {

// NVIDIA's library for messages and sums between GPUs: sums over replicas and data-parallel groups,
// and messages as an alternative to peer copies. Between devices of one process peer copies need
// neither SMs nor an order; NCCL is for parity with systems that use it. It never joins one GPU
// twice, so partitions of one GPU cannot use it among themselves.
//
// Whether a schedule's order can be carried is asked before the run: findNcclFault()
// (engine/schedule/check/communicator_lanes.h).

struct NcclFunctions; // nccl/functions.h: of the library, or of a test

// Opened when first wanted, and kept. nullptr: `reason` is one sentence.
const NcclFunctions* ncclFunctions(std::string* reason);

// What the ranks of one communicator know each other by: made by one, given to all. Throws
// std::runtime_error.
using NcclId = std::array<char, 128>;
NcclId makeNcclId(const NcclFunctions& library);

enum class NcclType : std::uint8_t { Float32, Bfloat16, Int64, Byte };

// A message to or from another rank, or a sum over all ranks (in place where from is to). Memory
// and stream are of the GPU; it runs in the stream's order.
struct NcclCall
{
    enum class Kind : std::uint8_t { Send, Receive, Sum };

    Kind kind = Kind::Sum;
    std::size_t communicator = 0; // of join()
    const void* from = nullptr;   // Send, Sum
    void* to = nullptr;           // Receive, Sum
    std::size_t count = 0;        // elements
    NcclType type = NcclType::Float32;
    int peer = 0; // Send, Receive: its rank
    CUstream_st* stream = nullptr;
};

// The communicators of one GPU: one of two ranks for each GPU that it sends to and each that it
// receives from, activations and gradients apart, and one for each sum. One thread at a time joins,
// issues and leaves, and has the GPU made current; poll() and abort() may come from any. Nothing
// waits for the GPU: joining and enqueuing are non-blocking, and whatever NCCL has not taken within
// `patience` is an error. Errors, also those that NCCL finds later, are std::runtime_error with
// NCCL's own words; abort() is what is left then.
class NcclGpu
{
public:
    explicit NcclGpu(const NcclFunctions& library,
                     std::chrono::milliseconds patience = std::chrono::seconds(30));
    ~NcclGpu(); // abort(), unless leave() came to its end
    NcclGpu(const NcclGpu&) = delete;
    NcclGpu& operator=(const NcclGpu&) = delete;

    struct Membership
    {
        NcclId id{};
        int rank = 0, ranks = 1;
        std::string name; // "activations 2 -> 3": in NCCL's messages
        int channels = 0; // SMs it may take at most; 0: NCCL's choice
    };
    // Begins to join and returns the communicator's number: from 0, in the order of joining, which
    // is the same on all GPUs. Every rank must join before any is through: isJoined().
    std::size_t join(const Membership& membership);
    bool isJoined(std::size_t communicator);
    void waitUntilJoined(); // all of them

    // Enqueued as one: messages that wait for each other on two ranks belong together. The order of
    // these calls is the same on all ranks of a communicator.
    void issue(std::span<const NcclCall> together);

    void poll();  // throws what went wrong on any communicator since
    void leave(); // when all streams are empty: ends them in order, on all ranks
    // Ends whatever is under way, on this rank. All ranks of this process must do so at the same
    // time, since NCCL may wait for them. Any thread, any time, more than once. Everything else
    // throws from then on.
    void abort() noexcept;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace engine::cuda
