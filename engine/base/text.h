#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace engine {

// The candidate a typing mistake away from `name` (at most a third of its letters differ); empty
// when none is near. For "did you mean".
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);

// "fifo, lifo": for messages.
std::string joined(std::span<const std::string_view> names);

// Text of a file as a message may quote it: at most 40 bytes, then "..."; what cannot be printed as
// '?'. So that neither a line of a hundred megabytes nor binary garbage ends up in an error.
std::string excerpt(std::string_view text);

// `word` as a POSIX shell reads it back: unchanged where it is plain, else in single quotes.
std::string shellQuoted(std::string_view word);

// The whole of `text` as a decimal integer: no blanks, no sign but '-'.
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
