#pragma once

#include "engine/backend/memory_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace engine {

// Operations on memory of a device; the default implementation is for host memory. Calls follow
// the rules of Kernels (kernels.h).
class MemoryOperations
{
public:
    MemoryOperations() = default;
    MemoryOperations(const MemoryOperations&) = delete;
    MemoryOperations& operator=(const MemoryOperations&) = delete;
    virtual ~MemoryOperations() = default;

    virtual void zeroBytes(std::span<std::byte> x) const { std::ranges::fill(x, std::byte{0}); }
    virtual void copyBytes(std::span<const std::byte> from, std::span<std::byte> to) const
    {
        std::ranges::copy(from, to.begin());
    }
    virtual void addIntegers(std::span<const std::int64_t> x, std::span<std::int64_t> y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += x[i];
    }
    // Returns the number of lines (memory_lines.h) that have a byte other than `value` after all
    // earlier ops. The memory must be aligned to 16 bytes. Synchronous.
    virtual std::int64_t linesUnlike(std::byte value, std::span<const std::byte> memory) const
    {
        return engine::linesUnlike(value, memory);
    }
    // Returns the device address of `numbers`, which must outlive the kernels.
    template<class Number>
    const Number* constants(const std::vector<Number>& numbers) const
    {
        return reinterpret_cast<const Number*>(constantBytes(std::as_bytes(std::span(numbers))));
    }

    template<class Number>
    void zero(std::span<Number> x) const
    {
        zeroBytes(std::as_writable_bytes(x));
    }
    template<class Number>
    void copy(std::span<const std::type_identity_t<Number>> from, std::span<Number> to) const
    {
        copyBytes(std::as_bytes(from), std::as_writable_bytes(to));
    }

private:
    virtual const std::byte* constantBytes(std::span<const std::byte> bytes) const
    {
        return bytes.data();
    }
};

} // namespace engine
