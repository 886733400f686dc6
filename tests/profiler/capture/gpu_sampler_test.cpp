#include "profiler/capture/gpu_sampler.h"
#include "tests/catch.h"

#include <atomic>

using namespace engine;
using namespace profiler;

namespace {

// NVML with GPUs that tests make up: each asks moves it on by one step.
struct FakeNvml
{
    FakeNvml() { s_fake = this; }
    ~FakeNvml() { s_fake = nullptr; }
    FakeNvml(const FakeNvml&) = delete;
    FakeNvml& operator=(const FakeNvml&) = delete;

    NvmlApi api() const
    {
        NvmlApi api;
        api.init = [] { return s_fake->initResult; };
        api.shutdown = [] {
            ++s_fake->shutdowns;
            return 0;
        };
        api.errorString = [](int) { return "Insufficient Permissions"; };
        api.deviceByBus = [](const char* bus, NvmlApi::Device* device) {
            s_fake->buses.emplace_back(bus);
            *device = reinterpret_cast<NvmlApi::Device>(s_fake); // NOLINT: an opaque handle
            return std::string(bus) == "0000:99:00.0" ? 6 : 0;
        };
        api.clock = [](NvmlApi::Device, int which, unsigned* out) {
            const auto now = s_fake->step.load();
            *out = which == NvmlApi::SmClock ? s_fake->clocks[now] : 2619;
            return 0;
        };
        api.power = [](NvmlApi::Device, unsigned* out) {
            *out = 410'000;
            return s_fake->powerResult;
        };
        api.temperature = [](NvmlApi::Device, int sensor, unsigned* out) {
            *out = 61;
            return sensor;
        };
        api.throttle = [](NvmlApi::Device, unsigned long long* out) {
            *out = s_fake->reasons[s_fake->step.load()];
            if (s_fake->step + 1 < s_fake->clocks.size())
                ++s_fake->step;
            return 0;
        };
        return api;
    }

    std::vector<unsigned> clocks{1980};
    std::vector<unsigned long long> reasons{0};
    std::vector<std::string> buses;
    std::atomic<std::size_t> step = 0;
    int initResult = 0, powerResult = 0, shutdowns = 0;

private:
    static inline FakeNvml* s_fake = nullptr;
};

constexpr std::chrono::milliseconds kFast{1};
const std::vector<GpuSampler::Gpu> kOne{{0, "0000:19:00.0"}};

// Until all that was prepared has been asked for.
std::vector<GpuSample> samplesOf(FakeNvml& nvml, GpuSampler& sampler)
{
    std::vector<GpuSample> samples;
    while (samples.size() < nvml.clocks.size()) {
        const auto more = sampler.take();
        samples.insert(samples.end(), more.begin(), more.end());
        std::this_thread::yield();
    }
    return samples;
}

} // namespace

TEST_CASE("a GPU is asked for clocks, power, temperature and why it is not faster")
{
    FakeNvml nvml;
    nvml.clocks = {1755, 1980, 1965, 1980};
    nvml.reasons = {static_cast<unsigned long long>(Throttle::PowerCap), 0, 0, 0};
    const auto sampler = GpuSampler::start(nvml.api(), kOne, kFast);
    REQUIRE(sampler);
    const auto samples = samplesOf(nvml, **sampler);
    CHECK(nvml.buses == std::vector<std::string>{"0000:19:00.0"});
    CHECK(samples[0].smClock == 1755);
    CHECK(samples[0].throttle == 4);
    CHECK(samples[1].smClock == 1980);
    CHECK(samples[1].memoryClock == 2619);
    CHECK(samples[1].power == 410'000);
    CHECK(samples[1].temperature == 61);
    CHECK(samples[0].time > 0);
    CHECK(samples[0].time < samples[1].time);
    const GpuClocks clocks = (*sampler)->finish();
    CHECK(clocks.least == 1755);
    CHECK(clocks.most == 1980);
    CHECK(clocks.median >= 1965);
    CHECK(clocks.samples >= 4);
    CHECK(clockText(clocks)
          == "clocks 1755..1980 MHz (median " + std::to_string(clocks.median)
              + "), throttled: power cap");
    CHECK(nvml.shutdowns == 1);
}

TEST_CASE("a slow clock of an idle GPU is not reported")
{
    FakeNvml nvml;
    nvml.clocks = {345, 1980, 345};
    nvml.reasons = {1, 0, 1};
    const auto sampler = GpuSampler::start(nvml.api(), kOne, kFast);
    REQUIRE(sampler);
    CHECK(samplesOf(nvml, **sampler).front().smClock == 345); // kept all the same
    const GpuClocks clocks = (*sampler)->finish();
    CHECK(clocks == GpuClocks{1, 1980, 1980, 1980, 0, ""});
    CHECK(clockText(clocks) == "clocks 1980..1980 MHz (median 1980), no throttling");
}

TEST_CASE("a GPU that was idle in all samples has no clocks, with the reason")
{
    FakeNvml nvml;
    nvml.reasons = {1};
    const auto sampler = GpuSampler::start(nvml.api(), kOne, kFast);
    REQUIRE(sampler);
    (void)samplesOf(nvml, **sampler);
    CHECK_THAT(clockText((*sampler)->finish()), Catch::Contains("the GPUs were idle"));
}

// Only neighbours were compared, so the parts of a GPU with another GPU between them were sampled
// twice.
TEST_CASE("a GPU that is listed several times is sampled once, as the first device")
{
    FakeNvml nvml;
    const auto sampler = GpuSampler::start(
        nvml.api(),
        std::vector<GpuSampler::Gpu>{{0, "0000:19:00.0"}, {1, "0000:3b:00.0"}, {2, "0000:19:00.0"}},
        kFast);
    REQUIRE(sampler);
    CHECK(nvml.buses == std::vector<std::string>{"0000:19:00.0", "0000:3b:00.0"});
    for (const GpuSample& sample : samplesOf(nvml, **sampler))
        CHECK(sample.device < 2);
}

TEST_CASE("values that a GPU does not report are 0, and the others are kept")
{
    FakeNvml nvml;
    nvml.powerResult = 3; // not supported
    const auto sampler = GpuSampler::start(nvml.api(), kOne, kFast);
    REQUIRE(sampler);
    const auto samples = samplesOf(nvml, **sampler);
    CHECK(samples[0].power == 0);
    CHECK(samples[0].smClock == 1980);
}

TEST_CASE("NVML that does not start, or knows none of the GPUs, is one sentence")
{
    FakeNvml nvml;
    nvml.initResult = 4;
    auto refused = GpuSampler::start(nvml.api(), kOne, kFast);
    REQUIRE(!refused);
    CHECK(refused.error().message == "NVML cannot be started: Insufficient Permissions");
    nvml.initResult = 0;
    refused = GpuSampler::start(nvml.api(), std::vector<GpuSampler::Gpu>{{0, "0000:99:00.0"}});
    REQUIRE(!refused);
    CHECK_THAT(refused.error().message, Catch::Contains("does not find the GPUs"));
    CHECK(nvml.shutdowns == 1);
}

TEST_CASE("every reason for slow clocks has a name, and an unknown one its number")
{
    CHECK(throttleText(0x1).empty());
    CHECK(throttleText(0x24) == "power cap, thermal slowdown");
    CHECK(throttleText(0x1FE)
          == "application clocks, power cap, hardware slowdown, sync boost, thermal slowdown, "
             "hardware thermal slowdown, power brake, display clocks");
    CHECK(throttleText(0x1000) == "reason 0x1000");
    CHECK(clockText({}).empty());
}

TEST_CASE("a machine without NVML says so in one sentence")
{
    const auto nvml = loadNvml();
    if (nvml)
        WARN("SKIPPED: this machine has NVML");
    else
        CHECK(nvml.error().message
              == "libnvidia-ml.so.1 was not found: it comes with the NVIDIA driver");
}
