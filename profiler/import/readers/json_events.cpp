#include "engine/base/field.h"
#include "engine/base/text.h"
#include "profiler/import/readers/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace profiler {

using namespace engine;

namespace {
constexpr std::size_t kStep = 4 << 20;       // bytes read at once
constexpr std::size_t kMostValue = 64 << 20; // largest event or member in bytes
constexpr int kMostDepth = 64;               // deepest nesting of values in an event
// An event of more bytes may be one with an unescaped quote, whose end is never found.
constexpr std::size_t kUsualEvent = 64 << 10;

// npos if `text` ends within the string. `at` is a position in the string.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    for (;;) {
        at = text.find('"', at);
        if (at == std::string_view::npos)
            return at;
        std::size_t backslashes = 0;
        while (text[at - 1 - backslashes] == '\\')
            ++backslashes;
        ++at;
        if (backslashes % 2 == 0)
            return at;
    }
}

// Reads JSON in pieces. Positions are indices into the buffer, which has the next bytes of the
// trace.
class Scanner
{
public:
    explicit Scanner(const ByteSource& bytes)
        : m_bytes(bytes)
    { }

    // Skips blanks and returns the next byte without consuming it; '\0' at the end or after a
    // failure.
    char peek()
    {
        for (;;) {
            while (m_at < m_size && std::strchr(" \t\r\n", m_buffer[m_at]) != nullptr
                   && m_buffer[m_at] != '\0')
                ++m_at;
            if (m_at < m_size)
                return m_buffer[m_at];
            if (!more())
                return '\0';
        }
    }
    bool take(char expected)
    {
        if (peek() != expected)
            return false;
        ++m_at;
        return true;
    }
    // The text stays valid until the next call; nullopt at the end or if the trace is damaged.
    std::optional<std::string_view> value()
    {
        peek();
        for (;;) {
            const std::string_view rest(m_buffer.data() + m_at, m_size - m_at);
            if (const std::size_t end = endOfValue(rest); end != std::string_view::npos) {
                m_at += end;
                return end == 0 ? std::nullopt : std::optional(rest.substr(0, end));
            }
            if (rest.size() > kMostValue || !more())
                return std::nullopt;
        }
    }
    // Whether the text is one event per line, without a list around them.
    bool isListOfLines()
    {
        while (peek() == '{') {
            const std::string_view text = rest(kUsualEvent);
            const std::size_t end = endOfValue(text);
            if (end != std::string_view::npos)
                return looksLikeEvent(text.substr(0, end))
                    && text.substr(0, end).find("\"traceEvents\"") == std::string_view::npos;
            if (text.size() == kUsualEvent || !more())
                break;
        }
        return false;
    }
    // Passes the next event to `take`. Returns false at the end, or if no event follows.
    bool event(const std::function<bool(std::string_view)>& take)
    {
        peek();
        for (;;) {
            std::size_t end = endOfValue(rest(kUsualEvent));
            const bool isEndless
                = end == std::string_view::npos && (m_ended || m_size - m_at >= kUsualEvent);
            if ((isEndless || end == 0) && skipToEvent(kUsualEvent, take))
                return true;
            if (isEndless)
                end = endOfValue(rest(m_size));
            if (end != std::string_view::npos && end != 0) {
                const bool isRead = take(rest(end));
                if (isRead || !skipToEvent(end, {}))
                    m_at += end;
                return true;
            }
            if (m_ended && skipToMembers()) {
                take({m_buffer.data() + m_at, 0});
                return true;
            }
            if (m_ended || m_size - m_at > kMostValue)
                return false;
            more();
        }
    }
    std::string rest() const
    {
        return excerpt({m_buffer.data() + m_at, std::min<std::size_t>(m_size - m_at, 60)});
    }
    const std::optional<Error>& failure() const { return m_failure; }
    bool atEnd() { return peek() == '\0' && m_at == m_size; }

private:
    // At most `most` of the bytes in the buffer.
    std::string_view rest(std::size_t most) const
    {
        return {m_buffer.data() + m_at, std::min(most, m_size - m_at)};
    }
    static bool looksLikeEvent(std::string_view text)
    {
        return text.find("\"ph\"") != std::string_view::npos;
    }
    // Moves to the event that begins first within the next `most` bytes, if it is whole. `lost` is
    // called with an empty text for each event before it.
    bool skipToEvent(std::size_t most, const std::function<bool(std::string_view)>& lost)
    {
        constexpr int kMostLost = 64;
        const std::string_view text = rest(most);
        std::size_t at = 0;
        for (int count = 1; count <= kMostLost; ++count) {
            for (at = text.find('{', at + 1);
                 at != std::string_view::npos && !beginsEvent(text, at);)
                at = text.find('{', at + 1);
            if (at == std::string_view::npos)
                return false;
            const std::string_view event = rest(at + kUsualEvent).substr(at);
            const std::size_t end = endOfValue(event);
            if (end == std::string_view::npos || end == 0 || !looksLikeEvent(event.substr(0, end)))
                continue;
            for (; lost && count > 0; --count)
                lost({m_buffer.data() + m_at, 0});
            m_at += at;
            return true;
        }
        return false;
    }
    // Moves to the end of the list of events, if members of the trace and its end follow.
    bool skipToMembers()
    {
        constexpr int kMostTries = 1000;
        const std::string_view text = rest(m_size);
        std::size_t at = text.find(']', 1);
        for (int tries = 0; tries < kMostTries && at != std::string_view::npos; ++tries) {
            if (areMembers(text.substr(at + 1))) {
                m_at += at;
                return true;
            }
            at = text.find(']', at + 1);
        }
        return false;
    }
    static bool areMembers(std::string_view text)
    {
        const auto take = [&text](char expected) {
            text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
            const bool isThere = text.starts_with(expected);
            text.remove_prefix(isThere ? 1 : 0);
            return isThere;
        };
        while (take(','))
            for (const char next : {':', ','}) {
                text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
                const std::size_t end = endOfValue(text);
                if (end == std::string_view::npos || end == 0)
                    return false;
                text.remove_prefix(end);
                if (next == ':' && !take(':'))
                    return false;
            }
        return take('}') && text.find_first_not_of(kBlanks) == std::string_view::npos;
    }
    // Whether an object begins here that is not the value of a key.
    static bool beginsEvent(std::string_view text, std::size_t at)
    {
        const std::size_t before = text.substr(0, at).find_last_not_of(kBlanks);
        const std::size_t after = text.find_first_not_of(kBlanks, at + 1);
        return before != std::string_view::npos && after != std::string_view::npos
            && text[after] == '"' && std::string_view(",}]").find(text[before]) < 3;
    }
    // npos if `text` ends within its first value, 0 if the value is nested too deeply.
    static std::size_t endOfValue(std::string_view text)
    {
        if (text.empty())
            return std::string_view::npos;
        if (text.front() == '"')
            return endOfString(text, 1);
        if (text.front() != '{' && text.front() != '[') {
            const std::size_t end = text.find_first_of(",]} \t\r\n");
            return end;
        }
        int depth = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (c == '"') {
                at = endOfString(text, at + 1);
                if (at == std::string_view::npos)
                    return at;
                --at;
            } else if (c == '{' || c == '[') {
                if (++depth > kMostDepth)
                    return 0;
            } else if ((c == '}' || c == ']') && --depth == 0) {
                return at + 1;
            }
        }
        return std::string_view::npos;
    }

    // Drops the used bytes and reads more of the trace. Returns false at its end or on failure.
    bool more()
    {
        if (m_failure || m_ended)
            return false;
        std::memmove(m_buffer.data(), m_buffer.data() + m_at, m_size - m_at);
        m_size -= m_at;
        m_at = 0;
        if (m_buffer.size() < m_size + kStep + kJsonPadding)
            m_buffer.resize(2 * m_size + kStep + kJsonPadding);
        const auto read = m_bytes({m_buffer.data() + m_size, kStep});
        if (!read)
            m_failure = read.error();
        m_ended = !read || *read == 0;
        m_size += read.value_or(0);
        std::memset(m_buffer.data() + m_size, ' ', kJsonPadding);
        return !m_ended;
    }

    static constexpr std::string_view kBlanks = " \t\r\n";
    const ByteSource& m_bytes;
    std::string m_buffer;
    std::size_t m_at = 0, m_size = 0;
    bool m_ended = false;
    std::optional<Error> m_failure;
};

class Reader
{
public:
    Reader(Scanner& scanner, const JsonEvents& events)
        : m_scanner(scanner)
        , m_events(events)
    { }

    // False if the trace is damaged.
    bool read()
    {
        for (const char each : std::string_view("\xEF\xBB\xBF")) // a byte order mark
            m_scanner.take(each);
        if (m_scanner.peek() == '[')
            return readEvents();
        if (m_scanner.isListOfLines())
            return readEvents();
        if (!m_scanner.take('{'))
            return false;
        if (m_scanner.take('}'))
            return true;
        do {
            if (!readMember())
                return false;
        } while (m_scanner.take(','));
        return m_scanner.take('}');
    }
    std::size_t events() const { return m_count; }
    int lists() const { return m_lists; } // number of lists of events

private:
    bool readMember()
    {
        const auto quoted = m_scanner.value();
        if (!quoted || quoted->size() < 2 || quoted->front() != '"')
            return false;
        const std::string key(quoted->substr(1, quoted->size() - 2));
        if (!m_scanner.take(':'))
            return false;
        if (key == "traceEvents" && m_scanner.peek() == '[')
            return readEvents();
        const auto value = m_scanner.value();
        constexpr std::size_t kMostMember = 1 << 20;
        if (value && value->size() <= kMostMember)
            m_events.member(key, *value);
        return value.has_value();
    }

    // Reads a list of events, or events without a list around them.
    bool readEvents()
    {
        ++m_lists;
        const bool isList = m_scanner.take('[');
        for (;;) {
            if (isList && m_scanner.take(']'))
                return true;
            if (m_scanner.atEnd())
                return !isList;
            if (m_scanner.take(','))
                continue;
            if (!m_scanner.event(m_take))
                return false;
        }
    }

    Scanner& m_scanner;
    const JsonEvents& m_events;
    const std::function<bool(std::string_view)> m_take = [this](std::string_view event) {
        const bool isRead = m_events.event(event);
        m_count += isRead ? 1 : 0;
        return isRead;
    };
    std::size_t m_count = 0;
    int m_lists = 0;
};

constexpr double kMostNanoseconds = 9e18;

std::string_view withoutBlanks(std::string_view text)
{
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> fromReal(std::string_view text)
{
    const auto value = parseNumber(text);
    const bool fits = value && std::abs(*value * 1000) < kMostNanoseconds;
    return fits ? std::optional(std::llround(*value * 1000)) : std::nullopt;
}

} // namespace

Result<std::string> readJsonEvents(const std::string& name, const ByteSource& bytes,
                                   const JsonEvents& events)
{
    Scanner scanner(bytes);
    Reader reader(scanner, events);
    const bool isWhole = reader.read();
    if (scanner.failure() && scanner.failure()->code == Error::Code::Cancelled)
        return tl::unexpected(*scanner.failure());
    if (!isWhole && reader.events() == 0) {
        if (scanner.failure())
            return tl::unexpected(*scanner.failure());
        const bool hasEvent = reader.lists() > 0 && scanner.rest().starts_with('{');
        return fail(Error::Code::Corrupt,
                    hasEvent ? fmt::format(
                        "{} is truncated or damaged in its first event; copy it again", name)
                             : fmt::format("{} is not a trace: it has \"{}\" instead of JSON with "
                                           "\"traceEvents\"",
                                           name, scanner.rest()));
    }
    const bool atEnd = scanner.atEnd(); // reads the rest, which may show that a file is damaged
    if (scanner.failure())
        return fmt::format("{}; the events before were read ({})", scanner.failure()->message,
                           reader.events());
    if (!isWhole)
        return fmt::format("{} is truncated or damaged; the events before \"{}\" were read ({})",
                           name, scanner.rest(), reader.events());
    if (!atEnd)
        return fmt::format("{} has more than one JSON document; the first was read", name);
    if (reader.lists() > 1)
        return fmt::format("{} has \"traceEvents\" more than once; all were read", name);
    return std::string();
}

std::string_view unquoted(std::string_view token)
{
    token = withoutBlanks(token);
    const bool isQuoted = token.size() >= 2 && token.front() == '"' && token.back() == '"';
    return isQuoted ? token.substr(1, token.size() - 2) : token;
}

// Parses without a double, which has too few digits for nanoseconds since 1970.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token)
{
    const std::string_view text = unquoted(token);
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto isDigit = [](char c) { return '0' <= c && c <= '9'; };
    const bool isPlain
        = std::ranges::all_of(text.substr(std::min(point + 1, text.size())), isDigit);
    const auto whole = parseInteger<std::int64_t>(text.substr(0, point));
    constexpr std::int64_t kMost = 9'000'000'000'000'000;
    if (!isPlain || !whole)
        return text.size() > 40 ? std::nullopt : fromReal(text);
    if (*whole > kMost || *whole < -kMost)
        return std::nullopt;
    std::int64_t fraction = 0;
    for (std::size_t i = 1; i <= 3; ++i)
        fraction = 10 * fraction + (point + i < text.size() ? text[point + i] - '0' : 0);
    return 1000 * *whole + (text.front() == '-' ? -fraction : fraction);
}

std::optional<std::int64_t> integerFrom(std::string_view token)
{
    return parseInteger<std::int64_t>(unquoted(token));
}

} // namespace profiler
