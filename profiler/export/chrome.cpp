#include "profiler/export/chrome.h"

#include "engine/base/version.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/timeline/clock.h"
#include "engine/timeline/names.h"
#include "profiler/export/chrome_events.h"
#include "profiler/export/chrome_gpu.h"
#include "profiler/export/sub_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace profiler {
namespace {

using engine::Op;
using engine::OpKind;
using engine::Run;
using engine::Track;

// The thread id of a span is its lane + kSubLane * its sub-lane.
constexpr int kSubLane = 10;

std::string chromeTime(const Run& run, std::int64_t ticks)
{
    return microseconds(engine::nanosecondsOf(run.info, ticks));
}

// Replaces commas, because viewers split process labels at them.
std::string withoutCommas(std::string text)
{
    std::ranges::replace(text, ',', ';');
    return text;
}

class TraceText
{
public:
    TraceText(const Run& run, const engine::TextSink& sink)
        : m_run(run)
        , m_index(run.schedule)
        , m_text(sink)
        , m_out(m_text)
    { }

    engine::Result<void> write(const GpuPieces& gpu);

private:
    void writeDevices();
    void writeTrack(const Track& track);
    void writeSpan(const engine::Span& span, const Op& op, int device, int thread);
    void rememberTransfer(const engine::Span& span, const Op& op, int device, int thread);
    void writeFlows();
    void writeMemory();

    struct Ends
    {
        struct Place
        {
            int device = -1, thread = 0;
            std::int64_t time = 0;
        };
        Place send, receive;
    };

    const Run& m_run;
    engine::OpIndex m_index;
    TextPieces m_text;
    ChromeEvents m_out;
    // The two ends of the arrow from a SEND to its RECV, by iteration and number of the value. For
    // a stream the key has iteration 0, because a SEND and its RECV can be in different iterations;
    // the numbers of values are unique there.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ends> m_transfers;
};

engine::Result<void> TraceText::write(const GpuPieces& gpu)
{
    const engine::RunInfo& info = m_run.info;
    m_text.add("{{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"otherData\":{{\"program\":{},"
               "\"scheme\":{},\"mode\":{},\"clock\":{},\"command\":{}}},\"traceEvents\":[",
               jsonText(info.program.empty() ? engine::buildId() : info.program),
               jsonText(info.scheme), jsonText(modeName(info.mode)),
               jsonText(info.inUnits() ? "virtual, one unit is one second" : "nanoseconds"),
               jsonText(info.command));
    writeDevices();
    for (const Track& track : m_run.timeline.tracks)
        writeTrack(track);
    writeFlows();
    writeMemory();
    engine::Result<void> done;
    if (gpu)
        done = exportChromeGpu(m_run, gpu, m_out);
    m_text.add("\n]}}\n");
    return done;
}

void TraceText::writeDevices()
{
    const std::string label = jsonText(
        withoutCommas(fmt::format("{}; {}", m_run.info.label, modeDescription(m_run.info))));
    for (int d = 0; d < m_run.schedule.shape.devices; ++d) {
        m_out.nameProcess(d, fmt::format("device {}", d));
        m_out.add(R"("ph":"M","name":"process_labels","pid":{},"args":{{"labels":{}}})", d, label);
    }
}

void TraceText::writeTrack(const Track& track)
{
    const std::vector<int> lanes = subLanes(track);
    std::set<int> named;
    for (std::size_t i = 0; i < track.spans.size(); ++i) {
        const engine::Span& span = track.spans[i];
        const Op& op = opAt(m_run.schedule, m_index, span.op);
        const int thread = static_cast<int>(track.kind) + kSubLane * lanes[i];
        if (named.insert(thread).second) {
            const std::string number = lanes[i] == 0 ? "" : fmt::format(" {}", lanes[i] + 1);
            m_out.nameThread(track.device.value, thread,
                             fmt::format("{}{}", engine::laneName(track.kind), number));
        }
        writeSpan(span, op, track.device.value, thread);
        rememberTransfer(span, op, track.device.value, thread);
    }
}

void TraceText::writeSpan(const engine::Span& span, const Op& op, int device, int thread)
{
    const engine::Iteration& iteration = m_run.timeline.iterations[span.iteration];
    m_out.add(R"("ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
              R"("args":{{"iteration":{},"phase":"{}","stage":{},"microbatch":{},"replica":{}}})",
              engine::toString(op), engine::kindShortName(op.kind), device, thread,
              chromeTime(m_run, span.begin), chromeTime(m_run, span.end - span.begin),
              span.iteration, engine::iterationKindName(iteration.kind), op.stage.value,
              op.microBatch.isValid() ? fmt::format("{}", op.microBatch.value) : "null",
              int{op.replica});
}

void TraceText::rememberTransfer(const engine::Span& span, const Op& op, int device, int thread)
{
    if (!isTransfer(op.kind))
        return;
    const engine::Shape& shape = m_run.schedule.shape;
    const std::uint32_t value = valueIndex(transferredValue(op, shape), shape);
    Ends& ends = m_transfers[{shape.windows > 1 ? 0 : span.iteration, value}];
    const bool sends = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
    (sends ? ends.send : ends.receive) = {device, thread, span.begin};
}

void TraceText::writeFlows()
{
    for (const auto& [key, ends] : m_transfers) {
        if (ends.send.device < 0 || ends.receive.device < 0)
            continue;
        const std::string id = fmt::format("{}.{}", key.first, key.second);
        m_out.add(R"("ph":"s","name":"p2p","cat":"pp","id":"{}","pid":{},"tid":{},"ts":{})", id,
                  ends.send.device, ends.send.thread, chromeTime(m_run, ends.send.time));
        m_out.add(
            R"("ph":"f","bp":"e","name":"p2p","cat":"pp","id":"{}","pid":{},"tid":{},"ts":{})", id,
            ends.receive.device, ends.receive.thread, chromeTime(m_run, ends.receive.time));
    }
}

void TraceText::writeMemory()
{
    using Totals
        = engine::EnumArray<engine::MemoryCategory, std::int64_t, engine::kMemoryCategories>;
    std::unordered_map<int, Totals> totals;
    for (const engine::MemoryEvent& change : m_run.timeline.memory) {
        Totals& total = totals[change.device];
        total[change.category] += change.bytes;
        std::string values;
        for (const engine::MemoryCategory category : Totals::enumerators())
            values += fmt::format("{}{}:{}", values.empty() ? "" : ",",
                                  jsonText(memoryCategoryName(category)), total[category]);
        // The name contains the device, because Tracy merges counters of equal names.
        m_out.add(R"("ph":"C","name":"device {} memory","pid":{},"tid":0,"ts":{},"args":{{{}}})",
                  change.device, change.device, chromeTime(m_run, change.time), values);
    }
}

} // namespace

engine::Result<void> exportChrome(const Run& run, const GpuPieces& gpu,
                                  const engine::TextSink& sink)
{
    return TraceText(run, sink).write(gpu);
}

} // namespace profiler
