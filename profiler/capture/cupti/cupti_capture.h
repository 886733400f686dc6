#pragma once

#include "profiler/capture/capture.h"
#include "profiler/capture/cupti/buffer_pool.h"
#include "profiler/capture/cupti/record_parser.h"

#include <mutex>
#include <string>
#include <vector>

namespace profiler {

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
