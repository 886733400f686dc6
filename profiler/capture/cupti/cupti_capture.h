#pragma once

#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/cupti/cupti_api.h"
#include "profiler/capture/recent.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

// Buffers for CUPTI. The pool reuses them and zeroes them in advance, because otherwise CUPTI would
// zero them on the launching thread. Thread-safe. Calls no other code while the mutex is locked, so
// CUPTI may call it from anywhere.
class BufferPool
{
public:
    struct Size
    {
        std::size_t bytes = std::size_t{2} << 20; // bytes per buffer, a multiple of 8
        // The largest number of buffers. Since CUDA 13, CUPTI fills one buffer per thread that
        // calls CUDA (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER), and each device has a
        // thread.
        std::size_t limit = 128;
    };
    explicit BufferPool(Size size)
        : m_size(size)
    { }

    struct Full
    {
        std::uint8_t* data = nullptr;
        std::size_t valid = 0; // number of bytes with records
    };

    // An empty, zeroed buffer, or nullptr if all are in use; CUPTI then drops records.
    std::uint8_t* take();
    // Called when CUPTI returns a buffer, with or without records.
    void complete(std::uint8_t* data, std::size_t valid);
    // Since the last call, oldest first. Pass each buffer to recycle() after reading it.
    std::vector<Full> completed();
    void recycle(const Full& buffer);

    std::size_t bytes() const { return m_size.bytes; } // bytes per buffer that CUPTI may use
    // Number of bytes after the end of a buffer that may be read. A record of an older CUPTI may be
    // shorter than its declaration here, so reading the last record can read beyond the buffer.
    static constexpr std::size_t kBeyond = 256;
    std::int64_t declined() const;

private:
    // CUPTI requires an alignment of eight bytes.
    using Words = std::unique_ptr<std::uint64_t[]>;

    Size m_size;
    mutable std::mutex m_mutex; // protects the members below
    std::vector<Words> m_all;
    std::vector<std::uint8_t*> m_free;
    std::vector<Full> m_completed;
    std::int64_t m_declined = 0;
};

std::uint64_t externalId(engine::OpOfIteration op);
engine::OpOfIteration opOfExternalId(std::uint64_t id);

// Converts CUPTI's records to rows of a trace. Fields are read by copying, because records are
// packed. Newer versions append fields, so only fields that all supported versions have are read.
// Not thread-safe.
class RecordParser
{
public:
    explicit RecordParser(const CuptiApi& api)
        : m_api(api)
    { }

    void parse(std::uint8_t* buffer, std::size_t valid);
    // The rows so far. A row without an op is held back until the next call, because CUPTI may
    // deliver the launch of a kernel in a later buffer than the kernel. If `isLast` is true,
    // nothing is held back.
    engine::GpuTrace take(bool isLast);

private:
    void add(const cupti::Record* record);
    template<class Record, class Add>
    void with(const cupti::Record* record, Add add);
    void addKernel(const cupti::KernelRecord& record);
    void addCopy(const cupti::CopyRecord& record);
    void addPeerCopy(const cupti::PeerCopyRecord& record);
    void addMemset(const cupti::MemsetRecord& record);
    void addCall(const cupti::CallRecord& record, bool isDriver);
    void addLaunch(const cupti::ExternalCorrelationRecord& record);
    void addWait(const cupti::SynchronizationRecord& record);
    void addAllocation(const cupti::MemoryRecord& record);
    void addContext(const cupti::ContextRecord& record);

    std::uint32_t text(std::string_view value); // index of the text in the strings of the trace
    std::uint32_t callName(bool isDriver, cupti::CallId id);
    engine::OpOfIteration opOf(std::uint32_t correlation) const;
    template<class Rows, class Correlation>
    void link(Rows& rows, Correlation correlation) const;
    template<class Rows>
    void moveLinked(Rows& from, Rows& to, std::size_t& old, bool isLast);

    const CuptiApi& m_api;
    engine::GpuTrace m_trace; // rows that take() has not returned
    // Number of kernels, copies and memsets that the last take() held back.
    std::size_t m_old[3] = {};
    std::unordered_map<std::string, std::uint32_t> m_strings;
    std::unordered_map<std::uint64_t, std::uint32_t> m_callNames;
    std::unordered_map<std::uint32_t, std::uint32_t> m_deviceOf; // context -> device
    // Maps the correlation id of a launch to its op. A kernel may end long after its launch was
    // recorded.
    Recent<std::unordered_map<std::uint32_t, engine::OpOfIteration>> m_ops;
};

// Implements Capture with a CuptiApi. CUPTI keeps its callbacks until the process ends and may call
// them during shutdown, so the buffers belong to the process and are never freed.
class CuptiCapture final : public Capture
{
public:
    // See startCapture(). `buffers` applies only to the first capture of a process.
    static engine::Result<std::unique_ptr<Capture>> start(const CuptiApi& api, TraceLevel level,
                                                          BufferPool::Size buffers = {});
    ~CuptiCapture() override; // stops recording, as finish() does

    void push(engine::OpOfIteration op) override;
    void pop() override;
    engine::GpuTrace take() override;
    engine::GpuTrace finish() override;
    void nameStream(void* stream, const char* name) override;
    std::string version() const override;

private:
    CuptiCapture(const CuptiApi& api, std::uint32_t version, BufferPool& pool);
    engine::Result<void> subscribe();
    engine::Result<void> enable(TraceLevel level);
    cupti::Status recordLaunches(std::uint8_t enable);
    void parseCompleted();
    engine::GpuTrace collect(bool isLast);
    void stop();

    CuptiApi m_api;
    std::uint32_t m_version = 0;
    BufferPool& m_pool;
    RecordParser m_parser;
    cupti::Subscriber m_subscriber = nullptr;
    std::vector<cupti::Kind> m_enabled;
    std::int64_t m_declinedBefore = 0; // number of declined buffers already reported
    bool m_launchesOnly = false, m_stopped = false;

    struct NamedStream
    {
        std::string name;
        std::uint32_t stream = 0, context = 0, device = 0;
    };
    std::mutex m_mutex;               // protects the members below
    std::vector<NamedStream> m_named; // streams that were named since the last take()
};

} // namespace profiler
