#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

// Numbers texts in the order of their first use; "" is 0.
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
    const std::vector<std::string>& texts() const { return m_texts; }

private:
    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };
    std::vector<std::string> m_texts;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_numbers;
};

} // namespace profiler
