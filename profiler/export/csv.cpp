#include "engine/schedule/notation.h"
#include "engine/timeline/timeline.h"
#include "profiler/export/exporters.h"

#include <fmt/format.h>

namespace profiler {
namespace {

using namespace engine;

// Converts the value to text; `none` becomes "".
std::string optional(int value, int none)
{
    return value == none ? std::string() : fmt::format("{}", value);
}

} // namespace

void exportCsv(const Run& run, const TextSink& sink)
{
    const OpIndex index(run.schedule);
    const std::int64_t unit = run.info.ticksPerUnit;
    TextPieces csv(sink);
    csv.add("iteration,phase,device,lane,op,kind,stage,microbatch,replica,slice,peer,"
            "begin,end,duration,unit\n");
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans) {
            const Op& op = opAt(run.schedule, index, span.op);
            csv.add("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", span.iteration,
                    iterationKindName(run.timeline.iterations[span.iteration].kind),
                    track.device.value, laneName(track.kind), toString(op), kindShortName(op.kind),
                    op.stage.value, optional(op.microBatch.value, -1), op.replica,
                    optional(op.slice, Op::kWhole), optional(op.peer, Op::kNoPeer),
                    ticksText(span.begin, unit), ticksText(span.end, unit),
                    ticksText(span.end - span.begin, unit), run.info.inUnits() ? "forward" : "ns");
        }
}

} // namespace profiler
