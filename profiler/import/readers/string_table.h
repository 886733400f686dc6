#pragma once

#include <cstdint>
#include <deque>
#include <iterator>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

// Interns texts and numbers them in the order of first use; "" is 0.
class StringTable
{
public:
    StringTable() { number(""); }

    std::uint32_t number(std::string_view text)
    {
        if (const auto known = m_numbers.find(text); known != m_numbers.end())
            return known->second;
        const auto number = static_cast<std::uint32_t>(m_texts.size());
        m_texts.emplace_back(text);
        m_numbers.emplace(m_texts.back(), number);
        return number;
    }
    const std::string& text(std::uint32_t number) const { return m_texts[number]; }
    // Moves all texts out. Do not use the table afterwards.
    std::vector<std::string> take()
    {
        m_numbers.clear();
        return {std::make_move_iterator(m_texts.begin()), std::make_move_iterator(m_texts.end())};
    }

private:
    std::deque<std::string> m_texts; // a deque never moves its elements, to which m_numbers points
    std::pmr::monotonic_buffer_resource m_memory;
    std::pmr::unordered_map<std::string_view, std::uint32_t> m_numbers{&m_memory};
};

} // namespace profiler
