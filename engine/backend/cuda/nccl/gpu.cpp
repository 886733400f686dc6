#include "engine/backend/cuda/nccl/functions.h"
#include "engine/backend/cuda/runtime/nccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace engine::cuda {
namespace {

// A thread that waits for NCCL first polls without sleeping for kStare, because most calls complete
// quickly. Then the thread sleeps for kGlance between polls.
constexpr std::chrono::microseconds kGlance{50}, kStare{100};

nccl::DataType typeOf(NcclType type)
{
    switch (type) {
    case NcclType::Float32:
        return nccl::DataType::Float32;
    case NcclType::Int64:
        return nccl::DataType::Int64;
    case NcclType::Byte:
        break;
    }
    return nccl::DataType::Uint8;
}

bool isTaken(nccl::Status status)
{
    return status == nccl::Status::Success || status == nccl::Status::InProgress;
}

} // namespace

NcclId makeNcclId(const NcclFunctions& library)
{
    nccl::UniqueId made{};
    if (const nccl::Status status = library.getUniqueId(&made); status != nccl::Status::Success)
        throw std::runtime_error(
            fmt::format("NCCL cannot create a communicator: {}", library.errorString(status)));
    NcclId id{};
    static_assert(sizeof id == sizeof made.internal);
    std::memcpy(id.data(), made.internal, sizeof made.internal);
    return id;
}

// The mutex is locked for every NCCL call, so that abort() never destroys a communicator in use. No
// NCCL call blocks.
struct NcclGpu::State
{
    struct Communicator
    {
        nccl::Communicator handle = nullptr;
        std::string name;
    };

    State(const NcclFunctions& functions, std::chrono::milliseconds howLong)
        : library(functions)
        , patience(howLong)
    { }

    const NcclFunctions& library;
    std::chrono::milliseconds patience;
    std::mutex mutex; // protects the members below
    // A deque, because NCCL writes handles asynchronously and they must not move.
    std::deque<Communicator> communicators;
    bool aborted = false;

    using Lock = std::unique_lock<std::mutex>;

    // Locks for an NCCL call; throws after an abort.
    Lock open()
    {
        Lock lock(mutex);
        if (aborted)
            throw std::runtime_error("NCCL was aborted");
        return lock;
    }

    void require(nccl::Status status, const Communicator& communicator, const char* what) const
    {
        if (isTaken(status))
            return;
        const char* more = library.lastError(communicator.handle);
        throw std::runtime_error(
            fmt::format("NCCL, {}: {}: {}{}", communicator.name, what, library.errorString(status),
                        more == nullptr || *more == '\0' ? "" : fmt::format(" ({})", more)));
    }

    bool isSettled(std::size_t index, const char* what)
    {
        const Lock lock = open();
        const Communicator& communicator = communicators.at(index);
        nccl::Status state = nccl::Status::Success;
        require(library.asyncError(communicator.handle, &state), communicator, what);
        require(state, communicator, what);
        return state == nccl::Status::Success;
    }

    void settle(std::size_t index, const char* what)
    {
        const auto begin = std::chrono::steady_clock::now();
        while (!isSettled(index, what)) {
            const auto waited = std::chrono::steady_clock::now() - begin;
            if (waited >= patience)
                throw std::runtime_error(fmt::format(
                    "NCCL, {}: {} did not end within {} ms; another rank does not respond",
                    communicators[index].name, what, patience.count()));
            if (waited >= kStare)
                std::this_thread::sleep_for(kGlance);
            else
                std::this_thread::yield();
        }
    }

    // Ends the group even after an error; otherwise the next group would be nested in it.
    void enqueue(std::span<const NcclCall> together)
    {
        const auto lock = open();
        for (const NcclCall& call : together)
            if (call.communicator >= communicators.size())
                throw std::logic_error("NCCL is called on a communicator that was never joined");
        std::size_t last = 0;
        require(library.groupStart(), of(together[last]), "a group");
        nccl::Status status = nccl::Status::Success;
        for (std::size_t i = 0; i < together.size() && isTaken(status); ++i)
            status = enqueue(together[last = i]);
        const nccl::Status ended = library.groupEnd();
        require(status, of(together[last]), "a call");
        require(ended, of(together[last]), "a group");
    }

    const Communicator& of(const NcclCall& call) const { return communicators[call.communicator]; }

    nccl::Status enqueue(const NcclCall& call) const
    {
        nccl::Communicator handle = of(call).handle;
        const nccl::DataType type = typeOf(call.type);
        switch (call.kind) {
        case NcclCall::Kind::Send:
            return library.send(call.from, call.count, type, call.peer, handle, call.stream);
        case NcclCall::Kind::Receive:
            return library.receive(call.to, call.count, type, call.peer, handle, call.stream);
        case NcclCall::Kind::Sum:
            break;
        }
        return library.allReduce(call.from, call.to, call.count, type, nccl::Reduction::Sum, handle,
                                 call.stream);
    }
};

NcclGpu::NcclGpu(const NcclFunctions& library, std::chrono::milliseconds patience)
    : m_state(std::make_unique<State>(library, patience))
{ }

NcclGpu::~NcclGpu()
{
    abort();
}

std::size_t NcclGpu::join(const Membership& membership)
{
    const auto lock = m_state->open();
    nccl::Config config;
    config.blocking = 0;
    if (membership.channels > 0)
        config.maxCTAs = membership.channels;
    nccl::UniqueId id{};
    std::memcpy(id.internal, membership.id.data(), membership.id.size());
    State::Communicator& made = m_state->communicators.emplace_back();
    made.name = membership.name;
    config.commName = made.name.c_str();
    const nccl::Status status
        = m_state->library.initRank(&made.handle, membership.ranks, id, membership.rank, &config);
    m_state->require(status, made, "joining");
    return m_state->communicators.size() - 1;
}

void NcclGpu::waitUntilJoined()
{
    for (std::size_t i = 0; i < m_state->communicators.size(); ++i)
        m_state->settle(i, "joining");
}

void NcclGpu::issue(std::span<const NcclCall> together)
{
    if (together.empty())
        return;
    m_state->enqueue(together);
    for (std::size_t i = 0; i < together.size(); ++i) {
        const auto same
            = [&](const NcclCall& call) { return call.communicator == together[i].communicator; };
        if (std::ranges::none_of(together.first(i), same))
            m_state->settle(together[i].communicator, "enqueuing");
    }
}

void NcclGpu::poll()
{
    for (std::size_t i = 0; i < m_state->communicators.size(); ++i)
        m_state->isSettled(i, "working");
}

void NcclGpu::leave()
{
    for (std::size_t i = 0; i < m_state->communicators.size(); ++i) {
        {
            const auto lock = m_state->open();
            const State::Communicator& each = m_state->communicators[i];
            m_state->require(m_state->library.finalize(each.handle), each, "leaving");
        }
        m_state->settle(i, "leaving");
    }
    const auto lock = m_state->open();
    for (State::Communicator& each : m_state->communicators)
        m_state->library.destroy(std::exchange(each.handle, nullptr));
    m_state->communicators.clear();
}

// Aborts each communicator on its own thread, because aborting frees memory and may wait for
// kernels of a communicator that is not yet aborted.
void NcclGpu::abort() noexcept
{
    std::vector<nccl::Communicator> handles;
    {
        const State::Lock lock(m_state->mutex);
        m_state->aborted = true;
        for (State::Communicator& each : m_state->communicators)
            if (each.handle != nullptr)
                handles.push_back(std::exchange(each.handle, nullptr));
    }
    std::vector<std::jthread> threads;
    for (nccl::Communicator handle : handles)
        threads.emplace_back([this, handle] { m_state->library.abort(handle); });
}

} // namespace engine::cuda
