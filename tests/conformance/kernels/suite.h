#pragma once

#include "engine/backend/device.h"
#include "tests/support/finite_differences.h"

#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// The conformance suite of kernels: the same cases for every device and type of numbers. Truth is
// the CPU's kernels in double precision, on the numbers that the device gets; what is compared is
// the CPU in float and bfloat16, the CUDA kernels emulated on the CPU (tests/support/cuda_on_cpu),
// and, where there is one, a GPU. Inputs have no pattern, outputs begin as NaN, every array lies
// between guards, and every case runs twice: the same bits; once more where arrays
// are not aligned to 16 bytes.
namespace kernel_test {

enum class Role {
    In,      // must not be changed
    InOut,   // read, and changed or added to
    Out,     // every number is written
    Scratch, // not compared
};

struct Array
{
    Role role = Role::In;
    Numbers values;      // of Out and Scratch only the count matters
    bool isWide = false; // of Wide<Real>, not of Real

    Array wide() const { return {role, values, true}; }
};
inline Array in(std::size_t count, unsigned seed)
{
    return {Role::In, noise(count, seed)};
}
inline Array inOut(std::size_t count, unsigned seed)
{
    return {Role::InOut, noise(count, seed)};
}
inline Array out(std::size_t count)
{
    return {Role::Out, Numbers(count)};
}
inline Array scratch(std::size_t count)
{
    return {Role::Scratch, Numbers(count)};
}

// The arrays of a case in a device's memory.
template<class Real>
class Memory
{
public:
    struct Place
    {
        void* data = nullptr;
        std::size_t count = 0;
        bool isWide = false;
    };

    Memory(std::vector<Place> arrays, std::span<const std::int32_t> tokens,
           std::span<std::int64_t> integers, double* loss)
        : m_arrays(std::move(arrays))
        , m_tokens(tokens)
        , m_integers(integers)
        , m_loss(loss)
    { }

    Real* operator()(std::size_t array) const { return all(array).data(); }
    engine::Wide<Real>* wide(std::size_t array) const { return allWide(array).data(); }
    std::span<Real> all(std::size_t array) const { return part<Real>(array, false); }
    std::span<engine::Wide<Real>> allWide(std::size_t array) const
    {
        return part<engine::Wide<Real>>(array, true);
    }
    engine::Matrix<Real> matrix(std::size_t array, int rows, int columns, int stride = 0) const
    {
        return {(*this)(array), rows, columns, stride == 0 ? columns : stride};
    }
    engine::Matrix<engine::Wide<Real>> wideMatrix(std::size_t array, int rows, int columns,
                                                  int stride = 0) const
    {
        return {wide(array), rows, columns, stride == 0 ? columns : stride};
    }
    std::span<const std::int32_t> tokens() const { return m_tokens; }
    std::span<std::int64_t> integers() const { return m_integers; }
    double* loss() const { return m_loss; } // begins as kFirstLoss; compared

private:
    template<class Number>
    std::span<Number> part(std::size_t array, [[maybe_unused]] bool wide) const
    {
        const Place& place = m_arrays[array];
        assert(engine::kPlacesOfWide<Real> == 1 || place.isWide == wide);
        return {static_cast<Number*>(place.data), place.count};
    }

    std::vector<Place> m_arrays;
    std::span<const std::int32_t> m_tokens;
    std::span<std::int64_t> m_integers;
    double* m_loss;
};
constexpr double kFirstLoss = 0.75;

// A case's operation on numbers of one type.
template<class Real>
using Body = std::function<void(const engine::Kernels<Real>&, const Memory<Real>&)>;

// One operation on one shape. Its bodies are one function, of a template.
struct Case
{
    std::string name;  // of the row of run_all.sh's table: "layer norm"
    std::string shape; // "5 x 7"
    std::vector<Array> arrays;
    std::vector<std::int32_t> tokens = {};
    std::vector<std::int64_t> integers = {}; // changed, and compared bit for bit
    double tolerance = 2e-6;                 // of ||out - truth|| / ||truth||, each array
    // The same of what is stored as bfloat16, which rounding moves by 2^-8 of itself at most; wide
    // arrays keep `tolerance`, except where the operation rounds on the way.
    double narrowTolerance = 0x1p-8;
    bool roundsInside = false;
    bool roundsOnce = true;      // else: several operations, of which each rounds
    bool multiplies = false;     // matrices: once more with products in tf32
    double bytes = 0, flops = 0; // of the least work in float: for rates on a GPU
    Body<float> single = {};
    Body<double> twice = {};
    Body<engine::bfloat16> narrow = {};

    template<class Any>
    static void setBody(Case& c, const Any& body)
    {
        c.single = body;
        c.twice = body;
        c.narrow = body;
    }
    template<class Real>
    const Body<Real>& body() const
    {
        if constexpr (std::is_same_v<Real, double>)
            return twice;
        else if constexpr (std::is_same_v<Real, engine::bfloat16>)
            return narrow;
        else
            return single;
    }
};

// Runs the case on every device, and says what is wrong through Catch.
void conforms(const Case& c);

template<class Any>
void conforms(Case c, const Any& body)
{
    Case::setBody(c, body);
    conforms(c);
}

// A line for the table of tests/gpu/run_all.sh (tests/gpu/probes/probe.h).
void row(const std::string& check, const char* verdict, const std::string& text);

// Whether there is time for shapes of a real model: on a GPU, unless KERNEL_CASES=small, and where
// KERNEL_CASES=large says so. Cases of such shapes run on a GPU alone.
bool hasLarge();

} // namespace kernel_test
