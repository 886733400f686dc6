#pragma once

#include "engine/backend/cuda/nccl/functions.h"

#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace tests {

namespace nccl = engine::cuda::nccl;

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
        all.getUniqueId = [](nccl::UniqueId* id) {
            std::memset(id->internal, 7, sizeof id->internal);
            return s_fake->idResult;
        };
        all.initRank = [](nccl::Communicator* comm, int ranks, nccl::UniqueId id, int rank,
                          nccl::Config* c) {
            s_fake->comms.push_back(c->commName);
            *comm = handle(s_fake->comms.size());
            s_fake->wasBlocking = s_fake->wasBlocking || c->blocking != 0;
            s_fake->channels = c->maxCTAs;
            s_fake->idByte = id.internal[100];
            s_fake->log.push_back("init " + std::string(c->commName) + " " + std::to_string(rank)
                                  + "/" + std::to_string(ranks));
            return nccl::Status::InProgress;
        };
        all.asyncError = [](nccl::Communicator comm, nccl::Status* out) {
            ++s_fake->polls;
            *out = s_fake->inProgress != 0 ? nccl::Status::InProgress : s_fake->state;
            s_fake->inProgress -= s_fake->inProgress > 0 ? 1 : 0;
            return comm == nullptr ? nccl::Status::InvalidArgument : nccl::Status::Success;
        };
        all.finalize
            = [](nccl::Communicator comm) { return s_fake->note("finalize " + name(comm)); };
        all.destroy = [](nccl::Communicator comm) { return s_fake->note("destroy " + name(comm)); };
        all.abort = [](nccl::Communicator comm) { return s_fake->note("abort " + name(comm)); };
        all.groupStart = [] {
            ++s_fake->depth;
            return s_fake->note("start");
        };
        all.groupEnd = [] {
            --s_fake->depth;
            return s_fake->note("end");
        };
        all.send = [](const void*, std::size_t count, nccl::DataType, int peer,
                      nccl::Communicator comm, nccl::Stream) {
            s_fake->note("send " + name(comm) + " " + std::to_string(count) + " to "
                         + std::to_string(peer));
            return s_fake->callResult;
        };
        all.receive = [](void*, std::size_t count, nccl::DataType, int peer,
                         nccl::Communicator comm, nccl::Stream) {
            s_fake->note("receive " + name(comm) + " " + std::to_string(count) + " from "
                         + std::to_string(peer));
            return s_fake->callResult;
        };
        all.allReduce = [](const void* from, void* to, std::size_t count, nccl::DataType of,
                           nccl::Reduction op, nccl::Communicator comm, nccl::Stream) {
            s_fake->note("sum " + name(comm));
            s_fake->type = of;
            s_fake->isSum = op == nccl::Reduction::Sum;
            if (from != to)
                std::memcpy(to, from, count * 4);
            return s_fake->callResult;
        };
        all.errorString = [](nccl::Status) { return "unhandled system error"; };
        all.lastError = [](nccl::Communicator) { return s_fake->last.c_str(); };
        return all;
    }

    std::vector<std::string> log;  // calls in their order
    std::deque<std::string> comms; // names, by handle - 1
    int inProgress = 0;            // looks that still see it at work; below 0: for ever
    int polls = 0, depth = 0, channels = 0;
    char idByte = 0;
    bool wasBlocking = false, isSum = false;
    nccl::DataType type = nccl::DataType::Uint8;
    nccl::Status idResult = nccl::Status::Success, state = nccl::Status::Success,
                 callResult = nccl::Status::Success;
    std::string last;

private:
    static nccl::Communicator handle(std::size_t number)
    {
        return reinterpret_cast<nccl::Communicator>(number); // NOLINT: an opaque handle
    }
    static std::string name(nccl::Communicator comm)
    {
        return s_fake->comms.at(reinterpret_cast<std::size_t>(comm) - 1); // NOLINT: as above
    }
    nccl::Status note(const std::string& call)
    {
        const std::lock_guard lock(m_mutex); // communicators are aborted at the same time
        log.push_back(call);
        return nccl::Status::Success;
    }

    std::mutex m_mutex;
    static inline FakeNccl* s_fake = nullptr;
};

} // namespace tests
