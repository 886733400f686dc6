#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace profiler {

// Buffers for CUPTI. The pool reuses them and zeroes them in advance, because otherwise CUPTI would
// zero them on the launching thread. Thread-safe. Calls no other code while the mutex is locked, so
// CUPTI may call it from anywhere.
class BufferPool
{
public:
    struct Size
    {
        std::size_t bytes = std::size_t{2} << 20; // bytes per buffer, a multiple of 8
        // The largest number of buffers. Since CUDA 13, CUPTI fills one buffer per thread that
        // calls CUDA (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER), and each device has a
        // thread.
        std::size_t limit = 128;
    };
    explicit BufferPool(Size size)
        : m_size(size)
    { }

    struct Full
    {
        std::uint8_t* data = nullptr;
        std::size_t valid = 0; // number of bytes with records
    };

    // Returns an empty, zeroed buffer, or nullptr if all buffers are in use; CUPTI drops records if
    // it gets nullptr.
    std::uint8_t* take();
    // Called when CUPTI returns a buffer, with or without records.
    void complete(std::uint8_t* data, std::size_t valid);
    // Returns the buffers that were completed since the last call, oldest first. Pass each buffer
    // to recycle() after reading it.
    std::vector<Full> completed();
    void recycle(const Full& buffer);

    std::size_t bytes() const { return m_size.bytes; } // bytes per buffer that CUPTI may use
    // Number of bytes after the end of a buffer that may be read. A record of an older CUPTI may be
    // shorter than its declaration here, so reading the last record can read beyond the buffer.
    static constexpr std::size_t kBeyond = 256;
    std::int64_t declined() const;

private:
    // CUPTI requires an alignment of eight bytes.
    using Words = std::unique_ptr<std::uint64_t[]>;

    Size m_size;
    mutable std::mutex m_mutex; // protects the members below
    std::vector<Words> m_all;
    std::vector<std::uint8_t*> m_free;
    std::vector<Full> m_completed;
    std::int64_t m_declined = 0;
};

} // namespace profiler
