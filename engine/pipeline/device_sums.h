#pragma once

#include "engine/backend/device.h"

#include <vector>

namespace engine {

// Sums in device memory (losses of micro-batches, squares of gradients). The ops of an iteration
// add to them, so that no op waits for the host. `device` must outlive the object; nullptr: host
// memory.
class DeviceSums
{
public:
    DeviceSums(int count, const Device* device)
        : m_device(device)
        , m_host(count)
    {
        if (device != nullptr)
            m_memory = device->allocate(m_host.size() * sizeof(double), MemoryFor::Losses);
    }

    // Sets all sums to 0, after the ops queued so far.
    void clear()
    {
        if (m_device == nullptr)
            std::ranges::fill(m_host, 0);
        else
            m_device->fill({m_memory.get(), m_host.size() * sizeof(double)}, std::byte{0});
    }
    double* of(std::size_t index)
    {
        return (m_device == nullptr ? m_host.data() : reinterpret_cast<double*>(m_memory.get()))
            + index;
    }
    // Returns the sums after the ops queued so far.
    std::vector<double> read() const
    {
        std::vector<double> sums = m_host;
        if (m_device != nullptr)
            m_device->download(m_memory.get(), std::as_writable_bytes(std::span(sums)));
        return sums;
    }

private:
    const Device* m_device;
    std::vector<double> m_host;
    DeviceMemory m_memory;
};

} // namespace engine
