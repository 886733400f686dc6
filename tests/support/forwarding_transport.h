#pragma once

#include "engine/transport/transport.h"

#include <memory>

namespace tests {

// Does what the real one does: tests change one thing of it.
class ForwardingTransport : public engine::Transport
{
public:
    explicit ForwardingTransport(std::unique_ptr<engine::Transport> real)
        : m_real(std::move(real))
    { }

    void beginIteration() override { m_real->beginIteration(); }
    void post(engine::DeviceId self, std::uint32_t id) override { m_real->post(self, id); }
    bool send(engine::DeviceId self, std::uint32_t id) override { return m_real->send(self, id); }
    void receive(engine::DeviceId self, std::uint32_t id) override { m_real->receive(self, id); }
    void copy(engine::DeviceId self, std::uint32_t id) override { m_real->copy(self, id); }
    void allReduce(engine::DeviceId self, std::uint32_t id) override
    {
        m_real->allReduce(self, id);
    }
    bool wait(engine::DeviceId self, engine::Fence fence) override
    {
        return m_real->wait(self, fence);
    }
    void abort() override { m_real->abort(); }
    void poll() override { m_real->poll(); }
    bool hasPassed(engine::Fence fence) const override { return m_real->hasPassed(fence); }
    engine::TransferTime timeOf(engine::Fence fence) const override
    {
        return m_real->timeOf(fence);
    }

private:
    std::unique_ptr<engine::Transport> m_real;
};

} // namespace tests
