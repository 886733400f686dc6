#pragma once

#include "engine/timeline/timeline.h"
#include "profiler/import/json_events.h"

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// What a trace of Kineto says by the category of an event.
enum class EventCategory : std::uint8_t {
    Range,
    Python, // a function
    Op,
    Kernel,
    Copy,
    Memset,
    Call,
    Instant,
    Skip, // shows nothing new
};
EventCategory eventCategory(std::string_view name);

// The fields of an event, as texts of JSON; empty if it lacks them.
struct TraceEvent
{
    std::string_view phase, category, name, process, thread, time, duration, arguments;

    // nullopt if the time or the duration is missing, negative or too large.
    std::optional<engine::Window> window() const;
};

// Parses texts of JSON that kJsonPadding readable bytes follow. Results are parts of these texts.
class JsonParser
{
public:
    JsonParser();
    ~JsonParser();

    std::optional<TraceEvent> eventOf(std::string_view json); // nullopt if it is not an object
    // Until the object is damaged.
    void forEachField(std::string_view json,
                      const std::function<void(std::string_view key, std::string_view value)>& use);
    std::vector<std::string_view> elements(std::string_view json); // of an array

private:
    struct Parsers;
    std::unique_ptr<Parsers> m_parsers;
};

// The text of a JSON string, at most 4 KiB. Escape sequences lose their backslash.
std::string textOf(std::string_view token);

// Leaves the field unchanged if the number does not fit.
void putNumber(std::string_view token, std::integral auto& field)
{
    using Number = std::remove_reference_t<decltype(field)>;
    const auto number = integerFrom(token);
    if (number && std::in_range<Number>(*number))
        field = static_cast<Number>(*number);
}

// The three numbers of "[512, 1, 1]".
void putThree(std::string_view token, std::array<std::int32_t, 3>& three);

} // namespace profiler
