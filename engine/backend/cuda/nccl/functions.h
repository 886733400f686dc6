#pragma once

#include <climits>
#include <cstddef>

struct CUstream_st; // the type behind cudaStream_t

// The part of NCCL's interface that is used, declared here because few build machines have nccl.h.
// Where nccl.h is installed, tests/engine/backend/cuda/nccl_header.cpp checks every size, offset
// and number. Newer versions of NCCL only add to the end of the interface: the values of
// enumerators never change, and Config contains its size and version.
namespace engine::cuda::nccl {

using Communicator = struct CommunicatorState*; // opaque
using Stream = CUstream_st*;

struct UniqueId // passed by value
{
    char internal[128];
};

enum class Status : int {
    Success = 0,
    UnhandledCudaError = 1,
    SystemError = 2,
    InternalError = 3,
    InvalidArgument = 4,
    InvalidUsage = 5,
    RemoteError = 6,
    InProgress = 7,
};

enum class DataType : int { Uint8 = 1, Int64 = 4, Float32 = 7 };
enum class Reduction : int { Sum = 0 };

// Configuration of a communicator: the fields of NCCL 2.27 up to the last one that is used. NCCL
// reads `size` bytes. Versions before 2.27 do not know commName and ignore it. NCCL chooses the
// value of each field that is kUndefined.
struct Config
{
    static constexpr int kUndefined = INT_MIN; // NCCL's choice

    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef;
    unsigned version = 22700;
    int blocking = kUndefined;
    int cgaClusterSize = kUndefined;
    int minCTAs = kUndefined;
    int maxCTAs = kUndefined;
    const char* netName = nullptr;
    int splitShare = kUndefined;
    int trafficClass = kUndefined;
    const char* commName = nullptr;
};

} // namespace engine::cuda::nccl

namespace engine::cuda {

// The functions of NCCL that the plug-in calls. They point into the library of this machine, or
// into the emulated library of a test.
struct NcclFunctions
{
    using Status = nccl::Status;
    using Communicator = nccl::Communicator;

    Status (*getUniqueId)(nccl::UniqueId*) = nullptr;
    Status (*initRank)(Communicator*, int ranks, nccl::UniqueId, int rank, nccl::Config*) = nullptr;
    Status (*asyncError)(Communicator, Status*) = nullptr;
    Status (*finalize)(Communicator) = nullptr;
    Status (*destroy)(Communicator) = nullptr;
    Status (*abort)(Communicator) = nullptr;
    Status (*groupStart)() = nullptr;
    Status (*groupEnd)() = nullptr;
    Status (*send)(const void* from, std::size_t count, nccl::DataType, int peer, Communicator,
                   nccl::Stream)
        = nullptr;
    Status (*receive)(void* to, std::size_t count, nccl::DataType, int peer, Communicator,
                      nccl::Stream)
        = nullptr;
    Status (*allReduce)(const void* from, void* to, std::size_t count, nccl::DataType,
                        nccl::Reduction, Communicator, nccl::Stream)
        = nullptr;
    const char* (*errorString)(Status) = nullptr;
    const char* (*lastError)(Communicator) = nullptr;
};

} // namespace engine::cuda
