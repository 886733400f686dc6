#include "tests/conformance/kernels/suite.h"

#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

namespace kernel_test {
namespace {

using namespace engine;

constexpr std::size_t kGuard = 64;                // numbers before and behind an array
constexpr std::uint32_t kGuardBits = 0x7fc0beefU; // a NaN, so that what is read from there shows

// What a device made of a case.
struct Results
{
    std::vector<std::vector<float>> arrays;
    std::vector<std::int64_t> integers;
    double returned = 0;
    bool guarded = true;

    bool sameBits(const Results& other) const
    {
        if (integers != other.integers || returned != other.returned)
            return false;
        for (std::size_t a = 0; a < arrays.size(); ++a)
            if (std::memcmp(arrays[a].data(), other.arrays[a].data(),
                            arrays[a].size() * sizeof(float))
                != 0)
                return false;
        return true;
    }
};

template<class Number>
std::span<const std::byte> bytesOf(const std::vector<Number>& numbers)
{
    return std::as_bytes(std::span(numbers));
}

// The arrays of a case on a device, each in memory of its own between guards.
class Placed
{
public:
    Placed(const Device& device, const Case& c)
        : m_device(device)
        , m_case(c)
    {
        for (const Array& array : c.arrays)
            m_arrays.push_back(m_device.allocate(
                static_cast<Bytes>((array.values.size() + 2 * kGuard) * sizeof(float))));
        m_tokens
            = m_device.allocate(static_cast<Bytes>((c.tokens.size() + 1) * sizeof(std::int32_t)));
        m_integers
            = m_device.allocate(static_cast<Bytes>((c.integers.size() + 1) * sizeof(std::int64_t)));
        upload();
    }

    void upload()
    {
        for (std::size_t a = 0; a < m_arrays.size(); ++a) {
            const Array& array = m_case.arrays[a];
            std::vector<float> numbers(array.values.size() + 2 * kGuard,
                                       std::bit_cast<float>(kGuardBits));
            const bool read = array.role == Role::In || array.role == Role::InOut;
            for (std::size_t i = 0; read && i < array.values.size(); ++i)
                numbers[kGuard + i] = static_cast<float>(array.values[i]);
            m_device.upload(bytesOf(numbers), m_arrays[a].get());
        }
        m_device.upload(bytesOf(m_case.tokens), m_tokens.get());
        m_device.upload(bytesOf(m_case.integers), m_integers.get());
    }

    double run()
    {
        std::vector<std::span<float>> spans;
        for (std::size_t a = 0; a < m_arrays.size(); ++a)
            spans.emplace_back(reinterpret_cast<float*>(m_arrays[a].get()) + kGuard,
                               m_case.arrays[a].values.size());
        const Memory<float> memory(
            spans, {reinterpret_cast<const std::int32_t*>(m_tokens.get()), m_case.tokens.size()},
            {reinterpret_cast<std::int64_t*>(m_integers.get()), m_case.integers.size()});
        return m_case.single(m_device.kernels(), memory);
    }

    Results download(double returned) const
    {
        m_device.synchronize();
        Results results;
        results.returned = returned;
        for (std::size_t a = 0; a < m_arrays.size(); ++a) {
            const std::size_t count = m_case.arrays[a].values.size();
            std::vector<float> numbers(count + 2 * kGuard);
            m_device.download(m_arrays[a].get(), std::as_writable_bytes(std::span(numbers)));
            for (std::size_t i = 0; i < kGuard; ++i)
                results.guarded = results.guarded && isGuard(numbers[i])
                    && isGuard(numbers[count + kGuard + i]);
            results.arrays.emplace_back(numbers.begin() + kGuard,
                                        numbers.begin()
                                            + static_cast<std::ptrdiff_t>(kGuard + count));
            if (m_case.arrays[a].role == Role::Scratch)
                results.arrays.back().clear();
        }
        results.integers.resize(m_case.integers.size());
        m_device.download(m_integers.get(), std::as_writable_bytes(std::span(results.integers)));
        return results;
    }

private:
    static bool isGuard(float number) { return std::bit_cast<std::uint32_t>(number) == kGuardBits; }

    const Device& m_device;
    const Case& m_case;
    std::vector<DeviceMemory> m_arrays;
    DeviceMemory m_tokens, m_integers;
};

struct Truth
{
    std::vector<Numbers> arrays;
    std::vector<std::int64_t> integers;
    double returned = 0;
};

Truth truthOf(const Case& c)
{
    Truth truth;
    truth.integers = c.integers;
    for (const Array& array : c.arrays) {
        Numbers& numbers = truth.arrays.emplace_back(array.values.size(),
                                                     std::numeric_limits<double>::quiet_NaN());
        if (array.role == Role::In || array.role == Role::InOut)
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = static_cast<float>(array.values[i]); // what the device gets
    }
    const Memory<double> memory({truth.arrays.begin(), truth.arrays.end()}, c.tokens,
                                truth.integers);
    truth.returned = c.twice(cpu()->doubleKernels(), memory);
    return truth;
}

// ||a - truth|| / ||truth||; NaN where either has one.
double relativeError(const std::vector<float>& a, const Numbers& truth)
{
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - truth[i];
        difference += d * d;
        square += truth[i] * truth[i];
    }
    return difference == 0 ? 0 : std::sqrt(difference / std::max(square, 1e-300));
}

// The worst of the arrays, checked.
double compare(const Case& c, const Results& results, const Truth& truth)
{
    double worst = 0;
    CHECK(results.guarded);
    CHECK(results.integers == truth.integers);
    CHECK(results.returned == Approx(truth.returned).epsilon(c.tolerance));
    for (std::size_t a = 0; a < c.arrays.size(); ++a) {
        if (c.arrays[a].role == Role::Scratch)
            continue;
        INFO("array " << a);
        const double error = relativeError(results.arrays[a], truth.arrays[a]);
        CHECK(error <= (c.arrays[a].role == Role::In ? 0 : c.tolerance)); // false for NaN
        worst = std::isnan(error) ? error : std::max(worst, error);
    }
    return worst;
}

Results runTwice(const Device& device, const Case& c)
{
    Placed placed(device, c);
    const Results first = placed.download(placed.run());
    placed.upload();
    const Results second = placed.download(placed.run());
    CHECK(first.sameBits(second));
    return first;
}

void checkPlayed(const Case& c, const Truth& truth)
{
    using cuda_on_cpu::Order;
    INFO("CUDA kernels on the CPU");
    cuda_on_cpu::playAs(Order::Forward);
    const Results forward = runTwice(*playedCuda(), c);
    compare(c, forward, truth);
    for (const Order order : {Order::Backward, Order::Shuffled}) {
        cuda_on_cpu::playAs(order);
        CHECK(runTwice(*playedCuda(), c).sameBits(forward)); // else two threads race
    }
}

constexpr std::size_t kSmall = 200'000; // numbers of a case that is played on the CPU

bool isSmall(const Case& c)
{
    std::size_t numbers = 0;
    for (const Array& array : c.arrays)
        numbers += array.values.size();
    return numbers <= kSmall;
}

// Seconds of one run, over many of them; inputs that were changed go on changing.
double secondsOf(const Device& device, const Case& c)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kRuns = 50;
    Placed placed(device, c);
    const auto run = [&](int times) {
        const auto begin = Clock::now();
        for (int i = 0; i < times; ++i)
            placed.run();
        device.synchronize();
        return std::chrono::duration<double>(Clock::now() - begin).count() / times;
    };
    run(3);
    return run(kRuns);
}

std::string rateOf(const Device& device, const Case& c)
{
    if (isSmall(c) || (c.bytes == 0 && c.flops == 0))
        return "";
    const double seconds = secondsOf(device, c);
    char text[96];
    if (c.flops > 0)
        std::snprintf(text, sizeof text, ", %.1f us, %.2f TFLOP/s", seconds * 1e6,
                      c.flops / seconds / 1e12);
    else
        std::snprintf(text, sizeof text, ", %.1f us, %.0f GB/s", seconds * 1e6,
                      c.bytes / seconds / 1e9);
    return text;
}

// What run_all.sh's table says of one kernel: all its cases in one row, the rate of the last, which
// is the largest. The cases are in the log.
class GpuRows
{
public:
    ~GpuRows()
    {
        for (const auto& [name, all] : m_kernels)
            row("P5 " + name, all.failed.empty() ? "PASS" : "FAIL",
                all.failed.empty() ? all.text() : all.failed);
    }

    void add(const std::string& name, bool good, double error, const std::string& text)
    {
        std::printf("%s, %s%s\n", name.c_str(), text.c_str(), good ? "" : ": WRONG");
        Kernel& all = m_kernels[name];
        ++all.cases;
        all.worst = std::max(all.worst, error);
        all.last = text;
        if (!good)
            all.failed += (all.failed.empty() ? "" : "; ") + text;
    }

private:
    struct Kernel
    {
        int cases = 0;
        double worst = 0;
        std::string last, failed;

        std::string text() const
        {
            char numbers[64];
            std::snprintf(numbers, sizeof numbers, "%d cases, worst error %.1e; ", cases, worst);
            return numbers + last;
        }
    };

    std::map<std::string, Kernel> m_kernels;
};

GpuRows& gpuRows()
{
    static GpuRows rows; // printed when the program ends
    return rows;
}

void checkGpu(const Case& c, const Truth& truth)
{
    if (!gpu()) {
        static const bool kSaid = [] {
            row("P5 kernels", "SKIPPED", gpu().error().message);
            return true;
        }();
        static_cast<void>(kSaid);
        return;
    }
    const Device& device = **gpu();
    INFO(device.info().name);
    try {
        const Results results = runTwice(device, c);
        const double worst = compare(c, results, truth);
        char numbers[64];
        std::snprintf(numbers, sizeof numbers, ": error %.1e", worst);
        gpuRows().add(c.name, worst <= c.tolerance && results.guarded, worst,
                      c.shape + numbers + rateOf(device, c));
    } catch (const std::exception& error) {
        FAIL_CHECK(error.what());
        gpuRows().add(c.name, false, 0, c.shape + ": " + error.what());
    }
}

} // namespace

void conforms(const Case& c)
{
    INFO(c.name << ", " << c.shape);
    const Truth truth = truthOf(c);
    if (isSmall(c)) {
        {
            INFO("CPU");
            compare(c, runTwice(*cpu(), c), truth);
        }
        if (cuda_on_cpu::kPlays)
            checkPlayed(c, truth);
    }
    checkGpu(c, truth);
}

void row(const std::string& check, const char* verdict, const std::string& text)
{
    std::printf("ROW\t%s\t%s\t%s\n", check.c_str(), verdict, text.c_str());
    std::fflush(stdout);
}

bool hasLarge()
{
    const char* cases = std::getenv("KERNEL_CASES");
    return gpu().has_value() && (cases == nullptr || std::string(cases) != "small");
}

} // namespace kernel_test
