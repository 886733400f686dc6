#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_facts.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/nvml/nvml_api.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace profiler {

// Samples the clocks, power, temperature and throttle reasons of GPUs on its own thread, from
// start() to finish(). Values that a GPU does not report are 0.
class GpuSampler
{
public:
    static constexpr std::chrono::milliseconds kEvery{100};

    struct Gpu
    {
        std::uint32_t device = 0; // see GpuSample::device
        std::string bus;          // "0000:19:00.0"
    };
    // A GPU that is listed several times is sampled once, as the first device: one GPU may emulate
    // all devices, and the parts of a GPU have the same bus.
    // Fails with Error::Code::Device if NVML cannot be started or finds none of the GPUs; the
    // message gives the reason.
    static engine::Result<std::unique_ptr<GpuSampler>>
    start(const NvmlApi& nvml, std::span<const Gpu> gpus, std::chrono::milliseconds every = kEvery);
    ~GpuSampler();
    GpuSampler(const GpuSampler&) = delete;
    GpuSampler& operator=(const GpuSampler&) = delete;

    // Since the last call, with times on CLOCK_MONOTONIC. Thread-safe.
    std::vector<engine::GpuSample> take();
    // Stops sampling. Returns a summary of all samples in which a GPU was not idle. Call take()
    // afterwards for the last samples.
    engine::GpuClocks finish();

private:
    struct Handle
    {
        std::uint32_t device = 0;
        NvmlApi::Device nvml = nullptr;
    };
    GpuSampler(const NvmlApi& nvml, std::vector<Handle> handles, std::chrono::milliseconds every);
    void loop(std::chrono::milliseconds every);
    void sample();
    void stop();

    NvmlApi m_nvml;
    std::vector<Handle> m_handles;
    std::mutex m_mutex; // protects the members below
    std::condition_variable m_stop;
    bool m_stopping = false;
    std::vector<engine::GpuSample> m_new;
    std::map<int, std::int64_t> m_clocks; // SM clock in MHz -> number of samples
    std::uint64_t m_throttle = 0;
    std::thread m_thread; // last member, because it uses the others
};

} // namespace profiler
