#include "engine/base/version.h"
#include "engine/schedule/notation.h"
#include "engine/timeline/timeline.h"
#include "profiler/export/exporters.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

namespace profiler {
namespace {

using namespace engine;

std::string orNull(std::optional<double> value)
{
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "null";
}

std::string orNull(int value, int none)
{
    return value == none ? "null" : fmt::format("{}", value);
}

class RunText
{
public:
    RunText(const Run& run, const TextSink& sink)
        : m_run(run)
        , m_index(run.schedule)
        , m_out(sink)
    { }

    void write()
    {
        out("{{\"format\":\"bubblescope run\",\"version\":1,\n");
        writeInfo();
        writePlacement();
        writeIterations();
        writeSpans();
        writeMemory();
        out("}}\n");
    }

private:
    template<class... Values>
    void out(fmt::format_string<Values...> text, Values&&... values)
    {
        m_out.add(text, std::forward<Values>(values)...);
    }
    std::string time(std::int64_t ticks) const { return ticksText(ticks, m_run.info.ticksPerUnit); }
    std::string spelling(std::uint32_t op) const
    {
        return jsonText(toString(opAt(m_run.schedule, m_index, op)));
    }
    void separate(bool& first) { out("{}", std::exchange(first, false) ? "\n" : ",\n"); }

    void writeInfo()
    {
        const RunInfo& info = m_run.info;
        const Shape& shape = m_run.schedule.shape;
        const auto text = [](const std::string& value) {
            return value.empty() ? std::string("null") : jsonText(value);
        };
        out("\"run\":{{\"scheme\":{},\"label\":{},\"mode\":{},\"outcome\":{},\"failure\":{},"
            "\"started\":{},\"program\":{},\"command\":{},\"device\":{},\"timing\":{},\"link\":{},"
            "\"model\":{},\"tokens_per_iteration\":{},\"flops_per_iteration\":{}}},\n",
            text(info.scheme), text(info.label), jsonText(modeName(info.mode)),
            jsonText(outcomeName(info.outcome)), text(info.failure), text(info.started),
            text(info.program), text(info.command), text(info.deviceName), text(info.timing),
            text(info.link), text(info.model),
            info.tokensPerIteration > 0 ? fmt::format("{}", info.tokensPerIteration) : "null",
            info.flopsPerIteration > 0 ? orNull(info.flopsPerIteration) : "null");
        out("\"devices\":{},\"stages\":{},\"micro_batches\":{},\"replicas\":{},\"slices\":{},"
            "\"data_parallel\":{},\"unit\":\"{}\",\n",
            shape.devices, shape.stages, shape.microBatches, shape.replicas, shape.slices,
            shape.dataParallel, info.inUnits() ? "forward" : "ns");
    }

    // Writes an array of replicas, each an array with the device of every stage.
    void writePlacement()
    {
        out("\"device_of\":[");
        bool firstReplica = true;
        for (const auto& stages : m_run.schedule.deviceOf) {
            out("{}[", std::exchange(firstReplica, false) ? "" : ",");
            bool first = true;
            for (const DeviceId device : stages)
                out("{}{}", std::exchange(first, false) ? "" : ",", device.value);
            out("]");
        }
        out("],\n");
    }

    void writeIterations()
    {
        out("\"iterations\":[");
        bool first = true;
        for (const Iteration& one : m_run.timeline.iterations) {
            separate(first);
            out("{{\"number\":{},\"phase\":\"{}\",\"begin\":{},\"end\":{},\"loss\":{},"
                "\"micro_batch_loss\":[",
                one.number, iterationKindName(one.kind), time(one.window.begin),
                time(one.window.end), orNull(one.loss));
            bool firstLoss = true;
            for (const float loss : one.microBatchLoss)
                out("{}{}", std::exchange(firstLoss, false) ? "" : ",", orNull(loss));
            out("]}}");
        }
        out("\n],\n");
    }

    void writeSpans()
    {
        out("\"spans\":[");
        bool first = true;
        for (const Track& track : m_run.timeline.tracks)
            for (const Span& span : track.spans) {
                separate(first);
                const Op& op = opAt(m_run.schedule, m_index, span.op);
                out("{{\"iteration\":{},\"device\":{},\"lane\":\"{}\",\"op\":{},\"kind\":\"{}\","
                    "\"stage\":{},\"micro_batch\":{},\"replica\":{},\"slice\":{},\"peer\":{},"
                    "\"begin\":{},\"end\":{}}}",
                    span.iteration, track.device.value, laneName(track.kind), spelling(span.op),
                    kindShortName(op.kind), op.stage.value, orNull(op.microBatch.value, -1),
                    op.replica, orNull(op.slice, Op::kWhole), orNull(op.peer, Op::kNoPeer),
                    time(span.begin), time(span.end));
            }
        out("\n],\n");
    }

    void writeMemory()
    {
        out("\"memory\":[");
        bool first = true;
        for (const MemoryEvent& event : m_run.timeline.memory) {
            separate(first);
            out(R"({{"time":{},"device":{},"category":"{}","bytes":{},"op":{}}})", time(event.time),
                event.device, memoryCategoryName(event.category), event.bytes,
                event.op == MemoryEvent::kNoOp ? "null" : spelling(event.op));
        }
        out("\n]\n");
    }

    const Run& m_run;
    OpIndex m_index;
    TextPieces m_out;
};

} // namespace

void exportJson(const Run& run, const TextSink& sink)
{
    RunText(run, sink).write();
}

} // namespace profiler
