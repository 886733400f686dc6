#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace profiler {

// The buffers that CUPTI fills, zeroed before it gets them (it would zero them on the thread that
// launches) and used again. Any thread; nothing else is called while the lock is held, so that
// CUPTI may call from wherever it likes.
class BufferPool
{
public:
    struct Size
    {
        std::size_t bytes = std::size_t{2} << 20; // a buffer, a multiple of 8
        // Buffers. From CUDA 13 on CUPTI fills one for each thread that calls CUDA at the same time
        // (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER), and a device has a thread.
        std::size_t limit = 128;
    };
    explicit BufferPool(Size size)
        : m_size(size)
    { }

    struct Full
    {
        std::uint8_t* data = nullptr;
        std::size_t valid = 0; // bytes that hold records
    };

    // An empty one, zero throughout. nullptr: as many as there may be are under way, and what
    // CUPTI records now is lost.
    std::uint8_t* take();
    // It comes back from CUPTI, with records or without.
    void complete(std::uint8_t* data, std::size_t valid);
    // Those that came back since the last call, oldest first. Each goes to recycle() when it has
    // been read.
    std::vector<Full> completed();
    void recycle(const Full& buffer);

    std::size_t bytes() const { return m_size.bytes; } // that CUPTI may fill
    // So much more of a buffer may be read: an older CUPTI's last record is shorter than ours.
    static constexpr std::size_t kBeyond = 256;
    std::int64_t declined() const;

private:
    // Eight bytes each: CUPTI asks for that alignment.
    using Words = std::unique_ptr<std::uint64_t[]>;

    Size m_size;
    mutable std::mutex m_mutex; // guards what follows
    std::vector<Words> m_all;
    std::vector<std::uint8_t*> m_free;
    std::vector<Full> m_completed;
    std::int64_t m_declined = 0;
};

} // namespace profiler
