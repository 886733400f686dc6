#include "tests/conformance/kernels/suite.h"

#include "tests/catch.h"
#include "tests/conformance/kernels/devices.h"
#include "tests/conformance/kernels/gpu_rows.h"
#include "tests/conformance/kernels/placed.h"
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

// The worst of all numbers by what one rounding to bfloat16 may make of it, half of its last place,
// beside the error of the arithmetic before.
double worstRounding(const Numbers& a, const Numbers& truth)
{
    constexpr int kBits = 8; // of a bfloat16, the first one included
    double square = 0, worst = 0;
    for (const double x : truth)
        square += x * x;
    const double before = 1e-5 * std::sqrt(square / std::max(1.0, static_cast<double>(a.size())));
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const double d = std::abs(a[i] - truth[i]); d > 0) {
            const double half = truth[i] == 0 ? 0 : std::ldexp(1, std::ilogb(truth[i]) - kBits);
            worst = std::max(worst, d / (half + before));
        }
    return worst;
}

template<class Real>
bool isRoundedOnce(const Case& c, const Array& array)
{
    constexpr bool kIsNarrow = kPlacesOfWide<Real> != 1;
    return kIsNarrow && !array.isWide && array.role != Role::In && c.roundsOnce && !c.roundsInside;
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
        if (isRoundedOnce<Real>(c, c.arrays[a]))
            CHECK(worstRounding(numbersIn<Real>(c.arrays[a], results.arrays[a]), truth.arrays[a])
                  <= 1);
    }
    return worst;
}

template<class Real>
Results runTwice(const Device& device, const Kernels<Real>& kernels, const Case& c)
{
    PlacedCase<Real> placed(device, kernels, c);
    placed.run();
    const Results first = placed.download();
    placed.upload();
    placed.run();
    const Results second = placed.download();
    CHECK(first.sameBits(second));
    return first;
}

std::size_t numbersOf(const Case& c)
{
    std::size_t numbers = 0;
    for (const Array& array : c.arrays)
        numbers += array.values.size();
    return numbers;
}

// Each array alone where that costs little: one that is not looked at shows only there.
template<class Real>
void checkShifted(const Device& device, const Kernels<Real>& kernels, const Case& c,
                  const Truth& truth)
{
    constexpr std::size_t kFew = 10'000; // numbers
    std::vector<Shifted> all{kAllShifted};
    if (numbersOf(c) <= kFew)
        for (std::size_t array = 0; array < c.arrays.size(); ++array)
            all.push_back(Shifted{1} << array);
    for (const Shifted shifted : all) {
        INFO("arrays that are not aligned to 16 bytes: " << std::hex << shifted);
        PlacedCase<Real> placed(device, kernels, c, shifted);
        placed.run();
        compare<Real>(c, placed.download(), truth);
    }
}

template<class Real>
void checkEmulated(const Case& c, const Truth& truth, Products products)
{
    using cuda_on_cpu::Order;
    INFO("CUDA kernels on the CPU");
    const Kernels<Real>* kernels = kernelsOf<Real>(*emulatedCuda(), products);
    if (kernels == nullptr)
        return;
    cuda_on_cpu::runIn(Order::Forward);
    const Results forward = runTwice<Real>(*emulatedCuda(), *kernels, c);
    compare<Real>(c, forward, truth);
    checkShifted<Real>(*emulatedCuda(), *kernels, c, truth);
    for (const Order order : {Order::Backward, Order::Shuffled}) {
        cuda_on_cpu::runIn(order);
        CHECK(runTwice<Real>(*emulatedCuda(), *kernels, c)
                  .sameBits(forward)); // else two threads race
    }
}

constexpr std::size_t kSmall = 300'000; // numbers of a case that is emulated on the CPU

bool isSmall(const Case& c)
{
    return numbersOf(c) <= kSmall;
}

// Seconds of one run, over many of them; inputs that were changed go on changing.
template<class Real>
double secondsOf(const Device& device, const Kernels<Real>& kernels, const Case& c)
{
    using Clock = std::chrono::steady_clock;
    constexpr int kRuns = 50;
    PlacedCase<Real> placed(device, kernels, c);
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
        if (isEmulated())
            checkEmulated<Real>(c, truth, products);
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
