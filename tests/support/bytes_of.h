#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Numbers as the memory that executors give to a model.
template<class Number>
std::span<std::byte> bytesOf(std::vector<Number>& numbers)
{
    return std::as_writable_bytes(std::span(numbers));
}
