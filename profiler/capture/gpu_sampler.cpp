#include "profiler/capture/gpu_sampler.h"

#include "engine/base/clock.h"

#include <set>
#include <string_view>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

constexpr auto kIdle = static_cast<std::uint64_t>(Throttle::Idle);

template<class Number, class Call>
Number valueOf(Call call)
{
    Number value{};
    return call(&value) == 0 ? value : Number{};
}

} // namespace

Result<std::unique_ptr<GpuSampler>>
GpuSampler::start(const NvmlApi& nvml, std::span<const Gpu> gpus, std::chrono::milliseconds every)
{
    if (const auto status = nvml.init(); status != 0)
        return fail(Error::Code::Device, "NVML cannot be started: {}", nvml.errorString(status));
    std::vector<Handle> handles;
    NvmlApi::Status last = 0;
    std::set<std::string_view> buses;
    for (const Gpu& gpu : gpus) {
        if (!buses.insert(gpu.bus).second)
            continue;
        Handle handle{gpu.device, nullptr};
        const auto status = nvml.deviceByBus(gpu.bus.c_str(), &handle.nvml);
        last = status != 0 ? status : last;
        if (status == 0)
            handles.push_back(handle);
    }
    if (handles.empty()) {
        nvml.shutdown();
        return fail(Error::Code::Device, "NVML does not find the GPUs of this run: {}",
                    last == 0 ? "no GPUs" : nvml.errorString(last));
    }
    return std::unique_ptr<GpuSampler>(new GpuSampler(nvml, std::move(handles), every));
}

GpuSampler::GpuSampler(const NvmlApi& nvml, std::vector<Handle> handles,
                       std::chrono::milliseconds every)
    : m_nvml(nvml)
    , m_handles(std::move(handles))
    , m_thread([this, every] { loop(every); })
{ }

GpuSampler::~GpuSampler()
{
    stop();
}

void GpuSampler::loop(std::chrono::milliseconds every)
{
    std::unique_lock lock(m_mutex);
    do {
        lock.unlock();
        sample();
        lock.lock();
    } while (!m_stop.wait_for(lock, every, [this] { return m_stopping; }));
}

void GpuSampler::sample()
{
    for (const Handle& handle : m_handles) {
        GpuSample sample;
        const auto clock = [&](NvmlApi::Clock which) {
            return valueOf<unsigned>(
                [&](unsigned* out) { return m_nvml.clock(handle.nvml, which, out); });
        };
        sample.device = handle.device;
        sample.smClock = clock(NvmlApi::SmClock);
        sample.memoryClock = clock(NvmlApi::MemoryClock);
        sample.power
            = valueOf<unsigned>([&](unsigned* out) { return m_nvml.power(handle.nvml, out); });
        sample.temperature = valueOf<unsigned>([&](unsigned* out) {
            return m_nvml.temperature(handle.nvml, NvmlApi::kGpuSensor, out);
        });
        sample.throttle = valueOf<unsigned long long>(
            [&](unsigned long long* out) { return m_nvml.throttle(handle.nvml, out); });
        sample.time = wallTime();
        const std::lock_guard lock(m_mutex);
        m_new.push_back(sample);
        if (sample.smClock == 0 || (sample.throttle & kIdle) != 0)
            // An idle GPU lowers its clocks by design, so idle samples do not count.
            continue;
        ++m_clocks[static_cast<int>(sample.smClock)];
        m_throttle |= sample.throttle;
    }
}

std::vector<GpuSample> GpuSampler::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_new, {});
}

GpuClocks GpuSampler::finish()
{
    stop();
    GpuClocks clocks;
    if (m_clocks.empty()) {
        clocks.reason = "the GPUs were idle in all samples";
        return clocks;
    }
    for (const auto& [megahertz, count] : m_clocks)
        clocks.samples += count;
    clocks.least = m_clocks.begin()->first;
    clocks.most = m_clocks.rbegin()->first;
    clocks.throttle = m_throttle;
    std::int64_t below = 0;
    for (const auto& [megahertz, count] : m_clocks) {
        below += count;
        if (below > (clocks.samples - 1) / 2) {
            clocks.median = megahertz;
            break;
        }
    }
    return clocks;
}

void GpuSampler::stop()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_stop.notify_all();
    m_thread.join();
    m_nvml.shutdown();
}

} // namespace profiler
