#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace engine {

// The candidate with the fewest edits from `name`, for "did you mean". Empty if every candidate
// needs more than max(1, name.size() / 3) edits, or if `name` has more than 64 bytes.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);

// Whether `a` comes before `b` if the numbers in them are compared as numbers: "rank2" before
// "rank10".
bool naturalLess(std::string_view a, std::string_view b);

// "fifo, lifo"
std::string joined(std::span<const std::string_view> names);

// "did you mean 'fifo'?", or "use one of: fifo, lifo" if no known name is near.
std::string didYouMean(std::string_view name, std::span<const std::string_view> known);

// Breaks lines at blanks, so that they have at most `width` bytes. A longer word is put on a
// separate line and not broken.
std::string wrapped(const std::string& text, std::size_t width);

// At most 40 bytes for an error message, then "..."; non-printable bytes become '?'.
std::string excerpt(std::string_view text);

// Writes control characters as "\\u001b", so that text from a file cannot control the terminal, and
// JSON stays JSON. Keeps newline, tab, carriage return, and the sequences that set a colour or
// erase a line.
std::string withoutControls(std::string_view text);

// Writes all control characters as "\\u000a", also line breaks and the sequences that
// withoutControls() keeps, so that text from a file cannot look like a line of this program.
std::string oneLine(std::string_view text);

// Quotes `word` for a POSIX shell with single quotes if it contains special characters.
std::string shellQuoted(std::string_view word);

// Quotes `text` as a cell of CSV (RFC 4180) if it contains a comma, a quote or a line break.
std::string csvCell(std::string_view text);

// Parses all of `text` as a decimal integer. The only accepted sign is '-'; blanks are errors.
template<class Integer>
std::optional<Integer> parseInteger(std::string_view text)
{
    Integer value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace engine
