// libbubblescope_nvtx.so, an NVTX tool. When a module of the process (bscope, the CUDA plug-in,
// NCCL, cuDNN) creates its first range, NVTX loads the library that NVTX_INJECTION64_PATH names.
// The tool records the names of streams, and the ranges of all domains except bubblescope, whose
// ranges are the ops themselves.
#include "engine/base/clock.h"
#include "engine/base/version.h"
#include "engine/timeline/nvtx_range.h"
#include "profiler/capture/nvtx/recorded.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace {

using engine::GpuRange;
using profiler::RecordedRanges;

// Limit on the number of open ranges and on the number of ended ranges that take() has not
// returned; about 80 MB each.
constexpr std::size_t kMostRanges = std::size_t{1} << 20;
constexpr std::size_t kDeepest = 1024;

struct Domain
{
    std::uint32_t name = 0;
    bool isOurs = false;
};

std::uint32_t thisThread()
{
    thread_local const std::uint32_t id = syscall(SYS_gettid);
    return id;
}

// One object per process, never destroyed, because modules create ranges until the process ends.
class Recorder
{
public:
    static Recorder& get()
    {
        static auto* recorder = new Recorder; // NOLINT: see the class
        return *recorder;
    }

    Domain* domain(const char* name)
    {
        const std::lock_guard lock(m_mutex);
        const std::string text = name == nullptr ? "" : name;
        auto& known = m_domains[text];
        if (known == nullptr)
            known = new Domain{string(text), text == engine::kRangeDomain}; // NOLINT: as above
        return known;
    }

    std::uint32_t number(const char* text)
    {
        const std::lock_guard lock(m_mutex);
        return string(text == nullptr ? "" : text);
    }

    GpuRange opened(Domain* domain, const nvtxEventAttributes_t* attributes)
    {
        GpuRange range;
        range.window.begin = engine::wallTime();
        range.thread = thisThread();
        range.domain = domain->name;
        if (attributes == nullptr)
            return range;
        range.category = attributes->category;
        range.color = attributes->colorType == NVTX_COLOR_ARGB ? attributes->color : 0;
        if (attributes->payloadType == NVTX_PAYLOAD_TYPE_INT64
            || attributes->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64)
            range.payload = attributes->payload.llValue;
        if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
            range.text = number(attributes->message.ascii);
        else if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED) // see registered()
            range.text = static_cast<std::uint32_t>(
                reinterpret_cast<std::uintptr_t>(attributes->message.registered) - 1);
        return range;
    }

    void closed(GpuRange range)
    {
        range.window.end = engine::wallTime();
        const std::lock_guard lock(m_mutex);
        if (m_closed.size() < kMostRanges)
            m_closed.push_back(range);
        else
            ++m_dropped;
    }

    nvtxRangeId_t start(GpuRange range)
    {
        range.nests = false;
        const std::lock_guard lock(m_mutex);
        if (m_open.size() >= kMostRanges) {
            ++m_dropped;
            return 0; // no range has the id 0, so stop(0) does nothing
        }
        m_open.emplace(++m_lastId, range);
        return m_lastId;
    }

    void stop(nvtxRangeId_t id)
    {
        std::unique_lock lock(m_mutex);
        const auto found = m_open.find(id);
        if (found == m_open.end())
            return;
        const GpuRange range = found->second;
        m_open.erase(found);
        lock.unlock();
        closed(range);
    }

    void take(RecordedRanges& ranges)
    {
        const std::lock_guard lock(m_mutex);
        ranges.strings = m_strings;
        ranges.ranges = std::exchange(m_closed, {});
        ranges.dropped = std::exchange(m_dropped, 0);
    }

    void tellStreamsTo(profiler::StreamNamed named) { m_named = named; }
    void streamNamed(void* stream, const char* name)
    {
        if (const auto named = m_named.load(); named != nullptr && name != nullptr)
            named(stream, name);
    }

private:
    std::uint32_t string(const std::string& text)
    {
        const auto [known, isNew]
            = m_known.try_emplace(text, static_cast<std::uint32_t>(m_strings.size()));
        if (isNew)
            m_strings.push_back(text);
        return known->second;
    }

    std::mutex m_mutex; // protects the members below
    std::vector<std::string> m_strings;
    std::unordered_map<std::string, std::uint32_t> m_known;
    std::unordered_map<std::string, Domain*> m_domains;
    std::unordered_map<nvtxRangeId_t, GpuRange> m_open;
    std::vector<GpuRange> m_closed;
    std::int64_t m_dropped = 0; // since the last take()
    nvtxRangeId_t m_lastId = 0;

    std::atomic<profiler::StreamNamed> m_named = nullptr;
};

// The pushed ranges of one thread in one domain. The outermost kDeepest ranges are recorded; ranges
// nested deeper are only counted.
struct PushedRanges
{
    std::vector<GpuRange> recorded;
    int deeper = 0;

    int depth() const { return static_cast<int>(recorded.size()) + deeper; }
};
thread_local std::unordered_map<const Domain*, PushedRanges> pushedRanges;

int push(Domain* domain, const nvtxEventAttributes_t* attributes)
{
    if (domain->isOurs)
        return 0;
    PushedRanges& pushed = pushedRanges[domain];
    if (pushed.recorded.size() < kDeepest)
        pushed.recorded.push_back(Recorder::get().opened(domain, attributes));
    else
        ++pushed.deeper;
    return pushed.depth() - 1;
}

int pop(Domain* domain)
{
    if (domain->isOurs)
        return 0;
    PushedRanges& pushed = pushedRanges[domain];
    if (pushed.depth() == 0)
        return NVTX_NO_PUSH_POP_TRACKING;
    if (pushed.deeper > 0) {
        --pushed.deeper;
    } else {
        Recorder::get().closed(pushed.recorded.back());
        pushed.recorded.pop_back();
    }
    return pushed.depth();
}

Domain* of(nvtxDomainHandle_t handle)
{
    static Domain* const kNameless = Recorder::get().domain(nullptr);
    return handle == nullptr ? kNameless : reinterpret_cast<Domain*>(handle); // NOLINT: ours
}

nvtxEventAttributes_t named(const char* text)
{
    nvtxEventAttributes_t attributes{};
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    return attributes;
}

nvtxRangeId_t NVTX_API startIn(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes)
{
    Domain* const to = of(domain);
    return to->isOurs ? 0 : Recorder::get().start(Recorder::get().opened(to, attributes));
}
void NVTX_API stopIn(nvtxDomainHandle_t, nvtxRangeId_t id)
{
    Recorder::get().stop(id);
}
int NVTX_API pushIn(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes)
{
    return push(of(domain), attributes);
}
int NVTX_API popIn(nvtxDomainHandle_t domain)
{
    return pop(of(domain));
}
nvtxDomainHandle_t NVTX_API createDomain(const char* name)
{
    return reinterpret_cast<nvtxDomainHandle_t>(Recorder::get().domain(name)); // NOLINT: ours
}
nvtxStringHandle_t NVTX_API registered(nvtxDomainHandle_t, const char* text)
{
    return reinterpret_cast<nvtxStringHandle_t>( // NOLINT: a number that represents the text
        std::uintptr_t{Recorder::get().number(text)} + 1);
}

nvtxRangeId_t NVTX_API start(const nvtxEventAttributes_t* attributes)
{
    return startIn(nullptr, attributes);
}
nvtxRangeId_t NVTX_API startNamed(const char* text)
{
    const nvtxEventAttributes_t attributes = named(text);
    return startIn(nullptr, &attributes);
}
void NVTX_API stop(nvtxRangeId_t id)
{
    Recorder::get().stop(id);
}
int NVTX_API pushPlain(const nvtxEventAttributes_t* attributes)
{
    return push(of(nullptr), attributes);
}
int NVTX_API pushNamed(const char* text)
{
    const nvtxEventAttributes_t attributes = named(text);
    return push(of(nullptr), &attributes);
}
int NVTX_API popPlain()
{
    return pop(of(nullptr));
}
void NVTX_API nameCudaStream(cudaStream_t stream, const char* name)
{
    Recorder::get().streamNamed(stream, name);
}

// The function table of a module. A module with an older NVTX may lack entries.
class Table
{
public:
    Table(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module)
    {
        if (callbacks.GetModuleFunctionTable(module, &m_table, &m_size) == 0)
            m_size = 0;
    }
    template<class Function>
    void set(unsigned id, Function function)
    {
        if (id < m_size)
            *m_table[id] = reinterpret_cast<NvtxFunctionPointer>(function); // NOLINT: NVTX's way
    }

private:
    NvtxFunctionTable m_table = nullptr;
    unsigned m_size = 0;
};

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) // NOLINT: NVTX's spelling
{
    const auto* callbacks
        = static_cast<const NvtxExportTableCallbacks*>(getExportTable(NVTX_ETID_CALLBACKS));
    if (callbacks == nullptr)
        return 0;
    Table core(*callbacks, NVTX_CB_MODULE_CORE);
    core.set(NVTX_CBID_CORE_RangeStartEx, start);
    core.set(NVTX_CBID_CORE_RangeStartA, startNamed);
    core.set(NVTX_CBID_CORE_RangeEnd, stop);
    core.set(NVTX_CBID_CORE_RangePushEx, pushPlain);
    core.set(NVTX_CBID_CORE_RangePushA, pushNamed);
    core.set(NVTX_CBID_CORE_RangePop, popPlain);
    Table domains(*callbacks, NVTX_CB_MODULE_CORE2);
    domains.set(NVTX_CBID_CORE2_DomainCreateA, createDomain);
    domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, registered);
    domains.set(NVTX_CBID_CORE2_DomainRangeStartEx, startIn);
    domains.set(NVTX_CBID_CORE2_DomainRangeEnd, stopIn);
    domains.set(NVTX_CBID_CORE2_DomainRangePushEx, pushIn);
    domains.set(NVTX_CBID_CORE2_DomainRangePop, popIn);
    Table runtime(*callbacks, NVTX_CB_MODULE_CUDART);
    runtime.set(NVTX_CBID_CUDART_NameCudaStreamA, nameCudaStream);
    return 1;
}

extern "C" __attribute__((visibility("default"))) const char*
bubblescope_nvtx_take(const char* buildId, RecordedRanges* ranges, // NOLINT: C's spelling
                      profiler::StreamNamed named)
{
    static const std::string kBuild(engine::buildId());
    if (kBuild == buildId) {
        Recorder::get().tellStreamsTo(named);
        Recorder::get().take(*ranges);
    }
    return kBuild.c_str();
}
