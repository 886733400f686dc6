#pragma once

#include "tests/conformance/kernels/suite.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

// Arrays of a case as bytes: numbers of Real, or of Wide<Real>.
namespace kernel_test {

template<class Number>
std::vector<std::byte> stored(const Numbers& values)
{
    std::vector<Number> numbers;
    for (const double x : values)
        numbers.push_back(Number(static_cast<float>(x)));
    const auto bytes = std::as_bytes(std::span(numbers));
    return {bytes.begin(), bytes.end()};
}

template<class Number>
Numbers numbersOf(std::span<const std::byte> bytes)
{
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!bytes.empty()) // memcpy takes no null pointer, of nothing either
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
    Numbers values;
    for (const Number x : numbers)
        values.push_back(static_cast<double>(x));
    return values;
}

// An array of a case as numbers of Real have it.
template<class Real>
std::size_t sizeOf(const Array& array)
{
    return array.isWide ? sizeof(engine::Wide<Real>) : sizeof(Real);
}
template<class Real>
std::vector<std::byte> storedAs(const Array& array)
{
    return array.isWide ? stored<engine::Wide<Real>>(array.values) : stored<Real>(array.values);
}
template<class Real>
Numbers numbersIn(const Array& array, std::span<const std::byte> bytes)
{
    return array.isWide ? numbersOf<engine::Wide<Real>>(bytes) : numbersOf<Real>(bytes);
}

} // namespace kernel_test
