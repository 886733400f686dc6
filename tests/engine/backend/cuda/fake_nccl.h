#pragma once

#include "engine/backend/cuda/nccl/functions.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace tests {

// NCCL with one rank and no GPU: remembers what it was asked for in order, copies where it sums,
// and is slow or fails where it is told to.
class FakeNccl
{
public:
    FakeNccl() { s_fake = this; }
    FakeNccl(const FakeNccl&) = delete;
    FakeNccl& operator=(const FakeNccl&) = delete;
    ~FakeNccl() { s_fake = nullptr; }

    engine::cuda::NcclFunctions functions() const
    {
        engine::cuda::NcclFunctions all;
        all.getUniqueId = [](ncclUniqueId* id) {
            std::memset(id->internal, 7, sizeof id->internal);
            return s_fake->idResult;
        };
        all.initRank = [](ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* c) {
            s_fake->comms.push_back(c->commName);
            *comm = handle(s_fake->comms.size());
            s_fake->wasBlocking = s_fake->wasBlocking || c->blocking != 0;
            s_fake->channels = c->maxCTAs;
            s_fake->idByte = id.internal[100];
            s_fake->log.push_back("init " + std::string(c->commName) + " " + std::to_string(rank)
                                  + "/" + std::to_string(ranks));
            return ncclInProgress;
        };
        all.asyncError = [](ncclComm_t comm, ncclResult_t* out) {
            ++s_fake->polls;
            *out = s_fake->inProgress != 0 ? ncclInProgress : s_fake->state;
            s_fake->inProgress -= s_fake->inProgress > 0 ? 1 : 0;
            return comm == nullptr ? ncclInvalidArgument : ncclSuccess;
        };
        all.finalize = [](ncclComm_t comm) { return s_fake->note("finalize " + name(comm)); };
        all.destroy = [](ncclComm_t comm) { return s_fake->note("destroy " + name(comm)); };
        all.abort = [](ncclComm_t comm) { return s_fake->note("abort " + name(comm)); };
        all.groupStart = [] {
            ++s_fake->depth;
            return s_fake->note("start");
        };
        all.groupEnd = [] {
            --s_fake->depth;
            return s_fake->note("end");
        };
        all.send = [](const void*, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                      cudaStream_t) {
            s_fake->note("send " + name(comm) + " " + std::to_string(count) + " to "
                         + std::to_string(peer));
            return s_fake->callResult;
        };
        all.receive = [](void*, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                         cudaStream_t) {
            s_fake->note("receive " + name(comm) + " " + std::to_string(count) + " from "
                         + std::to_string(peer));
            return s_fake->callResult;
        };
        all.allReduce = [](const void* from, void* to, std::size_t count, ncclDataType_t of,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t) {
            s_fake->note("sum " + name(comm));
            s_fake->type = of;
            s_fake->isSum = op == ncclSum;
            if (from != to)
                std::memcpy(to, from, count * 4);
            return s_fake->callResult;
        };
        all.errorString = [](ncclResult_t) { return "unhandled system error"; };
        all.lastError = [](ncclComm_t) { return s_fake->last.c_str(); };
        return all;
    }

    std::vector<std::string> log;  // calls in their order
    std::deque<std::string> comms; // names, by handle - 1
    int inProgress = 0;            // looks that still see it at work; below 0: for ever
    int polls = 0, depth = 0, channels = 0;
    char idByte = 0;
    bool wasBlocking = false, isSum = false;
    ncclDataType_t type = ncclInt8;
    ncclResult_t idResult = ncclSuccess, state = ncclSuccess, callResult = ncclSuccess;
    std::string last;

private:
    static ncclComm_t handle(std::size_t number)
    {
        return reinterpret_cast<ncclComm_t>(number); // NOLINT: an opaque handle
    }
    static std::string name(ncclComm_t comm)
    {
        return s_fake->comms.at(reinterpret_cast<std::size_t>(comm) - 1); // NOLINT: as above
    }
    ncclResult_t note(const std::string& call)
    {
        log.push_back(call);
        return ncclSuccess;
    }

    static inline FakeNccl* s_fake = nullptr;
};

} // namespace tests
