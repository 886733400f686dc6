#pragma once

#include "engine/backend/communicators.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct CUstream_st; // the type behind cudaStream_t
namespace engine::cuda {

// NCCL is an alternative to peer copies for messages, and performs all-reduces over replicas and
// data-parallel pipelines. Peer copies between devices of one process need neither SMs nor a common
// order; NCCL is provided for comparison with systems that use it. It does not support two ranks on
// one GPU, so partitions of one GPU cannot use it.
//
// findNcclFault() (engine/schedule/check/communication.h) checks before the run whether a
// schedule's order is safe.

struct NcclFunctions; // nccl/functions.h

// Loads the library on first use and never unloads it. Returns nullptr and one sentence in `reason`
// if it is not usable.
const NcclFunctions* ncclFunctions(std::string* reason);

// The id of a communicator. One rank creates it and passes it to all.
using NcclId = std::array<char, 128>;
NcclId makeNcclId(const NcclFunctions& library); // throws std::runtime_error

enum class NcclType : std::uint8_t { Float32, Int64, Byte };

// A message to or from another rank, or an all-reduce over all ranks (in place if `from` equals
// `to`). The memory and the stream belong to the GPU of the NcclGpu that issues the call. Calls run
// in the order of the stream.
struct NcclCall
{
    enum class Kind : std::uint8_t { Send, Receive, Sum };

    Kind kind = Kind::Sum;
    std::size_t communicator = 0; // returned by join()
    const void* from = nullptr;   // Send, Sum
    void* to = nullptr;           // Receive, Sum
    std::size_t count = 0;        // elements
    NcclType type = NcclType::Float32;
    int peer = 0; // rank of the peer, for Send and Receive
    CUstream_st* stream = nullptr;
};

// The communicators of one GPU (transport/matched.h). poll() and abort() are
// thread-safe. The other functions must be called by one thread at a time, with the GPU current.
// Joining and enqueuing do not wait for the GPU; an operation that NCCL does not accept within
// `patience` is an error. Errors, including errors that NCCL detects later, are std::runtime_error
// with NCCL's message; call abort() after an error.
class NcclGpu
{
public:
    explicit NcclGpu(const NcclFunctions& library,
                     std::chrono::milliseconds patience = std::chrono::seconds(30));
    ~NcclGpu(); // calls abort() unless leave() has completed
    NcclGpu(const NcclGpu&) = delete;
    NcclGpu& operator=(const NcclGpu&) = delete;

    struct Membership
    {
        NcclId id{};
        int rank = 0, ranks = 1;
        std::string name; // "activations 2 -> 3", for NCCL's messages
        int channels = 0; // maximum number of SMs; 0: NCCL's choice
    };
    // Starts joining and returns the index of the communicator. Indices count from 0 in the order
    // of joining, which must be the same on all GPUs.
    std::size_t join(const Membership& membership);
    void waitUntilJoined(); // waits for all communicators

    // Enqueues the calls as one group. If two ranks send to each other, the messages must be in one
    // group, because each waits for the other. All ranks of a communicator must issue its groups in
    // the same order.
    void issue(std::span<const NcclCall> together);

    void poll();  // throws the first error of any communicator
    void leave(); // finalizes all communicators in order; streams must be empty
    // Ends all operations of this rank. All ranks of this process must abort at the same time,
    // because NCCL may wait for them. Other calls throw afterwards. Thread-safe; may be called
    // again.
    void abort() noexcept;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// Joins and connects NCCL communicators, so that the first message or sum is not slower than later
// ones and does not wait for the threads of other ranks. Throws std::runtime_error if a rank does
// not respond within `patience`, and Cancelled soon after `cancel` is set. In both cases all ranks
// are aborted.
std::unique_ptr<DeviceCommunicators>
joinCommunicators(const NcclFunctions& library, const IdVector<DeviceId, const Device*>& devices,
                  const std::vector<CommunicatorPlan>& plans, const std::atomic<bool>& cancel,
                  std::chrono::milliseconds patience = std::chrono::seconds(30));

} // namespace engine::cuda
