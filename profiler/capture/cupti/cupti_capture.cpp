#include "profiler/capture/cupti/cupti_capture.h"

#include "engine/base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace profiler {

using namespace engine;

std::uint8_t* BufferPool::take()
{
    const std::lock_guard lock(m_mutex);
    if (!m_free.empty()) {
        std::uint8_t* data = m_free.back();
        m_free.pop_back();
        return data;
    }
    if (m_all.size() == m_size.limit) {
        ++m_declined;
        return nullptr;
    }
    m_all.push_back(
        std::make_unique<std::uint64_t[]>((m_size.bytes + kBeyond) / sizeof(std::uint64_t)));
    return reinterpret_cast<std::uint8_t*>(m_all.back().get()); // NOLINT: CUPTI takes bytes
}

void BufferPool::complete(std::uint8_t* data, std::size_t valid)
{
    const std::lock_guard lock(m_mutex);
    m_completed.push_back({data, valid});
}

std::vector<BufferPool::Full> BufferPool::completed()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_completed, {});
}

void BufferPool::recycle(const Full& buffer)
{
    std::memset(buffer.data, 0, buffer.valid); // bytes from `valid` on are still zero
    const std::lock_guard lock(m_mutex);
    m_free.push_back(buffer.data);
}

std::int64_t BufferPool::declined() const
{
    const std::lock_guard lock(m_mutex);
    return m_declined;
}

namespace {

// The version of CUPTI in CUDA 12.9. Older versions crash if requestBuffer() returns no buffer.
constexpr std::uint32_t kOldestVersion = 27;

std::atomic<BufferPool*> bufferPool = nullptr; // never freed, see CuptiCapture
std::atomic<bool> isCapturing = false;

void requestBuffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records)
{
    *buffer = bufferPool.load()->take();
    *bytes = *buffer == nullptr ? 0 : bufferPool.load()->bytes();
    *records = 0; // no limit on the number of records
}

void completeBuffer(cupti::ContextHandle, std::uint32_t, std::uint8_t* buffer, std::size_t,
                    std::size_t valid)
{
    if (buffer != nullptr)
        bufferPool.load()->complete(buffer, valid);
}

// The clock of the host's spans. It replaces CUPTI's default, CLOCK_REALTIME.
std::uint64_t monotonicNow()
{
    return static_cast<std::uint64_t>(wallTime());
}

void ignoreCallback(void*, cupti::CallDomain, cupti::CallId, const void*) { }

constexpr std::array kKernelKinds{cupti::Kind::ExternalCorrelation, cupti::Kind::ConcurrentKernel,
                                  cupti::Kind::Memcpy, cupti::Kind::PeerMemcpy,
                                  cupti::Kind::Memset};
constexpr std::array kOtherKinds{
    cupti::Kind::Context,         cupti::Kind::Stream, cupti::Kind::Runtime, cupti::Kind::Driver,
    cupti::Kind::Synchronization, cupti::Kind::Memory, cupti::Kind::Overhead};

// The calls that start work on a GPU. They are a tenth of all calls, and recording them is
// sufficient to link GPU work to its op. From CUDA 13 on, <<<>>> (as used by cuBLASLt and NCCL)
// calls __cudaLaunchKernel (crt/device_functions.h).
constexpr std::array kLaunchesOfRuntime{cupti::runtime_call::cudaLaunchKernel_v7000,
                                        cupti::runtime_call::cudaLaunchKernel_ptsz_v7000,
                                        cupti::runtime_call::cudaLaunchKernel_v13000,
                                        cupti::runtime_call::cudaLaunchKernel_ptsz_v13000,
                                        cupti::runtime_call::cudaLaunchKernelExC_v11060,
                                        cupti::runtime_call::cudaLaunchKernelExC_ptsz_v11060,
                                        cupti::runtime_call::cudaLaunchCooperativeKernel_v9000,
                                        cupti::runtime_call::cudaMemcpyAsync_v3020,
                                        cupti::runtime_call::cudaMemcpy2DAsync_v3020,
                                        cupti::runtime_call::cudaMemcpyPeerAsync_v4000,
                                        cupti::runtime_call::cudaMemsetAsync_v3020,
                                        cupti::runtime_call::cudaMemset2DAsync_v3020,
                                        cupti::runtime_call::cudaGraphLaunch_v10000};
constexpr std::array kLaunchesOfDriver{cupti::driver_call::cuLaunchKernel,
                                       cupti::driver_call::cuLaunchKernel_ptsz,
                                       cupti::driver_call::cuLaunchKernelEx,
                                       cupti::driver_call::cuLaunchKernelEx_ptsz,
                                       cupti::driver_call::cuLaunchCooperativeKernel,
                                       cupti::driver_call::cuMemcpyAsync,
                                       cupti::driver_call::cuMemcpyDtoDAsync_v2,
                                       cupti::driver_call::cuMemcpy2DAsync_v2,
                                       cupti::driver_call::cuMemcpyPeerAsync,
                                       cupti::driver_call::cuMemsetD8Async,
                                       cupti::driver_call::cuMemsetD16Async,
                                       cupti::driver_call::cuMemsetD32Async,
                                       cupti::driver_call::cuMemsetD2D8Async,
                                       cupti::driver_call::cuMemsetD2D32Async,
                                       cupti::driver_call::cuGraphLaunch};

} // namespace

Result<std::unique_ptr<Capture>> CuptiCapture::start(const CuptiApi& api, TraceLevel level,
                                                     BufferPool::Size buffers)
{
    if (level < TraceLevel::Kernels)
        return invalid("this trace level does not need CUPTI");
    std::uint32_t version = 0;
    if (api.getVersion(&version) != cupti::Status::Success || version < kOldestVersion)
        return fail(Error::Code::Device,
                    "CUPTI {} is older than CUDA 12.9, so only ops are timed, with "
                    "CUDA events: update the toolkit to record kernels",
                    version);
    if (isCapturing.exchange(true))
        return fail(Error::Code::Device,
                    "this process is already recording; only one capture is possible at a time");
    if (bufferPool.load() == nullptr)
        bufferPool = new BufferPool(buffers); // NOLINT: see the class
    std::unique_ptr<CuptiCapture> capture(new CuptiCapture(api, version, *bufferPool.load()));
    if (auto ready = capture->subscribe().and_then([&] { return capture->enable(level); }); !ready)
        return tl::unexpected(ready.error());
    return capture;
}

CuptiCapture::CuptiCapture(const CuptiApi& api, std::uint32_t version, BufferPool& pool)
    : m_api(api)
    , m_version(version)
    , m_pool(pool)
    , m_parser(m_api)
    , m_declinedBefore(pool.declined())
{ }

CuptiCapture::~CuptiCapture()
{
    stop();
    for (const BufferPool::Full& buffer : m_pool.completed()) // records not yet taken
        m_pool.recycle(buffer);
    isCapturing = false;
}

// Called before any CUPTI function except getVersion(), because two clients that record without a
// subscription corrupt each other's records.
Result<void> CuptiCapture::subscribe()
{
    std::array<char, cupti::kSubscriberNameBytes> other{};
    cupti::SubscriberParams params{};
    params.subscriberName = "Bubblescope";
    params.oldSubscriberName = other.data();
    params.oldSubscriberSize = other.size();
    const auto status = m_api.subscribe(&m_subscriber, ignoreCallback, nullptr, &params);
    if (status == cupti::Status::Success)
        return {};
    m_subscriber = nullptr;
    return fail(Error::Code::Device, whyNot(m_api, status, other.data()));
}

Result<void> CuptiCapture::enable(TraceLevel level)
{
    std::uint8_t zeroed = 1;
    std::size_t size = sizeof zeroed;
    cupti::Status status
        = m_api.setAttribute(cupti::Attribute::ZeroedOutActivityBuffer, &size, &zeroed);
    const auto then
        = [&status](auto call) { status = status == cupti::Status::Success ? call() : status; };
    then([&] { return m_api.registerTimestamp(monotonicNow); });
    then([&] { return m_api.registerBuffers(requestBuffer, completeBuffer); });
    std::vector<cupti::Kind> kinds(kKernelKinds.begin(), kKernelKinds.end());
    if (level == TraceLevel::All)
        kinds.insert(kinds.end(), kOtherKinds.begin(), kOtherKinds.end());
    for (const cupti::Kind kind : kinds)
        then([&] {
            m_enabled.push_back(kind);
            return m_api.enable(kind);
        });
    if (level == TraceLevel::Kernels)
        then([&] { return recordLaunches(1); });
    if (status == cupti::Status::Success)
        return {};
    return fail(Error::Code::Device, whyNot(m_api, status, {}));
}

// An older CUPTI rejects the ids of newer calls. This is not a failure, because programs that use
// this CUPTI do not make these calls.
cupti::Status CuptiCapture::recordLaunches(std::uint8_t enable)
{
    m_launchesOnly = enable != 0;
    cupti::Status worst = cupti::Status::Success;
    const auto note = [&worst](cupti::Status status) {
        worst = std::max(
            worst, status == cupti::Status::InvalidParameter ? cupti::Status::Success : status);
    };
    for (const auto call : kLaunchesOfRuntime)
        note(m_api.enableRuntimeCall(call, enable));
    for (const auto call : kLaunchesOfDriver)
        note(m_api.enableDriverCall(call, enable));
    return worst;
}

void CuptiCapture::push(OpOfIteration op)
{
    m_api.pushId(cupti::ExternalKind::Custom0, externalId(op));
}

void CuptiCapture::pop()
{
    std::uint64_t last = 0;
    m_api.popId(cupti::ExternalKind::Custom0, &last);
}

void CuptiCapture::nameStream(void* stream, const char* name)
{
    if (m_api.contextId == nullptr || m_api.streamId == nullptr || m_api.deviceId == nullptr
        || m_api.contextOfStream == nullptr)
        return;
    cupti::ContextHandle context = nullptr;
    NamedStream named{name, 0, 0, 0};
    const auto handle = static_cast<cupti::StreamHandle>(stream);
    if (m_api.contextOfStream(handle, &context) != cupti::DriverStatus::Success
        || m_api.contextId(context, &named.context) != cupti::Status::Success
        || m_api.streamId(context, handle, 0, &named.stream) != cupti::Status::Success
        || m_api.deviceId(context, &named.device) != cupti::Status::Success)
        return;
    const std::lock_guard lock(m_mutex);
    m_named.push_back(std::move(named));
}

void CuptiCapture::parseCompleted()
{
    for (const BufferPool::Full& buffer : m_pool.completed()) {
        m_parser.parse(buffer.data, buffer.valid);
        m_pool.recycle(buffer);
    }
}

GpuTrace CuptiCapture::collect(bool isLast)
{
    parseCompleted();
    std::size_t dropped = 0;
    m_api.droppedRecords(nullptr, 0, &dropped);
    GpuTrace trace = m_parser.take(isLast);
    {
        const std::lock_guard lock(m_mutex);
        for (NamedStream& each : std::exchange(m_named, {})) {
            trace.streamNames.push_back({static_cast<std::uint32_t>(trace.strings.size()),
                                         each.stream, each.context, each.device});
            trace.strings.push_back(std::move(each.name));
        }
    }
    trace.health.dropped = dropped;
    trace.health.declinedBuffers
        = m_pool.declined() - std::exchange(m_declinedBefore, m_pool.declined());
    return trace;
}

GpuTrace CuptiCapture::take()
{
    m_api.flushAll(0);
    return collect(false);
}

GpuTrace CuptiCapture::finish()
{
    m_api.flushAll(0);
    stop();
    return collect(true);
}

// Stops recording and makes CUPTI return incomplete buffers. CUPTI stays loaded, because unloading
// it can crash running programs.
void CuptiCapture::stop()
{
    if (std::exchange(m_stopped, true))
        return;
    if (!m_enabled.empty())
        m_api.flushAll(cupti::kFlushForced);
    for (const cupti::Kind kind : m_enabled)
        m_api.disable(kind);
    if (m_launchesOnly)
        recordLaunches(0);
    if (m_subscriber != nullptr)
        m_api.unsubscribe(m_subscriber);
}

std::string CuptiCapture::version() const
{
    return fmt::format("CUPTI {}", m_version);
}

namespace {
constexpr EnumArray<TraceLevel, std::string_view, 4> kLevels{"off", "ops", "kernels", "all"};
}

std::string_view traceLevelName(TraceLevel level)
{
    return kLevels[level];
}

Result<std::unique_ptr<Capture>> startCapture(TraceLevel level)
{
    return loadCupti().and_then(
        [&](const CuptiApi& api) { return CuptiCapture::start(api, level); });
}

} // namespace profiler
