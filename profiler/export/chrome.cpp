#include "profiler/export/chrome.h"

#include "engine/base/version.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/timeline/clock.h"
#include "engine/timeline/names.h"
#include "profiler/export/sub_lanes.h"
#include "profiler/export/text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
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

// A thread id is the lane plus ten times the sub-lane.
constexpr int kSubLane = 10;

std::string microseconds(const Run& run, std::int64_t ticks)
{
    const std::int64_t ns = engine::nanosecondsOf(run.info, ticks);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
}

// Writes text directly, because a JSON document of a million objects would need gigabytes.
class TraceText
{
public:
    explicit TraceText(const Run& run)
        : m_run(run)
        , m_index(run.schedule)
    { }

    std::string write();

private:
    template<class... Values>
    void event(fmt::format_string<Values...> text, Values&&... values)
    {
        m_out += std::exchange(m_first, false) ? "\n{" : ",\n{";
        fmt::format_to(std::back_inserter(m_out), text, std::forward<Values>(values)...);
        m_out += '}';
    }
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
    std::string m_out;
    bool m_first = true;
    // [iteration, value] one arrow each
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ends> m_transfers;
};

std::string TraceText::write()
{
    const engine::RunInfo& info = m_run.info;
    m_out = fmt::format(
        "{{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"otherData\":{{\"program\":{},"
        "\"scheme\":{},\"mode\":{},\"clock\":{},\"command\":{}}},\"traceEvents\":[",
        jsonText(info.program.empty() ? engine::buildId() : info.program), jsonText(info.scheme),
        jsonText(modeName(info.mode)),
        jsonText(info.inUnits() ? "virtual, one unit is one second" : "nanoseconds"),
        jsonText(info.command));
    writeDevices();
    for (const Track& track : m_run.timeline.tracks)
        writeTrack(track);
    writeFlows();
    writeMemory();
    m_out += "\n]}\n";
    return std::move(m_out);
}

void TraceText::writeDevices()
{
    const std::string label
        = jsonText(fmt::format("{}, {}", m_run.info.label, modeDescription(m_run.info)));
    for (int d = 0; d < m_run.schedule.shape.devices; ++d) {
        event(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":"device {}"}})", d, d);
        event(R"("ph":"M","name":"process_labels","pid":{},"args":{{"labels":{}}})", d, label);
        event(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", d, d);
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
            event(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}{}"}})",
                  track.device.value, thread, engine::laneName(track.kind), number);
            event(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},)"
                  R"("args":{{"sort_index":{}}})",
                  track.device.value, thread, thread);
        }
        writeSpan(span, op, track.device.value, thread);
        rememberTransfer(span, op, track.device.value, thread);
    }
}

void TraceText::writeSpan(const engine::Span& span, const Op& op, int device, int thread)
{
    const engine::Iteration& iteration = m_run.timeline.iterations[span.iteration];
    event(R"("ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
          R"("args":{{"iteration":{},"phase":"{}","stage":{},"microbatch":{},"replica":{}}})",
          engine::toString(op), engine::kindShortName(op.kind), device, thread,
          microseconds(m_run, span.begin), microseconds(m_run, span.end - span.begin),
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
    Ends& ends = m_transfers[{span.iteration, value}];
    const bool sends = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
    (sends ? ends.send : ends.receive) = {device, thread, span.begin};
}

void TraceText::writeFlows()
{
    for (const auto& [key, ends] : m_transfers) {
        if (ends.send.device < 0 || ends.receive.device < 0)
            continue;
        const std::string id = fmt::format("{}.{}", key.first, key.second);
        event(R"("ph":"s","name":"p2p","cat":"pp","id":"{}","pid":{},"tid":{},"ts":{})", id,
              ends.send.device, ends.send.thread, microseconds(m_run, ends.send.time));
        event(R"("ph":"f","bp":"e","name":"p2p","cat":"pp","id":"{}","pid":{},"tid":{},"ts":{})",
              id, ends.receive.device, ends.receive.thread, microseconds(m_run, ends.receive.time));
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
        event(R"("ph":"C","name":"memory","pid":{},"tid":0,"ts":{},"args":{{{}}})", change.device,
              microseconds(m_run, change.time), values);
    }
}

} // namespace

engine::Result<std::string> exportChrome(const Run& run)
{
    return TraceText(run).write();
}

} // namespace profiler
