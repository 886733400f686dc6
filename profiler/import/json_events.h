#pragma once

#include "engine/base/result.h"
#include "profiler/import/trace_files.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace profiler {

// Receives the parts of a JSON trace as texts of JSON. At least kJsonPadding readable bytes follow
// each text.
struct JsonEvents
{
    // A member of the trace other than its events, except values of more than 1 MiB.
    std::function<void(std::string_view key, std::string_view value)> member;
    std::function<void(std::string_view event)> event;
};
inline constexpr std::size_t kJsonPadding = 64;

// Reads a trace in the Trace Event Format, {"traceEvents": [...], ...} or [...], in memory that
// does not depend on its size. If the trace is damaged or truncated, what was read until then
// counts, and the warning says so; "" otherwise. Fails with Error::Code::Corrupt if no event was
// found before the damage, and with the errors of `bytes`.
engine::Result<std::string> readJsonEvents(const std::string& name, const ByteSource& bytes,
                                           const JsonEvents& events);

// `token` without its quotes, if it has any.
std::string_view unquoted(std::string_view token);

// Microseconds as a JSON number, or as a text with a number, in ns; nullopt if it is not finite or
// more than 285 years. Digits below 1 ns are dropped.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token);

// An integer as a JSON number, or as a text with a number.
std::optional<std::int64_t> integerFrom(std::string_view token);

} // namespace profiler
