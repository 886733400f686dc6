#pragma once

#include "engine/timeline/timeline.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/readers/json_events.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// The kinds of events in a Kineto trace, by category.
enum class EventCategory : std::uint8_t {
    Range,
    Python, // a Python function
    Op,
    Kernel,
    Copy,
    Memset,
    Call,
    Instant,
    Skip, // not imported
};
EventCategory eventCategory(std::string_view name);

// The number that CUPTI gives to the direction in the name of a copy; 0 if it states none.
std::uint8_t copyKindNamed(std::string_view name);

// The fields of an event as JSON text; a missing field is empty.
struct TraceEvent
{
    std::string_view phase, category, name, process, thread, id, time, duration, arguments;

    // The time and duration; nullopt if the time is missing, the duration negative, or one of
    // them too large. A time may be negative: it is relative to the start of the recording.
    std::optional<engine::Window> window() const;
};

// Parses JSON text that has kJsonPadding readable bytes after it. Results refer to that text.
class JsonParser
{
public:
    JsonParser();
    ~JsonParser();

    std::optional<TraceEvent> eventOf(std::string_view json); // nullopt if it is not an object
    // Calls the function for each field. Stops where the object is damaged.
    void forEachField(std::string_view json,
                      const std::function<void(std::string_view key, std::string_view value)>& use);
    std::vector<std::string_view> elements(std::string_view json); // the elements of an array

private:
    struct Parsers;
    std::unique_ptr<Parsers> m_parsers;
};

// The events of a Chrome trace that `bscope export` wrote.
enum class OwnEvent : std::uint8_t {
    Measured,   // a span of a measured iteration
    OtherPhase, // a span of a warm-up or of typical ops
    GpuRecord,  // a GPU record, or a range around API calls that repeats a span of a device
};
OwnEvent ownEventOf(const TraceEvent& event, EventCategory category, JsonParser& json);

// From the list `deviceProperties` of a trace, by id.
std::map<std::int64_t, std::string> gpuNames(std::string_view devices, JsonParser& json);

// Finds the groups by their names in the list `pg_config` of a trace. A pipeline of one rank counts
// as none.
ProcessGroups processGroups(std::string_view list, JsonParser& json);

// False if the description names another kind of parallelism.
bool mayBePipelineGroup(std::string_view description);

// At most 4 KiB of the text of a JSON string, in UTF-8.
std::string textOf(std::string_view token);

// Assigns the number to the field, or leaves the field unchanged if the number does not fit.
void putNumber(std::string_view token, std::integral auto& field)
{
    using Number = std::remove_reference_t<decltype(field)>;
    const auto number = integerFrom(token);
    if (number && std::in_range<Number>(*number))
        field = static_cast<Number>(*number);
}

// Parses the three numbers of "[512, 1, 1]".
void putThree(std::string_view token, std::array<std::int32_t, 3>& three);

} // namespace profiler
