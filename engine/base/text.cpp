#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace engine {
namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The Levenshtein distance without regard to case, computed with one row of memory.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// The length of "ESC [ digits m" or "ESC [ digits K" at the start of `text`, or 0.
std::size_t harmlessSequence(std::string_view text)
{
    if (!text.starts_with("\033["))
        return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && (text[end] == 'm' || text[end] == 'K') ? end + 1 : 0;
}

// The length of a control character (C0, DEL, or C1 in UTF-8) at the start of `text`, or 0.
std::size_t controlCharacter(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x20 || first == 0x7F)
        return 1;
    const bool isC1
        = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
    return isC1 ? 2 : 0;
}

// Removes the number with which `text` begins and returns its digits, without leading zeros.
std::string_view takeNumber(std::string_view& text)
{
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    const std::string_view number
        = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
    text.remove_prefix(number.size());
    return number;
}

} // namespace

bool naturalLess(std::string_view a, std::string_view b)
{
    const auto isDigit = [](char c) { return '0' <= c && c <= '9'; };
    std::string_view x = a, y = b;
    while (!x.empty() && !y.empty()) {
        if (isDigit(x.front()) && isDigit(y.front())) {
            const std::string_view number = takeNumber(x), other = takeNumber(y);
            if (number != other)
                return std::pair(number.size(), number) < std::pair(other.size(), other);
        } else if (x.front() != y.front()) {
            return x.front() < y.front();
        } else {
            x.remove_prefix(1);
            y.remove_prefix(1);
        }
    }
    if (x.empty() && y.empty())
        return a < b; // they differ in leading zeros, if at all
    return x.empty();
}

namespace {

// Escapes the control characters for which `keeps` returns 0; otherwise it returns the length of
// what is kept at the start of a text.
std::string escaped(std::string_view text, std::size_t (*keeps)(std::string_view))
{
    std::string out;
    out.reserve(text.size());
    const auto isPlain = [](char c) { return ' ' <= c && c <= '~'; };
    while (!text.empty()) {
        const std::size_t plain = std::ranges::find_if_not(text, isPlain) - text.begin();
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const std::size_t kept = keeps(text);
        const std::size_t control = kept > 0 ? 0 : controlCharacter(text);
        const std::size_t length = std::max({kept, control, std::size_t{1}});
        if (control > 0)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[control - 1]));
        else
            out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

} // namespace

std::string withoutControls(std::string_view text)
{
    return escaped(text, [](std::string_view rest) {
        const bool isBlank = rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r';
        return isBlank ? std::size_t{1} : harmlessSequence(rest);
    });
}

std::string oneLine(std::string_view text)
{
    return escaped(text, [](std::string_view) { return std::size_t{0}; });
}

std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates)
{
    constexpr std::size_t kLongestName = 64; // longer names are not corrected
    std::string_view nearest;
    std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        if (name.size() > kLongestName)
            break;
        const std::size_t distance = editDistance(name, candidate);
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string excerpt(std::string_view text)
{
    constexpr std::size_t kLongest = 40;
    std::string shown(text.substr(0, kLongest));
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~')
            c = '?';
    return text.size() > kLongest ? shown + "..." : shown;
}

std::string shellQuoted(std::string_view word)
{
    static constexpr std::string_view kPlain
        = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
        return std::string(word);
    std::string text = "'";
    for (const char c : word)
        if (c == '\'')
            text += "'\\''";
        else
            text += c;
    return text + "'";
}

std::string joined(std::span<const std::string_view> names)
{
    std::string text;
    for (const std::string_view name : names) {
        if (!text.empty())
            text += ", ";
        text += name;
    }
    return text;
}

std::string didYouMean(std::string_view name, std::span<const std::string_view> known)
{
    const std::string_view nearest = nearestName(name, known);
    return nearest.empty() ? fmt::format("use one of: {}", joined(known))
                           : fmt::format("did you mean '{}'?", nearest);
}

std::string wrapped(const std::string& text, std::size_t width)
{
    std::string lines;
    std::size_t begin = 0;
    while (text.size() - begin > width) {
        std::size_t end = text.rfind(' ', begin + width);
        if (end == std::string::npos || end <= begin)
            end = text.find(' ', begin + width);
        if (end == std::string::npos)
            break;
        lines += text.substr(begin, end - begin) + '\n';
        begin = end + 1;
    }
    return lines + text.substr(begin);
}

std::string csvCell(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string cell = "\"";
    for (const char c : text)
        cell += c == '"' ? "\"\"" : std::string(1, c);
    return cell + "\"";
}

} // namespace engine
