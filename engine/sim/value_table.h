#pragma once

#include <cstdint>
#include <vector>

namespace engine::sim {

// What is known of every value while an iteration is placed, in one 64-bit word each: not made yet,
// made on its own device, or (from 0 up) the tick at which it is where it was sent. Until then the
// word also keeps which receive op waits for it.
class ValueTable
{
public:
    static constexpr std::int64_t kNoReceive = -1;

    explicit ValueTable(std::uint32_t values)
        : m_words(values, kNotMade)
    { }

    // Before anything else of the value.
    void setReceive(std::uint32_t value, std::uint32_t op)
    {
        m_words[value] = kFirstReceive - 2 * static_cast<std::int64_t>(op);
    }
    void setMade(std::uint32_t value)
    {
        std::int64_t& word = m_words[value];
        if (word < 0 && !isMade(value))
            --word;
    }
    void setArrival(std::uint32_t value, std::int64_t tick) { m_words[value] = tick; }
    void setGone(std::uint32_t value) { m_words[value] = kNotMade; }

    bool isMade(std::uint32_t value) const
    {
        return m_words[value] >= 0 || m_words[value] % 2 == 0;
    }
    bool hasArrived(std::uint32_t value) const { return m_words[value] >= 0; }
    std::int64_t arrival(std::uint32_t value) const { return m_words[value]; }
    std::int64_t receive(std::uint32_t value) const
    {
        return m_words[value] > kFirstReceive ? kNoReceive : (kFirstReceive - m_words[value]) / 2;
    }

private:
    // Odd: not made; one less, even: made.
    static constexpr std::int64_t kNotMade = -1;
    static constexpr std::int64_t kFirstReceive = -3;

    std::vector<std::int64_t> m_words;
};

} // namespace engine::sim
