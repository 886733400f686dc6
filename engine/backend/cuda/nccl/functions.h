#pragma once

#include "engine/backend/cuda/nccl/abi.h"

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
