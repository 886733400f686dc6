// A device of a live run that is really slower: its kernels take 10 % more CPU time.
#include "engine/backend/cpu/cpu_device.h"
#include "profiler/why/stragglers.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <atomic>
#include <ctime>
#include <optional>
#include <thread>

using namespace engine;

namespace {

std::int64_t cpuTime() // ns, of this thread
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// The kernels of a CPU. The thread of the slow one of two devices computes 10 % longer: that of
// device 0 reads the tokens, and that of device 1 computes the loss.
class SlowKernels final : public Kernels<float>
{
public:
    using Tokens = std::span<const std::int32_t>;
    using Floats = std::span<const float>;

    SlowKernels(const Kernels<float>& own, int slow)
        : m_own(own)
        , m_slow(slow)
    { }
    void embedding(Tokens tokens, const float* table, Matrix<const float> positions,
                   Matrix<float> out) const override
    {
        noteThread(0);
        m_own.embedding(tokens, table, positions, out);
    }
    void crossEntropy(const CrossEntropy<float>& op) const override
    {
        noteThread(1);
        m_own.crossEntropy(op);
    }
    void matmul(const Matmul<float>& op) const override { run(&Kernels::matmul, op); }
    void matmulWide(const Matmul<float>& op) const override { run(&Kernels::matmulWide, op); }
    void layerNorm(const LayerNorm<float>& op) const override { run(&Kernels::layerNorm, op); }
    void layerNormBackward(const LayerNormBackward<float>& op) const override
    {
        run(&Kernels::layerNormBackward, op);
    }
    void rmsNorm(const RmsNorm<float>& op) const override { run(&Kernels::rmsNorm, op); }
    void rmsNormBackward(const RmsNormBackward<float>& op) const override
    {
        run(&Kernels::rmsNormBackward, op);
    }
    void rotary(const Rotary<float>& op) const override { run(&Kernels::rotary, op); }
    void attention(const Attention<float>& op) const override { run(&Kernels::attention, op); }
    void attentionBackward(const AttentionBackward<float>& op) const override
    {
        run(&Kernels::attentionBackward, op);
    }
    void addBias(Matrix<float> y, const float* bias) const override
    {
        run(&Kernels::addBias, y, bias);
    }
    void addBiasGradient(Matrix<const float> dy, float* dBias) const override
    {
        run(&Kernels::addBiasGradient, dy, dBias);
    }
    void add(Floats x, std::span<float> y) const override { run(&Kernels::add, x, y); }
    void gelu(Floats x, std::span<float> y) const override { run(&Kernels::gelu, x, y); }
    void geluBackward(Floats dy, std::span<float> x) const override
    {
        run(&Kernels::geluBackward, dy, x);
    }
    void swiGlu(Matrix<const float> x, Matrix<float> y) const override
    {
        run(&Kernels::swiGlu, x, y);
    }
    void swiGluBackward(Matrix<const float> dy, Matrix<float> x) const override
    {
        run(&Kernels::swiGluBackward, dy, x);
    }
    void embeddingBackward(Tokens tokens, Matrix<const float> dOut, float* dTable,
                           Matrix<float> dPositions) const override
    {
        run(&Kernels::embeddingBackward, tokens, dOut, dTable, dPositions);
    }
    void crossEntropyBackward(Matrix<float> logits, Tokens targets, float scale) const override
    {
        run(&Kernels::crossEntropyBackward, logits, targets, scale);
    }
    void adamW(const AdamW<float>& op, std::span<const DecayPart> parts) const override
    {
        run(&Kernels::adamW, op, parts);
    }
    void addFixedPoint(Floats x, std::span<std::int64_t> sums) const override
    {
        run(&Kernels::addFixedPoint, x, sums);
    }
    void fromFixedPoint(std::span<const std::int64_t> sums, std::span<float> x) const override
    {
        run(&Kernels::fromFixedPoint, sums, x);
    }

private:
    void noteThread(int device) const
    {
        if (device == m_slow)
            m_thread = std::this_thread::get_id();
    }
    template<class Method, class... Arguments>
    void run(Method method, const Arguments&... arguments) const
    {
        const std::int64_t begin = cpuTime();
        (m_own.*method)(arguments...);
        const std::int64_t end = cpuTime(), more = (end - begin) / 10;
        while (m_thread.load() == std::this_thread::get_id() && cpuTime() < end + more) { }
    }

    const Kernels<float>& m_own;
    int m_slow;
    mutable std::atomic<std::thread::id> m_thread;
};

class SlowDevice final : public Device
{
public:
    SlowDevice(std::shared_ptr<const Device> own, int slow)
        : m_own(std::move(own))
        , m_kernels(m_own->kernels(), slow)
    { }
    DeviceInfo info() const override { return m_own->info(); }
    const Kernels<float>& kernels() const override { return m_kernels; }
    DeviceMemory allocate(Bytes bytes, MemoryFor purpose) const override
    {
        return m_own->allocate(bytes, purpose);
    }
    void upload(std::span<const std::byte> from, std::byte* to) const override
    {
        m_own->upload(from, to);
    }
    void download(const std::byte* from, std::span<std::byte> to) const override
    {
        m_own->download(from, to);
    }
    void fill(std::span<std::byte> memory, std::byte value) const override
    {
        m_own->fill(memory, value);
    }
    void synchronize() const override { }

private:
    std::shared_ptr<const Device> m_own;
    SlowKernels m_kernels;
};

// The devices that are named; nullopt if other processes delayed the run. `slow` is -1, 0 or 1.
std::optional<std::vector<int>> namedStragglers(int slow)
{
    Experiment experiment;
    experiment.model = tests::narrowModel(24);
    experiment.model.width = 128;
    experiment.model.sequence = 64;
    experiment.schedule.scheme = "1f1b";
    experiment.schedule.devices = 2;
    experiment.schedule.microBatches = 4;
    experiment.mode = Mode::Live;
    experiment.iterations = 15;
    const auto run = runOnDevices(
        experiment,
        [&](int count) -> Result<RunDevices> {
            auto cpu = openCpuDevice(1, count + 1);
            if (!cpu)
                return tl::unexpected(cpu.error());
            return RunDevices{{std::make_shared<SlowDevice>(*cpu, slow)}, Mode::Live, {}};
        },
        {}, false);
    REQUIRE(run.has_value());
    const auto found = profiler::stragglers(*run);
    if (!found) {
        WARN(found.error().message);
        return std::nullopt;
    }
    std::vector<int> named;
    for (const profiler::DevicePace& pace : found->devices) {
        UNSCOPED_INFO("device " << pace.device.value << ": " << 100 * pace.excess.value
                                << " % from " << 100 * pace.excess.least << " to "
                                << 100 * pace.excess.most);
        if (pace.isStraggler)
            named.push_back(pace.device.value);
    }
    return named;
}

} // namespace

TEST_CASE("a device of a live run that is 10 % slower is named, and none without")
{
    for (const int slow : {-1, 0, 1}) {
        CAPTURE(slow);
        constexpr int kTries = 4;
        std::optional<std::vector<int>> named;
        for (int tries = 0; !named && tries < kTries; ++tries)
            named = namedStragglers(slow);
        if (!named) {
            WARN("skipped: the two threads of the run did not have two cores");
            return;
        }
        CHECK(*named == (slow < 0 ? std::vector<int>() : std::vector{slow}));
    }
}
