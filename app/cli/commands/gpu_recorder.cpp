#include "app/cli/commands/gpu_recorder.h"

#include "app/cli/text/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

// The capture of this process. It is global, because NVTX callbacks have no user data.
std::atomic<Capture*> capturing = nullptr;

void streamNamed(void* stream, const char* name)
{
    if (Capture* const capture = capturing.load(); capture != nullptr)
        capture->nameStream(stream, name);
}

TraceLevel levelOf(Trace trace, Backend backend)
{
    constexpr EnumArray<Trace, TraceLevel, 5> kLevels{
        {TraceLevel::Ops, TraceLevel::Off, TraceLevel::Ops, TraceLevel::Kernels, TraceLevel::All}};
    return trace == Trace::Auto && backend == Backend::Cuda ? TraceLevel::Kernels : kLevels[trace];
}

} // namespace

GpuRecorder::GpuRecorder(Trace trace, Backend backend)
    : m_level(levelOf(trace, backend))
    , m_backend(backend)
{
    if (m_level < TraceLevel::Kernels)
        return;
    if (backend == Backend::Cuda)
        startCapture();
    else
        m_notes.push_back(fmt::format(
            "--trace {} records GPU activity, but this run uses the CPU; only ops are recorded",
            traceLevelName(m_level)));
}

GpuRecorder::~GpuRecorder()
{
    capturing = nullptr;
}

void GpuRecorder::startCapture()
{
    auto capture = profiler::startCapture(m_level);
    if (!capture) {
        m_notes.push_back(
            fmt::format("kernels are not recorded, only ops: {}", capture.error().message));
        return;
    }
    m_capture = std::move(*capture);
    capturing = m_capture.get();
    if (auto ranges = RangeRecorder::start(streamNamed))
        m_ranges.emplace(*ranges);
    else
        m_notes.push_back(ranges.error().message);
}

std::string GpuRecorder::timingSuffix() const
{
    return m_capture ? fmt::format("; kernels by {}", m_capture->version()) : "";
}

GpuMachine GpuRecorder::begin(const Run& run)
{
    m_marks.emplace(run.schedule, nvtxGrammarNamed(run.info.nvtxGrammar));
    if (run.info.transport == "nccl")
        m_nccl.emplace(run.schedule);
    if (m_backend != Backend::Cuda)
        return {};
    GpuMachine machine = gpuMachine(cudaReport(), run);
    if (!isOff())
        startSampling(machine);
    return machine;
}

void GpuRecorder::startSampling(GpuMachine& machine)
{
    std::vector<GpuSampler::Gpu> gpus;
    for (const GpuFacts& gpu : machine.gpus)
        gpus.push_back({static_cast<std::uint32_t>(gpu.device), gpu.bus});
    auto sampler
        = loadNvml().and_then([&](const NvmlApi& nvml) { return GpuSampler::start(nvml, gpus); });
    if (sampler)
        m_sampler = std::move(*sampler);
    else
        machine.clocks.reason = sampler.error().message;
}

LaunchHooks GpuRecorder::hooks()
{
    // CUPTI gets the launches of all data-parallel copies. Otherwise it would report kernels of the
    // other copies as kernels without an op. The launch log and the NVTX marks get only the
    // launches of the first copy.
    thread_local bool isRecorded = false;
    return {[this](OpOfIteration op) {
                isRecorded = !op.isOtherCopys();
                if (isRecorded) {
                    m_marks->begin(op);
                    if (m_capture)
                        m_launches.begin(op);
                }
                if (m_capture)
                    m_capture->push(op);
            },
            [this] {
                if (m_capture)
                    m_capture->pop();
                if (!isRecorded)
                    return;
                if (m_capture)
                    m_launches.end();
                m_marks->end();
            }};
}

void GpuRecorder::timed(std::span<const OpTiming> timings)
{
    if (m_capture || m_sampler)
        for (const OpTiming& timing : timings)
            m_measured.push_back(
                {{timing.op, timing.iteration}, {timing.wallBegin, timing.wallEnd}});
}

// Adds the records that do not come from CUPTI: clock samples, NVTX ranges and launches.
void GpuRecorder::addRest(GpuTrace& trace)
{
    if (m_sampler)
        trace.samples = m_sampler->take();
    trace.launches = m_launches.take();
    if (m_nccl)
        m_nccl->link(trace);
    if (m_ranges)
        m_ranges->addTo(trace);
    linkRanges(trace.ranges, trace.launches);
}

std::string GpuRecorder::missing() const
{
    return missingText(m_kernels, m_health);
}

GpuTrace GpuRecorder::placed(GpuTrace trace, const Run& run)
{
    m_kernels += trace.kernels.size();
    addRest(trace);
    assignWindows(trace, run);
    const auto measured = std::exchange(m_measured, {});
    if (run.info.mode == Mode::Live) {
        if (!m_origin)
            m_origin = originOf(run, measured);
        moveBy(trace, -m_origin.value_or(0));
    } else {
        trace = placeOnTimeline(std::move(trace), run, measured);
    }
    m_health += trace.health;
    return trace;
}

GpuTrace GpuRecorder::take(const Run& run)
{
    return placed(m_capture ? m_capture->take() : GpuTrace{}, run);
}

GpuTrace GpuRecorder::finish(const Run& run)
{
    clocks(); // stops the sampler, so that addRest() stores its last samples
    return placed(m_capture ? m_capture->finish() : GpuTrace{}, run);
}

namespace {

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Joins the different texts in CudaDevice::fallback of all GPUs.
std::string fallbackOf(const CudaReport& cuda)
{
    std::string all;
    for (const CudaDevice& device : cuda.devices)
        if (all.find(device.fallback) == std::string::npos)
            all += (all.empty() ? "" : "; ") + device.fallback;
    return all;
}

GpuFacts factsOf(const CudaDevice& device, int number)
{
    return {number, device.name, device.bus, device.uuid, device.numbers};
}

} // namespace

GpuMachine gpuMachine(const CudaReport& cuda, const Run& run)
{
    GpuMachine machine;
    if (cuda.devices.empty())
        return machine;
    const int devices = run.schedule.shape.devices;
    if (run.info.mode == Mode::Emulate)
        for (int d = 0; d < devices; ++d) {
            GpuFacts& facts = machine.gpus.emplace_back(factsOf(cuda.devices.front(), d));
            facts.name += fmt::format(" (emulated, {} of {})", d + 1, devices);
        }
    else
        for (std::size_t i = 0; i < cuda.devices.size(); ++i)
            machine.gpus.push_back(factsOf(cuda.devices[i], static_cast<int>(i)));
    machine.peers = cuda.peers;
    const auto set = [&](const char* name, const std::string& value) {
        if (!value.empty())
            machine.settings.emplace_back(name, value);
    };
    set("cuda_driver", cuda.driver);
    set("cuda_runtime", cuda.runtime);
    for (const CudaLibrary& library : cuda.libraries)
        set(library.name == "NVML" ? "nvidia_driver" : lowerCase(library.name).c_str(),
            library.version);
    set("module_loading", cuda.moduleLoading);
    set("tf32", cuda.tf32);
    set("fallback", fallbackOf(cuda));
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS"})
        if (const char* value = std::getenv(name); value != nullptr)
            set(name, value);
    return machine;
}

} // namespace cli
