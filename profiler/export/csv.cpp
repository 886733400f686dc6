#include "profiler/export/csv.h"

#include "engine/schedule/notation.h"
#include "engine/timeline/names.h"

#include <fmt/format.h>

#include <iterator>

namespace profiler {
namespace {

using engine::Op;

// Ticks in the printed unit: exact, or to nine decimals where the unit has a third.
std::string timeText(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    if (ticks % ticksPerUnit == 0)
        return fmt::format("{}", ticks / ticksPerUnit);
    std::string text
        = fmt::format("{:.9f}", static_cast<double>(ticks) / static_cast<double>(ticksPerUnit));
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

// Empty where the op has none.
std::string optional(int value, int none)
{
    return value == none ? std::string() : fmt::format("{}", value);
}

std::string opColumns(const Op& op)
{
    return fmt::format("{},{},{},{},{},{},{}", engine::toString(op), engine::kindShortName(op.kind),
                       op.stage.value, optional(op.microBatch.value, -1), op.replica,
                       optional(op.slice, Op::kWhole), optional(op.peer, Op::kNoPeer));
}

} // namespace

engine::Result<std::string> exportCsv(const engine::Run& run)
{
    const engine::OpIndex index(run.schedule);
    const std::int64_t unit = run.info.ticksPerUnit;
    std::string csv = "iteration,phase,device,lane,op,kind,stage,microbatch,replica,slice,peer,"
                      "begin,end,duration,unit\n";
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{}\n", span.iteration,
                           engine::iterationKindName(run.timeline.iterations[span.iteration].kind),
                           track.device.value, engine::laneName(track.kind),
                           opColumns(opAt(run.schedule, index, span.op)),
                           timeText(span.begin, unit), timeText(span.end, unit),
                           timeText(span.end - span.begin, unit),
                           run.info.inUnits() ? "forward" : "ns");
    return csv;
}

} // namespace profiler
