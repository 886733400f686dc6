#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/csv.h"
#include "engine/schedule/formats/csv_columns.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <iterator>

namespace engine {
std::string writeCsv(const Schedule& schedule)
{
    std::string text(kCsvHeader);
    text += '\n';
    const bool versions = isAsynchronous(schedule);
    const auto out = std::back_inserter(text);
    for (const DeviceId d : schedule.program.ids())
        for (std::size_t i = 0; i < schedule.program[d].size(); ++i) {
            const Op& op = schedule.program[d][i];
            fmt::format_to(out, "{},{},{},{},{},", d.value, i, kindShortName(op.kind),
                           op.stage.value, op.stage.value / schedule.shape.devices);
            if (op.microBatch.isValid())
                fmt::format_to(out, "{}", op.microBatch.value);
            fmt::format_to(out, ",{},", op.replica);
            if (op.slice != Op::kWhole)
                fmt::format_to(out, "{}", op.slice);
            fmt::format_to(out, ",{},", op.flags == OpFlag::JointWithNext ? 1 : 0);
            if (versions && isCompute(op.kind)) // an OPT creates a version, other ops use one
                fmt::format_to(out, "{}", op.version);
            text += '\n';
        }
    return text;
}

} // namespace engine
