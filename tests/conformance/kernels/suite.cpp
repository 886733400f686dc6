#include "tests/conformance/kernels/suite.h"

#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/conformance/kernels/gpu_rows.h"
#include "tests/conformance/kernels/stored_array.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace kernel_test {
namespace {

using namespace engine;

constexpr std::size_t kGuard = 256; // bytes before and behind an array
// Of guards, and of what is to be written: a NaN of any type, so that what is read from there
// shows.
constexpr std::byte kGuardByte{0xFF};

// How a device computes: in the numbers of its memory, or with products in tf32.
enum class Products { Exact, Tf32 };
constexpr double kTf32Tolerance = 2e-3; // operands are rounded by 2^-11 of themselves at most

template<class Real>
const Kernels<Real>* kernelsOf(const Device& device, Products products)
{
    if constexpr (std::is_same_v<Real, bfloat16>)
        return device.bfloat16Kernels();
    else
        return products == Products::Tf32 ? device.tf32Kernels() : &device.kernels();
}

bool isRead(const Array& array)
{
    return array.role == Role::In || array.role == Role::InOut;
}

// What a device made of a case.
struct Results
{
    std::vector<std::vector<std::byte>> arrays;
    std::vector<std::int64_t> integers;
    double loss = 0;
    bool guarded = true;

    bool sameBits(const Results& other) const
    {
        return arrays == other.arrays && integers == other.integers && loss == other.loss;
    }
};

template<class Number>
std::span<const std::byte> bytesOf(const std::vector<Number>& numbers)
{
    return std::as_bytes(std::span(numbers));
}

// Where arrays begin: as allocations do, or one number behind, where no access of 16 bytes can be.
enum class Begin { Aligned, Shifted };

// The arrays of a case on a device, each in memory of its own between guards.
template<class Real>
class Placed
{
public:
    Placed(const Device& device, const Kernels<Real>& kernels, const Case& c,
           Begin begin = Begin::Aligned)
        : m_device(device)
        , m_kernels(kernels)
        , m_case(c)
        , m_begin(begin)
    {
        for (const Array& array : c.arrays)
            m_arrays.push_back(m_device.allocate(static_cast<Bytes>(bytes(array) + 2 * kGuard)));
        m_tokens
            = m_device.allocate(static_cast<Bytes>((c.tokens.size() + 1) * sizeof(std::int32_t)));
        m_integers
            = m_device.allocate(static_cast<Bytes>((c.integers.size() + 1) * sizeof(std::int64_t)));
        m_loss = m_device.allocate(sizeof(double));
        upload();
    }

    void upload()
    {
        for (std::size_t a = 0; a < m_arrays.size(); ++a) {
            const Array& array = m_case.arrays[a];
            std::vector<std::byte> memory(bytes(array) + 2 * kGuard, kGuardByte);
            if (isRead(array))
                std::ranges::copy(storedAs<Real>(array),
                                  memory.begin() + static_cast<std::ptrdiff_t>(offset(array)));
            m_device.upload(memory, m_arrays[a].get());
        }
        m_device.upload(bytesOf(m_case.tokens), m_tokens.get());
        m_device.upload(bytesOf(m_case.integers), m_integers.get());
        m_device.upload(std::as_bytes(std::span(&kFirstLoss, 1)), m_loss.get());
    }

    void run()
    {
        std::vector<typename Memory<Real>::Place> places;
        for (std::size_t a = 0; a < m_arrays.size(); ++a)
            places.push_back({m_arrays[a].get() + offset(m_case.arrays[a]),
                              m_case.arrays[a].values.size(), m_case.arrays[a].isWide});
        const Memory<Real> memory(
            places, {reinterpret_cast<const std::int32_t*>(m_tokens.get()), m_case.tokens.size()},
            {reinterpret_cast<std::int64_t*>(m_integers.get()), m_case.integers.size()},
            reinterpret_cast<double*>(m_loss.get()));
        m_case.body<Real>()(m_kernels, memory);
    }

    Results download() const
    {
        m_device.synchronize();
        Results results;
        const auto isGuard = [](std::byte b) { return b == kGuardByte; };
        for (std::size_t a = 0; a < m_arrays.size(); ++a) {
            const std::size_t size = bytes(m_case.arrays[a]), before = offset(m_case.arrays[a]);
            std::vector<std::byte> memory(size + 2 * kGuard);
            m_device.download(m_arrays[a].get(), memory);
            const std::span<const std::byte> all(memory);
            results.guarded = results.guarded && std::ranges::all_of(all.first(before), isGuard)
                && std::ranges::all_of(all.subspan(before + size), isGuard);
            const auto own = all.subspan(before, size);
            auto& array = results.arrays.emplace_back();
            if (m_case.arrays[a].role != Role::Scratch)
                array.assign(own.begin(), own.end());
        }
        results.integers.resize(m_case.integers.size());
        m_device.download(m_integers.get(), std::as_writable_bytes(std::span(results.integers)));
        m_device.download(m_loss.get(), std::as_writable_bytes(std::span(&results.loss, 1)));
        return results;
    }

private:
    static std::size_t bytes(const Array& array)
    {
        return array.values.size() * sizeOf<Real>(array);
    }
    std::size_t offset(const Array& array) const // in its memory, bytes
    {
        return kGuard + (m_begin == Begin::Shifted ? sizeOf<Real>(array) : 0);
    }

    const Device& m_device;
    const Kernels<Real>& m_kernels;
    const Case& m_case;
    Begin m_begin;
    std::vector<DeviceMemory> m_arrays;
    DeviceMemory m_tokens, m_integers, m_loss;
};

struct Truth
{
    std::vector<Numbers> arrays;
    std::vector<std::int64_t> integers;
    double loss = kFirstLoss;
};

// From the numbers that a device gets.
template<class Real>
Truth truthOf(const Case& c)
{
    Truth truth;
    truth.integers = c.integers;
    std::vector<Memory<double>::Place> places;
    for (const Array& array : c.arrays) {
        Numbers& numbers = truth.arrays.emplace_back(array.values.size(),
                                                     std::numeric_limits<double>::quiet_NaN());
        if (isRead(array))
            numbers = numbersIn<Real>(array, storedAs<Real>(array));
    }
    for (Numbers& numbers : truth.arrays)
        places.push_back({numbers.data(), numbers.size()});
    const Memory<double> memory(places, c.tokens, truth.integers, &truth.loss);
    c.twice(cpu()->doubleKernels(), memory);
    return truth;
}

// ||a - truth|| / ||truth||; NaN where either has one.
double relativeError(const Numbers& a, const Numbers& truth)
{
    double difference = 0, square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = a[i] - truth[i];
        difference += d * d;
        square += truth[i] * truth[i];
    }
    return difference == 0 ? 0 : std::sqrt(difference / std::max(square, 1e-300));
}

template<class Real>
double toleranceOf(const Case& c, const Array& array)
{
    if (array.role == Role::In)
        return 0;
    const bool isExact = array.isWide && !c.roundsInside;
    return kPlacesOfWide<Real> == 1 || isExact ? c.tolerance : c.narrowTolerance;
}

// The worst of the arrays, checked.
template<class Real>
double compare(const Case& c, const Results& results, const Truth& truth)
{
    double worst = 0;
    CHECK(results.guarded);
    CHECK(results.integers == truth.integers);
    CHECK(results.loss == Approx(truth.loss).epsilon(c.tolerance));
    for (std::size_t a = 0; a < c.arrays.size(); ++a) {
        if (c.arrays[a].role == Role::Scratch)
            continue;
        INFO("array " << a);
        const double error
            = relativeError(numbersIn<Real>(c.arrays[a], results.arrays[a]), truth.arrays[a]);
        CHECK(error <= toleranceOf<Real>(c, c.arrays[a])); // false for NaN
        worst = std::isnan(error) ? error : std::max(worst, error);
    }
    return worst;
}

template<class Real>
Results runTwice(const Device& device, const Kernels<Real>& kernels, const Case& c)
{
    Placed<Real> placed(device, kernels, c);
    placed.run();
    const Results first = placed.download();
    placed.upload();
    placed.run();
    const Results second = placed.download();
    CHECK(first.sameBits(second));
    return first;
}

template<class Real>
void checkShifted(const Device& device, const Kernels<Real>& kernels, const Case& c,
                  const Truth& truth)
{
    INFO("arrays that are not aligned to 16 bytes");
    Placed<Real> placed(device, kernels, c, Begin::Shifted);
    placed.run();
    compare<Real>(c, placed.download(), truth);
}

template<class Real>
void checkPlayed(const Case& c, const Truth& truth, Products products)
{
    using cuda_on_cpu::Order;
    INFO("CUDA kernels on the CPU");
    const Kernels<Real>* kernels = kernelsOf<Real>(*playedCuda(), products);
    if (kernels == nullptr)
        return;
    cuda_on_cpu::playAs(Order::Forward);
    const Results forward = runTwice<Real>(*playedCuda(), *kernels, c);
    compare<Real>(c, forward, truth);
    checkShifted<Real>(*playedCuda(), *kernels, c, truth);
    for (const Order order : {Order::Backward, Order::Shuffled}) {
        cuda_on_cpu::playAs(order);
        CHECK(
            runTwice<Real>(*playedCuda(), *kernels, c).sameBits(forward)); // else two threads race
    }
}

constexpr std::size_t kSmall = 300'000; // numbers of a case that is played on the CPU

bool isSmall(const Case& c)
{
    std::size_t numbers = 0;
    for (const Array& array : c.arrays)
        numbers += array.values.size();
    return numbers <= kSmall;
}

// Seconds of one run, over many of them; inputs that were changed go on changing.
template<class Real>
double secondsOf(const Device& device, const Kernels<Real>& kernels, const Case& c)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kRuns = 50;
    Placed<Real> placed(device, kernels, c);
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

template<class Real>
std::string rateOf(const Device& device, const Kernels<Real>& kernels, const Case& c)
{
    if (isSmall(c) || (c.bytes == 0 && c.flops == 0))
        return "";
    const double seconds = secondsOf<Real>(device, kernels, c);
    char text[96];
    if (c.flops > 0)
        std::snprintf(text, sizeof text, ", %.1f us, %.2f TFLOP/s", seconds * 1e6,
                      c.flops / seconds / 1e12);
    else
        std::snprintf(text, sizeof text, ", %.1f us, %.0f GB/s", seconds * 1e6,
                      c.bytes / sizeof(float) * sizeof(Real) / seconds / 1e9);
    return text;
}

GpuRows& gpuRows()
{
    static GpuRows rows; // printed when the program ends
    return rows;
}

template<class Real>
void checkGpu(const Case& c, const Truth& truth, Products products)
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
    const Kernels<Real>* kernels = kernelsOf<Real>(device, products);
    if (kernels == nullptr)
        return;
    INFO(device.info().name);
    const bool isNarrow = kPlacesOfWide<Real> > 1;
    const std::string name = c.name
        + (isNarrow                         ? " bf16"
               : products == Products::Tf32 ? " tf32"
                                            : "");
    try {
        const Results results = runTwice<Real>(device, *kernels, c);
        const double worst = compare<Real>(c, results, truth);
        checkShifted<Real>(device, *kernels, c, truth);
        char numbers[64];
        std::snprintf(numbers, sizeof numbers, ": error %.1e", worst);
        gpuRows().add(name,
                      worst <= (isNarrow ? c.narrowTolerance : c.tolerance) && results.guarded,
                      worst, c.shape + numbers + rateOf<Real>(device, *kernels, c));
    } catch (const std::exception& error) {
        FAIL_CHECK(error.what());
        gpuRows().add(name, false, 0, c.shape + ": " + error.what());
    }
}

template<class Real>
void conformsAs(const char* type, const Case& c, Products products)
{
    INFO(type);
    const Truth truth = truthOf<Real>(c);
    if (isSmall(c)) {
        if (const auto* kernels = kernelsOf<Real>(*cpu(), products)) {
            INFO("CPU");
            compare<Real>(c, runTwice<Real>(*cpu(), *kernels, c), truth);
        }
        if (plays())
            checkPlayed<Real>(c, truth, products);
    }
    checkGpu<Real>(c, truth, products);
}

} // namespace

void conforms(const Case& c)
{
    INFO(c.name << ", " << c.shape);
    conformsAs<float>("float", c, Products::Exact);
    conformsAs<bfloat16>("bfloat16", c, Products::Exact);
    if (!c.multiplies)
        return;
    Case rounded = c;
    rounded.tolerance = kTf32Tolerance;
    conformsAs<float>("tf32", rounded, Products::Tf32);
}

void row(const std::string& check, const char* verdict, const std::string& text)
{
    std::printf("ROW\t%s\t%s\t%s\n", check.c_str(), verdict, text.c_str());
    std::fflush(stdout);
}

bool hasLarge()
{
    const char* value = std::getenv("KERNEL_CASES");
    const std::string cases = value == nullptr ? "" : value;
    return cases == "large" || (gpu().has_value() && cases != "small");
}

} // namespace kernel_test
