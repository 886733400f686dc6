#pragma once

#include "engine/backend/device.h"

#include <vector>

namespace engine {

// A loss for each micro-batch, in the memory that the kernels work on, so that no op of an
// iteration waits for a number. The device must outlive it; none: this process's memory.
class LossSlots
{
public:
    LossSlots(int microBatches, const Device* device)
        : m_device(device)
        , m_host(static_cast<std::size_t>(microBatches))
    {
        if (device != nullptr)
            m_memory = device->allocate(static_cast<Bytes>(m_host.size() * sizeof(double)),
                                        MemoryFor::Losses);
    }

    // All to 0, in the order of the ops.
    void clear()
    {
        if (m_device == nullptr)
            std::ranges::fill(m_host, 0);
        else
            m_device->fill({m_memory.get(), m_host.size() * sizeof(double)}, std::byte{0});
    }
    double* of(std::size_t microBatch)
    {
        return (m_device == nullptr ? m_host.data() : reinterpret_cast<double*>(m_memory.get()))
            + microBatch;
    }
    // [micro-batch]; after the ops before.
    std::vector<double> read() const
    {
        std::vector<double> losses = m_host;
        if (m_device != nullptr)
            m_device->download(m_memory.get(), std::as_writable_bytes(std::span(losses)));
        return losses;
    }

private:
    const Device* m_device;
    std::vector<double> m_host;
    DeviceMemory m_memory;
};

} // namespace engine
