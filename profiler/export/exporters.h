#pragma once

#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Reads the GPU records of a run and passes them to its argument piece by piece, so that only one
// piece is in memory. Empty if the run has no GPU records.
using GpuPieces
    = std::function<engine::Result<void>(const std::function<void(const engine::GpuTrace&)>&)>;

// An export format (exported-files.md). A new format is one file, a declaration and a line of
// exporters.cpp. The command line and the window show the list in exporters.cpp.
struct Exporter
{
    std::string_view name;      // value of --format
    std::string_view title;     // "Chrome trace (Perfetto, chrome://tracing)", for display
    std::string_view extension; // ".json"
    // Fails only if reading the GPU records fails; the text is then incomplete.
    engine::Result<void> (*write)(const engine::Run& run, const GpuPieces& gpu,
                                  const engine::TextSink& sink)
        = nullptr;
};

std::span<const Exporter> exporters();
const Exporter* findExporter(std::string_view name); // nullptr if unknown

// Writes a CSV table with one row per span, sorted by device, lane and start. See
// exported-files.md.
void exportCsv(const engine::Run& run, const engine::TextSink& sink);

// Writes the whole run as one JSON object (exported-files.md): info, placement, iterations with
// losses, spans, memory events. Each span and event is on a separate line of text.
void exportJson(const engine::Run& run, const engine::TextSink& sink);

// Writes Chrome's trace event format, for Perfetto and chrome://tracing: a process per device, a
// thread per lane, arrows from send to receive, a memory counter, and the GPU records as Kineto
// writes them. See exported-files.md.
engine::Result<void> exportChrome(const engine::Run& run, const GpuPieces& gpu,
                                  const engine::TextSink& sink);

// The sub-lane of each span of a track, counted from 0. Spans can overlap, because a device sends
// over several links at the same time, but viewers drop overlapping slices of one row. Therefore
// spans of one sub-lane do not overlap, except that joint ops, which have the same window, share a
// sub-lane and nest there.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
