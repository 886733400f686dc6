#include "engine/timeline/nvtx_range.h"
#include "profiler/capture/link.h"
#include "profiler/capture/range_recorder.h"
#include "tests/catch.h"
#include "tests/support/paths.h"
#include "tests/support/text_schedule.h"

#ifdef BS_NVTX_LIBRARY

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::vector<std::string> g_streams;

// NVTX chooses its tool once a process, at the first range.
RangeRecorder& recorder()
{
    static RangeRecorder recorder = [] {
        setenv("BUBBLESCOPE_PLUGINS", tests::buildPath("bin").c_str(), 1);
        auto started
            = RangeRecorder::start([](void*, const char* name) { g_streams.emplace_back(name); });
        INFO((started ? "" : started.error().message));
        REQUIRE(started);
        GpuTrace before;
        started->addTo(before);
        return *started;
    }();
    return recorder;
}

nvtxEventAttributes_t attributes(const char* text)
{
    nvtxEventAttributes_t made{};
    made.version = NVTX_VERSION;
    made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    made.messageType = NVTX_MESSAGE_TYPE_ASCII;
    made.message.ascii = text;
    return made;
}

const GpuRange* find(const GpuTrace& trace, const std::string& text)
{
    for (const GpuRange& range : trace.ranges)
        if (trace.strings.at(range.text) == text)
            return &range;
    return nullptr;
}

} // namespace

// They were missing without a word.
TEST_CASE("ranges for which the recorder has no room are counted as lost")
{
    constexpr int kMost = 1 << 20, kLost = 3;
    RangeRecorder& ranges = recorder();
    for (int i = 0; i < kMost + kLost; ++i) {
        nvtxRangePushA("many");
        nvtxRangePop();
    }
    GpuTrace trace;
    ranges.addTo(trace);
    CHECK(trace.ranges.size() == kMost);
    CHECK(trace.health.dropped == kLost);
}

TEST_CASE("ranges of libraries are recorded with domain, category, colour and payload")
{
    RangeRecorder& ranges = recorder();
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
    REQUIRE(domain != nullptr);
    nvtxEventAttributes_t send = attributes(nullptr);
    send.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    send.message.registered = nvtxDomainRegisterStringA(domain, "ncclSend");
    send.category = 3;
    send.colorType = NVTX_COLOR_ARGB;
    send.color = 0xFF00AA00;
    send.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    send.payload.llValue = -5;
    nvtxDomainRangePushEx(domain, &send);
    nvtxRangePushA("inner"); // of the nameless domain
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    const nvtxEventAttributes_t open = attributes("beside");
    const nvtxRangeId_t id = nvtxRangeStartEx(&open);
    std::thread([] {
        nvtxRangePushA("elsewhere");
        nvtxRangePop();
    }).join();
    nvtxRangeEnd(id);

    GpuTrace trace;
    trace.strings = {"of the kernels"};
    ranges.addTo(trace);
    CHECK(trace.strings.front() == "of the kernels");
    const GpuRange *sent = find(trace, "ncclSend"), *inner = find(trace, "inner"),
                   *beside = find(trace, "beside"), *elsewhere = find(trace, "elsewhere");
    REQUIRE((sent != nullptr && inner != nullptr && beside != nullptr && elsewhere != nullptr));
    CHECK(trace.ranges.size() == 4);
    CHECK(std::ranges::is_sorted(trace.ranges, {},
                                 [](const GpuRange& range) { return range.window.begin; }));
    CHECK(trace.strings.at(sent->domain) == "NCCL");
    CHECK(sent->category == 3);
    CHECK(sent->color == 0xFF00AA00);
    CHECK(sent->payload == -5);
    CHECK(sent->nests);
    CHECK(trace.strings.at(inner->domain).empty());
    CHECK_FALSE(inner->payload);
    CHECK(sent->window.begin < inner->window.begin);
    CHECK(sent->window.end < inner->window.end); // each domain has a stack of its own
    CHECK(sent->thread == inner->thread);
    CHECK_FALSE(beside->nests);
    CHECK(beside->window.begin < elsewhere->window.begin);
    CHECK(elsewhere->window.end < beside->window.end);
    CHECK(elsewhere->thread != beside->thread);
    GpuTrace later;
    ranges.addTo(later);
    CHECK(later.ranges.empty());
}

// Deeper ranges were dropped, but their ends were not: each ended an outer range.
TEST_CASE("a range ends with its own pop below ranges too deep to be recorded")
{
    constexpr int kDeeper = 1030; // 1024 are recorded
    RangeRecorder& ranges = recorder();
    CHECK(nvtxRangePushA("outermost") == 0);
    for (int i = 1; i < kDeeper; ++i)
        CHECK(nvtxRangePushA("nested") == i);
    for (int i = kDeeper - 1; i > 0; --i)
        CHECK(nvtxRangePop() == i);
    GpuTrace nested;
    ranges.addTo(nested);
    CHECK(find(nested, "nested") != nullptr);
    CHECK(find(nested, "outermost") == nullptr);
    CHECK(nvtxRangePop() == 0);
    CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
    GpuTrace outermost;
    ranges.addTo(outermost);
    CHECK(find(outermost, "outermost") != nullptr);
}

TEST_CASE("ranges that begin and end anywhere have their domain, too, and unknown colours are none")
{
    RangeRecorder& ranges = recorder();
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("cuDNN"),
                             own = nvtxDomainCreateA(kRangeDomain);
    nvtxEventAttributes_t open = attributes("conv");
    open.colorType = NVTX_COLOR_UNKNOWN;
    open.color = 0xFF00AA00;
    open.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    open.payload.ullValue = 12;
    const nvtxRangeId_t id = nvtxDomainRangeStartEx(domain, &open);
    const nvtxEventAttributes_t op = attributes("an op");
    const nvtxRangeId_t none = nvtxDomainRangeStartEx(own, &op);
    nvtxDomainRangeEnd(own, none);
    nvtxDomainRangeEnd(domain, id);
    GpuTrace trace;
    ranges.addTo(trace);
    REQUIRE(trace.ranges.size() == 1);
    const GpuRange& range = trace.ranges[0];
    CHECK(trace.strings.at(range.text) == "conv");
    CHECK(trace.strings.at(range.domain) == "cuDNN");
    CHECK_FALSE(range.nests);
    CHECK(range.color == 0);
    CHECK(range.payload == 12);
}

TEST_CASE("ops are in the file already, and are not recorded once more")
{
    RangeRecorder& ranges = recorder();
    const OpRanges ops(scheduleFrom({"0F0 0B0"}), NvtxGrammar::Bubblescope);
    CHECK(ops.isWatched());
    ops.begin({0, 0});
    nvtxRangePushA("within an op");
    nvtxRangePop();
    ops.end();
    GpuTrace trace;
    ranges.addTo(trace);
    REQUIRE(trace.ranges.size() == 1);
    CHECK(trace.strings.at(trace.ranges[0].text) == "within an op");
}

TEST_CASE("names of streams are reported immediately")
{
    recorder();
    g_streams.clear();
    nvtxNameCudaStreamA(nullptr, "device 3: compute");
    CHECK(g_streams == std::vector<std::string>{"device 3: compute"});
}

TEST_CASE("a tool in NVTX_INJECTION64_PATH receives the ranges")
{
    recorder();
    setenv("NVTX_INJECTION64_PATH", "/opt/nvidia/libToolsInjection64.so", 1);
    const auto refused = RangeRecorder::start();
    REQUIRE(!refused);
    CHECK_THAT(refused.error().message, Catch::Contains("/opt/nvidia/libToolsInjection64.so"));
    CHECK(std::string(std::getenv("NVTX_INJECTION64_PATH"))
          == "/opt/nvidia/libToolsInjection64.so");
    unsetenv("NVTX_INJECTION64_PATH");
}
#endif

TEST_CASE("a range belongs to the op whose launch contains it, on the same thread")
{
    using namespace engine;
    const std::vector<GpuOpLaunch> launches{
        {{100, 200}, {1, 0}, 7}, {{200, 300}, {2, 0}, 7}, {{100, 300}, {3, 0}, 8}};
    std::vector<GpuRange> ranges(6);
    const Window windows[] = {{110, 190}, {200, 300}, {150, 250}, {90, 95}, {120, 130}, {250, 260}};
    const std::uint32_t threads[] = {7, 7, 7, 7, 8, 9};
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        ranges[i].window = windows[i];
        ranges[i].thread = threads[i];
    }
    profiler::linkRanges(ranges, launches);
    CHECK(ranges[0].of.op == 1);
    CHECK(ranges[1].of.op == 2);
    CHECK_FALSE(ranges[2].of.isKnown()); // across two
    CHECK_FALSE(ranges[3].of.isKnown()); // before all
    CHECK(ranges[4].of.op == 3);
    CHECK_FALSE(ranges[5].of.isKnown()); // of a thread that launched nothing
}

TEST_CASE("launches are logged with their thread, inner ones too")
{
    profiler::LaunchLog log;
    log.begin({1, 0});
    log.begin({2, 0});
    log.end();
    log.end();
    const auto launches = log.take();
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].of.op == 2);
    CHECK(launches[1].of.op == 1);
    CHECK(launches[1].window.begin <= launches[0].window.begin);
    CHECK(launches[0].window.end <= launches[1].window.end);
    CHECK(launches[0].thread == launches[1].thread);
    CHECK(log.take().empty());
}
