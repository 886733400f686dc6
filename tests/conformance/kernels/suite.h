#pragma once

#include "engine/backend/device.h"
#include "tests/support/finite_differences.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// The conformance suite of kernels: the same cases for every device. Truth is the CPU's kernels in
// double precision; what is compared is the CPU in single precision, the CUDA kernels played on the
// CPU (tests/support/cuda_on_cpu), and, where there is one, a GPU. Inputs have no pattern, outputs
// begin as NaN, every array lies between guards, and every case runs twice: the same bits.
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
    Numbers values; // of Out and Scratch only the count matters
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
    Memory(std::vector<std::span<Real>> arrays, std::span<const std::int32_t> tokens,
           std::span<std::int64_t> integers)
        : m_arrays(std::move(arrays))
        , m_tokens(tokens)
        , m_integers(integers)
    { }

    Real* operator()(std::size_t array) const { return m_arrays[array].data(); }
    std::span<Real> all(std::size_t array) const { return m_arrays[array]; }
    engine::Matrix<Real> matrix(std::size_t array, int rows, int columns, int stride = 0) const
    {
        return {m_arrays[array].data(), rows, columns, stride == 0 ? columns : stride};
    }
    std::span<const std::int32_t> tokens() const { return m_tokens; }
    std::span<std::int64_t> integers() const { return m_integers; }

private:
    std::vector<std::span<Real>> m_arrays;
    std::span<const std::int32_t> m_tokens;
    std::span<std::int64_t> m_integers;
};

// One operation on one shape. `single` and `twice` are one function, of a template.
struct Case
{
    std::string name;  // of the row of run_all.sh's table: "layer norm"
    std::string shape; // "5 x 7"
    std::vector<Array> arrays;
    std::vector<std::int32_t> tokens = {};
    std::vector<std::int64_t> integers = {}; // changed, and compared bit for bit
    double tolerance = 2e-6;                 // of ||out - truth|| / ||truth||, each array
    double bytes = 0, flops = 0;             // of the least work: for rates on a GPU
    std::function<double(const engine::Kernels<float>&, const Memory<float>&)> single = {};
    std::function<double(const engine::Kernels<double>&, const Memory<double>&)> twice = {};

    // `body(kernels, memory)` of either precision; what it returns is compared, too.
    template<class Body>
    static void setBody(Case& c, const Body& body)
    {
        c.single
            = [body](const auto& kernels, const auto& memory) { return body(kernels, memory); };
        c.twice = [body](const auto& kernels, const auto& memory) { return body(kernels, memory); };
    }
};

// Runs the case on every device, and says what is wrong through Catch.
void conforms(const Case& c);

template<class Body>
void conforms(Case c, const Body& body)
{
    Case::setBody(c, body);
    conforms(c);
}

// A line for the table of tests/gpu/run_all.sh (tests/gpu/probes/probe.h).
void row(const std::string& check, const char* verdict, const std::string& text);

// Whether there is time for shapes of a real model: on a GPU, unless KERNEL_CASES=small. Cases of
// such shapes run on it alone.
bool hasLarge();

} // namespace kernel_test
