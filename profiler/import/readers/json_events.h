#pragma once

#include "engine/base/result.h"
#include "profiler/import/trace_files.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace profiler {

// Callbacks for the parts of a JSON trace. Every part is passed as JSON text with at least
// kJsonPadding readable bytes after it.
struct JsonEvents
{
    // Called for a member of the trace other than its events. Values of more than 1 MiB are
    // skipped.
    std::function<void(std::string_view key, std::string_view value)> member;
    // Called for each event; returns false if the text is not a JSON object. It is empty for an
    // event whose end cannot be found, for example because of an unescaped quote.
    std::function<bool(std::string_view event)> event;
};
inline constexpr std::size_t kJsonPadding = 64;

// Reads a trace in the Trace Event Format, {"traceEvents": [...], ...} or [...], or one event per
// line, in constant memory. After an event that is damaged, continues with the next one. If the
// trace is truncated, the events before that are kept and the returned warning says so; otherwise
// the warning is "". Fails with Error::Code::Corrupt if no event precedes the damage, and with the
// errors of `bytes`.
engine::Result<std::string> readJsonEvents(const std::string& name, const ByteSource& bytes,
                                           const JsonEvents& events);

std::string_view unquoted(std::string_view token);

// Converts microseconds to ns. The token is a JSON number, or a string with a number. Returns
// nullopt if the number is not finite or exceeds 285 years. Digits below 1 ns are dropped.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token);

// Converts a JSON number, or a string with a number, to an integer.
std::optional<std::int64_t> integerFrom(std::string_view token);

} // namespace profiler
