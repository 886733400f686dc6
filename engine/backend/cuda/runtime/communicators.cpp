#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/backend/cuda/runtime/queue.h"
#include "engine/backend/cuda_device.h"
#include "engine/base/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace engine::cuda {
namespace {

constexpr std::chrono::microseconds kGlance{50};
constexpr std::chrono::milliseconds kLook{1}; // polling interval for progress and cancellation

const std::atomic<bool> kNever{false};

class NcclCommunicators final : public DeviceCommunicators
{
public:
    NcclCommunicators(const NcclFunctions& library,
                      const IdVector<DeviceId, const Device*>& devices,
                      const std::vector<CommunicatorPlan>& plans, const std::atomic<bool>& cancel,
                      std::chrono::milliseconds patience)
        : m_plans(plans)
        , m_patience(patience)
    {
        for (const CommunicatorPlan& plan : plans)
            requireGpuEach(devices, plan);
        for (const Device* device : devices)
            m_gpus.emplace_back(*device, library, patience);
        for (std::size_t i = 0; i < plans.size(); ++i)
            m_ids.push_back(makeNcclId(library));
        try {
            onEachGpu([this](Gpu& gpu, DeviceId self) { join(gpu, self); }, cancel);
            onEachGpu([this](Gpu& gpu, DeviceId self) { connect(gpu, self); }, cancel);
        } catch (...) {
            joinAborting();
            throw;
        }
    }
    ~NcclCommunicators() override
    {
        try {
            onEachGpu([](Gpu& gpu, DeviceId) { gpu.nccl.leave(); }, kNever);
        } catch (const std::exception&) { // a communicator that cannot be finalized is aborted
        }
        joinAborting();
    }

    void send(DeviceId self, std::size_t communicator, std::span<const std::byte> from,
              DeviceQueue& queue) override
    {
        issue(self, communicator,
              {.kind = NcclCall::Kind::Send,
               .from = from.data(),
               .count = from.size(),
               .type = NcclType::Byte},
              queue);
    }
    void receive(DeviceId self, std::size_t communicator, std::span<std::byte> to,
                 DeviceQueue& queue) override
    {
        issue(self, communicator,
              {.kind = NcclCall::Kind::Receive,
               .to = to.data(),
               .count = to.size(),
               .type = NcclType::Byte},
              queue);
    }
    void sum(DeviceId self, std::size_t communicator, std::span<float> numbers,
             DeviceQueue& queue) override
    {
        sum(self, communicator, numbers.data(), {numbers.size(), NcclType::Float32}, queue);
    }
    void sum(DeviceId self, std::size_t communicator, std::span<std::int64_t> numbers,
             DeviceQueue& queue) override
    {
        sum(self, communicator, numbers.data(), {numbers.size(), NcclType::Int64}, queue);
    }

    void poll() override
    {
        for (Gpu& gpu : m_gpus)
            gpu.nccl.poll();
    }

    // Aborts on all GPUs at the same time, because a GPU may still use memory that another one
    // frees.
    void abort() noexcept override
    {
        const std::lock_guard lock(m_abortMutex);
        if (!m_aborting.empty())
            return;
        for (Gpu& gpu : m_gpus)
            m_aborting.emplace_back([&gpu] { gpu.nccl.abort(); });
    }

private:
    struct Place // a GPU in a communicator
    {
        std::size_t number = 0; // index from NcclGpu::join()
        int rank = 0;
    };
    struct Gpu
    {
        Gpu(const Device& own, const NcclFunctions& library, std::chrono::milliseconds patience)
            : device(own)
            , nccl(library, patience)
        { }

        const Device& device;
        NcclGpu nccl;
        std::map<std::size_t, Place> places; // [communicator]
    };
    struct Numbers
    {
        std::size_t count = 0;
        NcclType type = NcclType::Byte;
    };

    static void requireGpuEach(const IdVector<DeviceId, const Device*>& devices,
                               const CommunicatorPlan& plan)
    {
        std::map<int, DeviceId> seen;
        for (const DeviceId rank : plan.ranks) {
            const int gpu = devices.at(rank)->gpu();
            if (const auto [other, isNew] = seen.emplace(gpu, rank); !isNew)
                throw std::runtime_error(fmt::format(
                    "NCCL supports one rank per GPU, but devices {} and {} are both on GPU {}",
                    other->second.value, rank.value, gpu));
        }
    }

    // Runs `work` on one thread per GPU, because ranks wait for each other. Meanwhile this thread
    // polls `cancel`. If a thread throws, all ranks are aborted and the first exception is
    // rethrown.
    template<class Work>
    void onEachGpu(const Work& work, const std::atomic<bool>& cancel)
    {
        std::exception_ptr first;
        std::mutex mutex;
        std::atomic<std::size_t> working{m_gpus.size()};
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < m_gpus.size(); ++i)
                threads.emplace_back([&, i] {
                    try {
                        m_gpus[i].device.bindThread();
                        work(m_gpus[i], DeviceId{static_cast<std::int32_t>(i)});
                    } catch (...) {
                        const std::lock_guard lock(mutex);
                        if (!first)
                            first = std::current_exception();
                        abort();
                    }
                    --working;
                });
            for (; working > 0; std::this_thread::sleep_for(kLook))
                if (cancel.load(std::memory_order_relaxed))
                    abort();
        }
        // Also checked if no thread threw: an aborted call ends as if it had completed.
        if (cancel.load(std::memory_order_relaxed))
            throw Cancelled("cancelled while the GPUs joined NCCL communicators");
        if (first)
            std::rethrow_exception(first);
    }

    // Joins the communicators in the order of the plans on every GPU, so that two GPUs never wait
    // for each other at different communicators.
    void join(Gpu& gpu, DeviceId self)
    {
        for (std::size_t i = 0; i < m_plans.size(); ++i) {
            const CommunicatorPlan& plan = m_plans[i];
            const auto own = std::ranges::find(plan.ranks, self);
            if (own == plan.ranks.end())
                continue;
            const int rank = static_cast<int>(own - plan.ranks.begin());
            const std::size_t number
                = gpu.nccl.join({m_ids[i], rank, static_cast<int>(plan.ranks.size()), plan.name,
                                 channelsOf(plan.carries)});
            gpu.nccl.waitUntilJoined();
            gpu.places[i] = {number, rank};
        }
    }

    // NCCL connects two ranks at their first call, and each rank then blocks its host thread.
    // Therefore every communicator transfers a few bytes here, in the same order on every GPU.
    void connect(Gpu& gpu, DeviceId self)
    {
        constexpr std::size_t kSmall = 256;
        const DeviceMemory memory = gpu.device.allocate(kSmall);
        gpu.device.fill({memory.get(), kSmall}, std::byte{0});
        gpu.device.synchronize();
        const auto queue = gpu.device.makeQueue("connecting");
        const std::span<std::byte> small{memory.get(), 1};
        for (const auto& [i, place] : gpu.places)
            if (m_plans[i].carries == CommunicatorPlan::Carries::Sums)
                sum(self, i, std::span(reinterpret_cast<float*>(memory.get()), 1), *queue);
            else if (place.rank == 0)
                send(self, i, small, *queue);
            else
                receive(self, i, small, *queue);
        const auto end = gpu.device.makeEvent(Device::Timed::No);
        queue->record(*end);
        await(*end);
    }

    void await(const DeviceEvent& event)
    {
        const auto deadline = std::chrono::steady_clock::now() + m_patience;
        while (!event.hasPassed()) {
            poll();
            if (std::chrono::steady_clock::now() >= deadline)
                throw std::runtime_error(
                    fmt::format("NCCL did not complete a first transfer between these GPUs within "
                                "{} ms: set NCCL_DEBUG=INFO to see why, or use --transport peer",
                                m_patience.count()));
            std::this_thread::sleep_for(kGlance);
        }
    }

    void sum(DeviceId self, std::size_t communicator, void* memory, Numbers numbers,
             DeviceQueue& queue)
    {
        issue(self, communicator,
              {.kind = NcclCall::Kind::Sum,
               .from = memory,
               .to = memory,
               .count = numbers.count,
               .type = numbers.type},
              queue);
    }

    void issue(DeviceId self, std::size_t communicator, NcclCall call, DeviceQueue& queue)
    {
        Gpu& gpu = m_gpus.at(static_cast<std::size_t>(self.value));
        const Place& place = gpu.places.at(communicator);
        call.communicator = place.number;
        call.peer = 1 - place.rank; // only used by messages, which have two ranks
        call.stream = static_cast<CudaQueue&>(queue).get();
        gpu.nccl.issue({&call, 1});
    }

    void joinAborting()
    {
        const std::lock_guard lock(m_abortMutex);
        for (std::thread& each : m_aborting)
            if (each.joinable())
                each.join();
    }

    std::vector<CommunicatorPlan> m_plans;
    std::chrono::milliseconds m_patience;
    std::vector<NcclId> m_ids; // [communicator]
    std::deque<Gpu> m_gpus;    // [DeviceId]
    std::mutex m_abortMutex;
    std::vector<std::thread> m_aborting; // one per GPU; empty: no abort
};

} // namespace

std::unique_ptr<DeviceCommunicators>
joinCommunicators(const NcclFunctions& library, const IdVector<DeviceId, const Device*>& devices,
                  const std::vector<CommunicatorPlan>& plans, const std::atomic<bool>& cancel,
                  std::chrono::milliseconds patience)
{
    return std::make_unique<NcclCommunicators>(library, devices, plans, cancel, patience);
}

} // namespace engine::cuda

extern "C" __attribute__((visibility("default"))) bool bubblescope_cuda_nccl(std::string* reason)
{
    return engine::cuda::ncclFunctions(reason) != nullptr;
}

extern "C" __attribute__((visibility("default"))) engine::DeviceCommunicators*
bubblescope_cuda_join(const engine::IdVector<engine::DeviceId, const engine::Device*>& devices,
                      const std::vector<engine::CommunicatorPlan>& plans,
                      const std::atomic<bool>& cancel, std::string* reason)
try {
    const engine::cuda::NcclFunctions* library = engine::cuda::ncclFunctions(reason);
    return library == nullptr
        ? nullptr
        : engine::cuda::joinCommunicators(*library, devices, plans, cancel).release();
} catch (const std::exception& error) {
    *reason = error.what();
    return nullptr;
}
