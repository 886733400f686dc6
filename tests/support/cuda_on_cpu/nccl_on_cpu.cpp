#include "tests/support/cuda_on_cpu/nccl_on_cpu.h"

#include "engine/backend/cuda/nccl/functions.h"
#include "engine/backend/cuda/runtime/nccl.h"
#include "tests/support/cuda_on_cpu/device_memory.h"
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/streams.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace nccl = engine::cuda::nccl;
using nccl::Status;

namespace {

struct Call // of one rank
{
    const void* from = nullptr;
    void* to = nullptr;
    std::size_t count = 0;
    nccl::DataType type = nccl::DataType::Uint8;
};

// What calls of several ranks become together.
struct Meeting
{
    std::size_t ranks = 2;
    std::map<int, Call> calls; // [rank] that have begun
    bool isDone = false;

    bool isComplete() const
    {
        const Call& first = calls.begin()->second;
        return calls.size() == ranks && std::ranges::all_of(calls, [&](const auto& each) {
                   return each.second.count == first.count && each.second.type == first.type;
               });
    }
};

using Meetings = std::vector<std::shared_ptr<Meeting>>; // in their order
using Route = std::pair<int, int>;                      // ranks; {-1, -1}: all of them

struct Group // of ranks
{
    int ranks = 0;
    std::set<int> gpus, joined, called, finalized;
    bool hasTwins = false;
    std::map<Route, Meetings> meetings;
    std::map<std::pair<int, Route>, std::size_t> next; // [rank, route]
};

std::size_t bytesOf(nccl::DataType type)
{
    switch (type) {
    case nccl::DataType::Int64:
        return 8;
    case nccl::DataType::Float32:
        return 4;
    default:
        return 1;
    }
}

// From the last rank to the first, unlike ours.
template<class Number>
void addUp(const Meeting& meeting)
{
    std::vector<Number> sum(meeting.calls.begin()->second.count);
    for (auto call = meeting.calls.rbegin(); call != meeting.calls.rend(); ++call)
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += static_cast<const Number*>(call->second.from)[i];
    for (const auto& [rank, call] : meeting.calls)
        std::ranges::copy(sum, static_cast<Number*>(call.to));
}

void perform(Route route, Meeting& meeting)
{
    if (std::exchange(meeting.isDone, true))
        return;
    const cuda_on_cpu::Unlocked unlocked(cuda_on_cpu::Unlocked::AllGpus{});
    if (route == Route{-1, -1}) {
        if (meeting.calls.begin()->second.type == nccl::DataType::Int64)
            addUp<std::int64_t>(meeting);
        else
            addUp<float>(meeting);
        return;
    }
    const Call &from = meeting.calls.at(route.first), &to = meeting.calls.at(route.second);
    std::memmove(to.to, from.from, to.count * bytesOf(to.type));
}

} // namespace

namespace engine::cuda::nccl {

struct CommunicatorState // a rank
{
    std::shared_ptr<Group> group;
    int rank = 0, gpu = 0, channels = 0;
    std::size_t memory = 0;
    bool isAborted = false;
    int running = 0; // kernels that have begun and not ended
};

} // namespace engine::cuda::nccl

namespace {

using Rank = nccl::CommunicatorState;

class Library
{
public:
    cuda_on_cpu::NcclBehaviour behaviour;
    std::size_t calls = 0;
    int mostChannels = 0;
    bool hasAbortHung = false;

    Status join(nccl::Communicator* made, int ranks, nccl::UniqueId id, int rank,
                const nccl::Config& config)
    {
        if (config.magic != 0xcafebeef || config.size < 48)
            return Status::InvalidArgument;
        int gpu = 0;
        cudaGetDevice(&gpu);
        std::shared_ptr<Group>& group = m_groups[{std::begin(id.internal), std::end(id.internal)}];
        if (group == nullptr)
            group = std::make_shared<Group>();
        group->ranks = ranks;
        group->hasTwins = !group->gpus.insert(gpu).second || group->hasTwins;
        if (gpu != behaviour.absentGpu)
            group->joined.insert(rank);
        m_ranks.push_back(
            std::make_unique<Rank>(Rank{group, rank, gpu, config.maxCTAs, behaviour.memory}));
        cuda_on_cpu::useMemory(gpu, behaviour.memory);
        *made = m_ranks.back().get();
        int all = 0;
        for (const auto& each : m_ranks)
            all += each->gpu == gpu ? each->channels : 0;
        mostChannels = std::max(mostChannels, all);
        return Status::InProgress;
    }

    bool hasFailed() const
    {
        return behaviour.failingCall >= 0
            && calls >= static_cast<std::size_t>(behaviour.failingCall);
    }

    Status state(const Rank& rank)
    {
        const Group& group = *rank.group;
        const auto all = static_cast<std::size_t>(group.ranks);
        if (group.hasTwins)
            return Status::InvalidUsage;
        if (hasFailed() && behaviour.looksBefore-- <= 0)
            return Status::RemoteError;
        const bool waits = group.joined.size() < all
            || (group.called.contains(rank.rank) && group.called.size() < all)
            || (group.finalized.contains(rank.rank) && group.finalized.size() < all);
        return waits ? Status::InProgress : Status::Success;
    }

    Status call(Rank& rank, Route route, const Call& call, cudaStream_t stream)
    {
        Group& group = *rank.group;
        if (stream->gpu != rank.gpu || state(rank) == Status::InvalidUsage)
            return Status::InvalidUsage;
        ++calls;
        group.called.insert(rank.rank);
        const std::size_t number = group.next[{rank.rank, route}]++;
        Meetings& meetings = group.meetings[route];
        if (meetings.size() <= number)
            meetings.push_back(std::make_shared<Meeting>());
        const std::shared_ptr<Meeting> meeting = meetings[number];
        if (route == Route{-1, -1})
            meeting->ranks = static_cast<std::size_t>(group.ranks);
        cuda_on_cpu::enqueueWhen(
            stream, [] { return true; },
            [&rank, meeting, call] {
                ++rank.running;
                meeting->calls[rank.rank] = call;
            });
        cuda_on_cpu::enqueueWhen(
            stream,
            [this, &rank, meeting] {
                return rank.isAborted || (meeting->isComplete() && !hasFailed());
            },
            [&rank, meeting, route] {
                --rank.running;
                if (!rank.isAborted)
                    perform(route, *meeting);
            });
        return Status::InProgress;
    }

    Status finalize(Rank& rank)
    {
        rank.group->finalized.insert(rank.rank);
        return Status::InProgress;
    }

    // What is queued may still look at it.
    Status destroy(Rank& rank)
    {
        m_gone.push_back(take(rank));
        return Status::Success;
    }

    void abort(Rank& rank)
    {
        rank.isAborted = true;
        m_gone.push_back(take(rank));
    }
    bool othersRun(int gpu) const
    {
        return std::ranges::any_of(
            m_ranks, [gpu](const auto& each) { return each->gpu == gpu && each->running > 0; });
    }
    std::size_t live() const { return m_ranks.size(); }

private:
    std::unique_ptr<Rank> take(Rank& rank)
    {
        const auto found = std::ranges::find(m_ranks, &rank, &std::unique_ptr<Rank>::get);
        std::unique_ptr<Rank> taken = std::move(*found);
        m_ranks.erase(found);
        cuda_on_cpu::freeMemory(taken->gpu, taken->memory);
        return taken;
    }

    std::map<std::vector<char>, std::shared_ptr<Group>> m_groups;
    std::vector<std::unique_ptr<Rank>> m_ranks, m_gone;
};

Library& library()
{
    static Library all;
    return all;
}

// Under the machine's lock.
template<class Work>
auto locked(const Work& work)
{
    const auto lock = cuda_on_cpu::lockMachine();
    return work(library());
}

Status makeId(nccl::UniqueId* id)
{
    static int made = 0;
    return locked([id](Library&) {
        *id = {};
        ++made;
        std::memcpy(id->internal, &made, sizeof made);
        return Status::Success;
    });
}

Status abortRank(nccl::Communicator communicator)
{
    const int gpu = communicator->gpu;
    locked([&](Library& all) { all.abort(*communicator); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (locked([gpu](Library& all) { return all.othersRun(gpu); })) {
        if (std::chrono::steady_clock::now() > deadline) {
            locked([](Library& all) { all.hasAbortHung = true; });
            return Status::Success;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return Status::Success;
}

engine::cuda::NcclFunctions functions()
{
    using nccl::Communicator;
    engine::cuda::NcclFunctions all;
    all.getUniqueId = makeId;
    all.initRank
        = [](Communicator* made, int ranks, nccl::UniqueId id, int rank, nccl::Config* config) {
              return locked([&](Library& l) { return l.join(made, ranks, id, rank, *config); });
          };
    all.asyncError = [](Communicator rank, Status* status) {
        *status = locked([rank](Library& l) { return l.state(*rank); });
        return Status::Success;
    };
    all.finalize = [](Communicator rank) {
        return locked([rank](Library& l) { return l.finalize(*rank); });
    };
    all.destroy
        = [](Communicator rank) { return locked([rank](Library& l) { return l.destroy(*rank); }); };
    all.abort = abortRank;
    all.groupStart = [] { return Status::Success; };
    all.groupEnd = [] { return Status::Success; };
    all.send = [](const void* from, std::size_t count, nccl::DataType type, int peer,
                  Communicator rank, nccl::Stream stream) {
        return locked([&](Library& l) {
            return l.call(*rank, {rank->rank, peer}, {from, nullptr, count, type}, stream);
        });
    };
    all.receive = [](void* to, std::size_t count, nccl::DataType type, int peer, Communicator rank,
                     nccl::Stream stream) {
        return locked([&](Library& l) {
            return l.call(*rank, {peer, rank->rank}, {nullptr, to, count, type}, stream);
        });
    };
    all.allReduce = [](const void* from, void* to, std::size_t count, nccl::DataType type,
                       nccl::Reduction, Communicator rank, nccl::Stream stream) {
        return locked([&](Library& l) {
            return l.call(*rank, {-1, -1}, {from, to, count, type}, stream);
        });
    };
    all.errorString = [](Status status) {
        return status == Status::RemoteError ? "remote process exited or there was a network error"
                                             : "invalid usage";
    };
    all.lastError = [](Communicator) { return ""; };
    return all;
}

} // namespace

void cuda_on_cpu::emulateNccl(const NcclBehaviour& behaviour)
{
    locked([&](Library& all) {
        all.behaviour = behaviour;
        all.calls = 0;
    });
}

std::size_t cuda_on_cpu::ncclCalls()
{
    return locked([](Library& all) { return all.calls; });
}

std::size_t cuda_on_cpu::liveCommunicators()
{
    return locked([](Library& all) { return all.live(); });
}

int cuda_on_cpu::mostChannels()
{
    return locked([](Library& all) { return all.mostChannels; });
}

bool cuda_on_cpu::hasAbortHung()
{
    return locked([](Library& all) { return all.hasAbortHung; });
}

const engine::cuda::NcclFunctions* engine::cuda::ncclFunctions(std::string* reason)
{
    static const NcclFunctions kEmulated = functions();
    const bool exists = locked([](Library& all) { return all.behaviour.exists; });
    if (!exists && reason != nullptr)
        *reason = "libnccl.so.2 is not emulated";
    return exists ? &kEmulated : nullptr;
}
