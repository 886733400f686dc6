#include "engine/schedule/notation.h"
#include "engine/timeline/timeline.h"
#include "profiler/export/exporters.h"

#include <fmt/format.h>

namespace profiler {
namespace {

using engine::Op;

// Converts the value to text; `none` becomes "".
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

void exportCsv(const engine::Run& run, const engine::TextSink& sink)
{
    const engine::OpIndex index(run.schedule);
    const std::int64_t unit = run.info.ticksPerUnit;
    TextPieces csv(sink);
    csv.add("iteration,phase,device,lane,op,kind,stage,microbatch,replica,slice,peer,"
            "begin,end,duration,unit\n");
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            csv.add("{},{},{},{},{},{},{},{},{}\n", span.iteration,
                    engine::iterationKindName(run.timeline.iterations[span.iteration].kind),
                    track.device.value, engine::laneName(track.kind),
                    opColumns(opAt(run.schedule, index, span.op)), ticksText(span.begin, unit),
                    ticksText(span.end, unit), ticksText(span.end - span.begin, unit),
                    run.info.inUnits() ? "forward" : "ns");
}

} // namespace profiler
