#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <string_view>
#include <vector>

namespace engine {

// Iterates over the lines of a text without copying. Accepts LF and CRLF and skips a byte order
// mark.
class Lines
{
public:
    explicit Lines(std::string_view text)
        : m_rest(text)
    {
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (m_rest.starts_with(kByteOrderMark))
            m_rest.remove_prefix(kByteOrderMark.size());
    }

    // The next line without its line ending; nullopt at the end.
    std::optional<std::string_view> next()
    {
        if (m_rest.empty())
            return std::nullopt;
        ++m_number;
        return take(m_rest, '\n');
    }
    int number() const { return m_number; } // number of the last returned line, from 1

    // Splits `text` at the first `separator`: returns the part before it and leaves the part after
    // it.
    static std::string_view take(std::string_view& text, char separator)
    {
        const std::size_t end = text.find(separator);
        std::string_view taken = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (separator == '\n' && taken.ends_with('\r'))
            taken.remove_suffix(1);
        return taken;
    }

private:
    std::string_view m_rest;
    int m_number = 0;
};

inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The ops that a reader of schedule files has parsed; assemble() makes a schedule from them.
using Programs = IdVector<DeviceId, std::vector<Op>>; // in issue order

// The largest stage, micro-batch or index in a file, and the largest device (Op::peer has 16 bits).
constexpr int kLargestNumber = 1 << 24;
constexpr unsigned kLargestDevice = 0xFFFD;

// The smallest shape that contains all ops. Fails with Error::Code::Corrupt if the shape is far
// larger than the number of ops justifies, so that a wrong digit does not allocate gigabytes.
Result<Shape> shapeOf(const Programs& programs);
// Places each stage on the device of its first op, and sets the peers of transfers and copies.
Schedule assemble(const Shape& shape, Programs programs, std::string_view scheme);

} // namespace engine
