#pragma once

#include "engine/base/units.h"

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace engine {

// The buffers of one device for tensors on their way between stages: what it has made and not yet
// sent, and what it has received and not yet used (the receiver owns the buffer, the sender pushes
// into it). All of one size. It grows when none is free, which after the first iteration is rare,
// and never while an op is timed. One thread.
class MessageBuffers
{
public:
    explicit MessageBuffers(std::size_t numbers)
        : m_numbers(numbers)
    { }

    int acquire();
    void release(int buffer);
    std::span<float> operator[](int buffer) { return m_buffers[static_cast<std::size_t>(buffer)]; }

    Bytes bytesEach() const { return static_cast<Bytes>(m_numbers * sizeof(float)); }
    Bytes bytesReserved() const { return bytesEach() * static_cast<Bytes>(m_buffers.size()); }
    bool allFree() const { return m_free.size() == m_buffers.size(); }

private:
    std::size_t m_numbers;
    std::deque<std::vector<float>> m_buffers; // a deque, so that a buffer stays where it is
    std::vector<int> m_free;
};

} // namespace engine
