#pragma once

#include "engine/base/new_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace profiler {

// Collects text and passes it on in pieces of about 1 MiB, because the text for ten million ops
// takes gigabytes.
class TextPieces
{
public:
    explicit TextPieces(const engine::TextSink& sink)
        : m_sink(sink)
    { }
    TextPieces(const TextPieces&) = delete;
    TextPieces& operator=(const TextPieces&) = delete;
    ~TextPieces() { m_sink(m_piece); }

    template<class... Values>
    void add(fmt::format_string<Values...> text, Values&&... values)
    {
        constexpr std::size_t kPiece = 1 << 20;
        fmt::format_to(std::back_inserter(m_piece), text, std::forward<Values>(values)...);
        if (m_piece.size() < kPiece)
            return;
        m_sink(m_piece);
        m_piece.clear();
    }

private:
    const engine::TextSink& m_sink;
    std::string m_piece;
};

// Converts ticks to a JSON number in cost units, or in ns for measured runs. The number is exact,
// except for thirds of a unit, which have nine decimals.
std::string ticksText(std::int64_t ticks, std::int64_t ticksPerUnit);

// A JSON string with quotes; invalid UTF-8 is replaced.
std::string jsonText(std::string_view text);

} // namespace profiler
