#include "profiler/capture/cupti/buffer_pool.h"

#include <cstring>
#include <utility>

namespace profiler {

std::uint8_t* BufferPool::take()
{
    const std::lock_guard lock(m_mutex);
    if (!m_free.empty()) {
        std::uint8_t* data = m_free.back();
        m_free.pop_back();
        return data;
    }
    if (m_all.size() == m_size.limit) {
        ++m_declined;
        return nullptr;
    }
    m_all.push_back(
        std::make_unique<std::uint64_t[]>((m_size.bytes + kBeyond) / sizeof(std::uint64_t)));
    return reinterpret_cast<std::uint8_t*>(m_all.back().get()); // NOLINT: CUPTI takes bytes
}

void BufferPool::complete(std::uint8_t* data, std::size_t valid)
{
    const std::lock_guard lock(m_mutex);
    m_completed.push_back({data, valid});
}

std::vector<BufferPool::Full> BufferPool::completed()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_completed, {});
}

void BufferPool::recycle(const Full& buffer)
{
    std::memset(buffer.data, 0, buffer.valid); // bytes from `valid` on are still zero
    const std::lock_guard lock(m_mutex);
    m_free.push_back(buffer.data);
}

std::int64_t BufferPool::declined() const
{
    const std::lock_guard lock(m_mutex);
    return m_declined;
}

} // namespace profiler
