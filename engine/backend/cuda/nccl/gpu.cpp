#include "engine/backend/cuda/nccl.h"
#include "engine/backend/cuda/nccl/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace engine::cuda {

namespace {

constexpr std::chrono::microseconds kGlance{50}; // between two looks at what NCCL is about

ncclDataType_t typeOf(NcclType type)
{
    switch (type) {
    case NcclType::Float32:
        return ncclFloat32;
    case NcclType::Bfloat16:
        return ncclBfloat16;
    case NcclType::Int64:
        return ncclInt64;
    case NcclType::Byte:
        break;
    }
    return ncclUint8;
}

bool isTaken(ncclResult_t status)
{
    return status == ncclSuccess || status == ncclInProgress;
}

} // namespace

NcclId makeNcclId(const NcclFunctions& nccl)
{
    ncclUniqueId made{};
    if (const ncclResult_t status = nccl.getUniqueId(&made); status != ncclSuccess)
        throw std::runtime_error(
            fmt::format("NCCL makes no communicator: {}", nccl.errorString(status)));
    NcclId id{};
    static_assert(sizeof id == sizeof made.internal);
    std::memcpy(id.data(), made.internal, sizeof made.internal);
    return id;
}

// The lock is held around every call of NCCL, so that abort() never takes a communicator from under
// one; none of the calls waits.
struct NcclGpu::State
{
    struct Communicator
    {
        ncclComm_t handle = nullptr;
        std::string name;
    };

    State(const NcclFunctions& functions, std::chrono::milliseconds howLong)
        : nccl(functions)
        , patience(howLong)
    { }

    const NcclFunctions& nccl;
    std::chrono::milliseconds patience;
    std::thread::id thread = std::this_thread::get_id();
    std::mutex mutex;                       // guards what follows
    std::deque<Communicator> communicators; // NCCL writes handles late: they stay where they are
    bool aborted = false;

    using Lock = std::unique_lock<std::mutex>;

    // For a call of NCCL, from the right thread, while there is something to call.
    Lock open()
    {
        if (std::this_thread::get_id() != thread)
            throw std::logic_error("NCCL is called from one thread a GPU, and this is another");
        Lock lock(mutex);
        if (aborted)
            throw std::runtime_error("NCCL was aborted");
        return lock;
    }

    void require(ncclResult_t status, const Communicator& communicator, const char* what) const
    {
        if (isTaken(status))
            return;
        const char* more = nccl.lastError(communicator.handle);
        throw std::runtime_error(
            fmt::format("NCCL, {}: {}: {}{}", communicator.name, what, nccl.errorString(status),
                        more == nullptr || *more == '\0' ? "" : fmt::format(" ({})", more)));
    }

    // Whether NCCL has finished what it was last asked for.
    bool isSettled(std::size_t index, const char* what)
    {
        const Lock lock = open();
        const Communicator& communicator = communicators.at(index);
        ncclResult_t state = ncclSuccess;
        require(nccl.asyncError(communicator.handle, &state), communicator, what);
        require(state, communicator, what);
        return state == ncclSuccess;
    }

    void settle(std::size_t index, const char* what)
    {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!isSettled(index, what)) {
            if (std::chrono::steady_clock::now() >= deadline)
                throw std::runtime_error(
                    fmt::format("NCCL, {}: {}: not done after {} ms; another rank did not come",
                                communicators[index].name, what, patience.count()));
            std::this_thread::sleep_for(kGlance);
        }
    }

    // A group that was begun is always ended: otherwise the next one would nest in it.
    void enqueue(std::span<const NcclCall> together)
    {
        const auto lock = open();
        for (const NcclCall& call : together)
            if (call.communicator >= communicators.size())
                throw std::logic_error("NCCL is called on a communicator that was never joined");
        std::size_t last = 0;
        require(nccl.groupStart(), of(together[last]), "a group");
        ncclResult_t status = ncclSuccess;
        for (std::size_t i = 0; i < together.size() && isTaken(status); ++i)
            status = enqueue(together[last = i]);
        const ncclResult_t ended = nccl.groupEnd();
        require(status, of(together[last]), "a call");
        require(ended, of(together[last]), "a group");
    }

    const Communicator& of(const NcclCall& call) const { return communicators[call.communicator]; }

    ncclResult_t enqueue(const NcclCall& call) const
    {
        const ncclComm_t handle = of(call).handle;
        const ncclDataType_t type = typeOf(call.type);
        switch (call.kind) {
        case NcclCall::Kind::Send:
            return nccl.send(call.from, call.count, type, call.peer, handle, call.stream);
        case NcclCall::Kind::Receive:
            return nccl.receive(call.to, call.count, type, call.peer, handle, call.stream);
        case NcclCall::Kind::Sum:
            break;
        }
        return nccl.allReduce(call.from, call.to, call.count, type, ncclSum, handle, call.stream);
    }
};

NcclGpu::NcclGpu(const NcclFunctions& nccl, std::chrono::milliseconds patience)
    : m_state(std::make_unique<State>(nccl, patience))
{ }

NcclGpu::~NcclGpu()
{
    abort();
}

std::size_t NcclGpu::join(const Membership& membership)
{
    const auto lock = m_state->open();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (membership.channels > 0)
        config.maxCTAs = membership.channels;
    ncclUniqueId id{};
    std::memcpy(id.internal, membership.id.data(), membership.id.size());
    State::Communicator& made = m_state->communicators.emplace_back();
    made.name = membership.name;
    config.commName = made.name.c_str();
    const ncclResult_t status
        = m_state->nccl.initRank(&made.handle, membership.ranks, id, membership.rank, &config);
    m_state->require(status, made, "joining");
    return m_state->communicators.size() - 1;
}

bool NcclGpu::isJoined(std::size_t communicator)
{
    return m_state->isSettled(communicator, "joining");
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
            m_state->require(m_state->nccl.finalize(each.handle), each, "leaving");
        }
        m_state->settle(i, "leaving");
    }
    const auto lock = m_state->open();
    for (State::Communicator& each : m_state->communicators)
        m_state->nccl.destroy(std::exchange(each.handle, nullptr));
    m_state->communicators.clear();
}

void NcclGpu::abort() noexcept
{
    const State::Lock lock(m_state->mutex);
    m_state->aborted = true;
    for (State::Communicator& each : m_state->communicators)
        if (each.handle != nullptr)
            m_state->nccl.abort(std::exchange(each.handle, nullptr));
}

} // namespace engine::cuda
