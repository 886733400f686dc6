#pragma once

#include <climits>
#include <cstddef>

struct CUstream_st; // behind cudaStream_t, of the CUDA runtime

// The part of NCCL's interface that is used, written down here since few machines that build have
// nccl.h; where one is, compare_with_header.cpp holds every size, place and number to it. NCCL's
// interface grows at its ends only: numbers never change, and Config tells its size and version.
namespace engine::cuda::nccl {

using Communicator = struct CommunicatorState*; // opaque
using Stream = CUstream_st*;

struct UniqueId // given by value
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

enum class DataType : int { Uint8 = 1, Int64 = 4, Float32 = 7, Bfloat16 = 9 };
enum class Reduction : int { Sum = 0 };

// What a communicator is told when it is made: the fields that NCCL 2.27 has, up to the last one
// that is wanted. NCCL reads as many bytes as `size` says, an older one as many as it knows (before
// 2.27 none of the name), and what it is not told it chooses.
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
