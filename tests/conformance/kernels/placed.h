#pragma once

#include "tests/conformance/kernels/stored_array.h"
#include "tests/conformance/kernels/suite.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

// A case in the memory of a device: its arrays between guards, and what was made of them.
namespace kernel_test {

constexpr std::size_t kGuard = 256; // bytes before and behind an array
// Of guards, and of what is to be written: a NaN of any type, so that what is read from there
// shows.
constexpr std::byte kGuardByte{0xFF};

inline bool isRead(const Array& array)
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

// Which arrays begin not as allocations do, but one number behind, where no access of 16 bytes can
// be: a bit each.
using Shifted = std::uint64_t;
constexpr Shifted kNoneShifted = 0, kAllShifted = ~kNoneShifted;

// The arrays of a case on a device, each in memory of its own between guards.
template<class Real>
class PlacedCase
{
public:
    PlacedCase(const engine::Device& device, const engine::Kernels<Real>& kernels, const Case& c,
               Shifted shifted = kNoneShifted)
        : m_device(device)
        , m_kernels(kernels)
        , m_case(c)
        , m_shifted(shifted)
    {
        for (const Array& array : c.arrays)
            m_arrays.push_back(
                m_device.allocate(static_cast<engine::Bytes>(bytes(array) + 2 * kGuard)));
        m_tokens = m_device.allocate(
            static_cast<engine::Bytes>((c.tokens.size() + 1) * sizeof(std::int32_t)));
        m_integers = m_device.allocate(
            static_cast<engine::Bytes>((c.integers.size() + 1) * sizeof(std::int64_t)));
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
                                  memory.begin() + static_cast<std::ptrdiff_t>(offset(a)));
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
            places.push_back({m_arrays[a].get() + offset(a), m_case.arrays[a].values.size(),
                              m_case.arrays[a].isWide});
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
            const std::size_t size = bytes(m_case.arrays[a]), before = offset(a);
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
    std::size_t offset(std::size_t array) const // in its memory, bytes
    {
        const bool isShifted = (m_shifted >> array & 1U) != 0;
        return kGuard + (isShifted ? sizeOf<Real>(m_case.arrays[array]) : 0);
    }

    const engine::Device& m_device;
    const engine::Kernels<Real>& m_kernels;
    const Case& m_case;
    Shifted m_shifted;
    std::vector<engine::DeviceMemory> m_arrays;
    engine::DeviceMemory m_tokens, m_integers, m_loss;
};

} // namespace kernel_test
