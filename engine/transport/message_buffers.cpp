#include "engine/transport/message_buffers.h"

#include "engine/base/check.h"

namespace engine {

int MessageBuffers::acquire()
{
    if (m_free.empty()) {
        m_buffers.emplace_back(m_numbers);
        return static_cast<int>(m_buffers.size()) - 1;
    }
    const int buffer = m_free.back();
    m_free.pop_back();
    return buffer;
}

void MessageBuffers::release(int buffer)
{
    CHECK(m_free.size() < m_buffers.size());
    m_free.push_back(buffer);
}

} // namespace engine
